"""The broad phase: chooses a method, and finds near pairs.

Bounded shapes go into a uniform grid when their (swollen) sizes are alike; a few that are much larger or faster than
the rest are tested against all others; when sizes vary widely, all are swept along the axis of largest extent.
Half-spaces are tested against all.

Pairs are found with bounds enlarged by a skin and cached as candidates (a Verlet list), so that bodies at rest need no
search. Shapes that have moved or sped up by more than half of the skin are tested against all others, until that has
cost as much as a new list. The result does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.collision import broad as kernels
from signorini.kernels.collision import recheck_overlaps as recheck
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.conventions import HALF_SPACE
from signorini.kernels.collision.grid import grid_candidates
from signorini.kernels.collision.half_spaces import half_spaces_against_all
from signorini.kernels.collision.place import swellings
from signorini.kernels.collision.table import Placement, ShapeArrays
from signorini.kernels.threads.team import team
from signorini.math.sparse import Array, Indices

ALIKE = 2.5
"""A grid is used while the largest size in it is at most this many times the median."""
FEW = 64
"""Up to this number of bounded shapes, all pairs that may collide at all are permanent candidates."""
METHODS = ("auto", "grid", "sweep", "brute")
SKIN = 0.5
"""Of the smallest size."""
OVERHEAD_COST, REBUILD_COST = 100, 400
"""Cost of a query with shapes that have outgrown the candidates, without testing them, and of building all candidates;
in tests of one shape against all others. The candidates are rebuilt when the former adds up to the latter."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of bounded shapes that may come near, as long as neither has outgrown half of the skin."""

    pairs: Pairs
    """Sorted, without limits."""
    large: Indices
    """Shapes that are tested against all others."""
    is_large: NDArray[np.bool_]
    bounds: Array
    """When they were found, see `Placement`."""
    swelling: Array
    skin: float
    """[m]; infinite where they are all pairs that may ever collide."""


class BroadPhase:
    """Finds near pairs for one set of shapes; keeps its buffers between calls."""

    def __init__(self, shapes: ShapeArrays, method: str = "auto") -> None:
        unbounded = shapes.kind == HALF_SPACE
        self.shapes, self.method = shapes, method
        self.rules = (shapes.margin, shapes.filters, shapes.tied, shapes.bodies)
        self.planes = np.flatnonzero(unbounded)
        self.bounded = np.flatnonzero(~unbounded)
        self.absent: NDArray[np.bool_] | None = None
        """Shapes of bodies that are stored far away, where these are; no candidates are looked for among them."""
        self._swelling = np.zeros(len(shapes.kind))
        self._buffers: dict[str, Pairs] = {}
        self._apart = np.zeros(len(shapes.kind), dtype=np.bool_)
        self._kept: Candidates | None = None
        self._tested = 0
        if method == "auto" and len(self.bounded) <= FEW:
            self._kept = self._every_pair()

    def pairs(self, placed: Placement, step: float, fall: float) -> list[Pairs]:
        """Near pairs from each source, first < second; the arrays are overwritten by the next call.

        `fall` is step^2 |gravity| [m], what a resting body may fall in a step.
        """
        now, bounds = (float(step), float(fall)), placed.bounds
        found: list[Pairs] = []
        if self.method == "brute":
            found.append(self._run("near", kernels.brute_force, bounds, self.bounded, now))
        else:
            found += self._bounded_pairs(bounds, now)
        if len(self.planes):
            args = (self.rules, self.shapes.param, placed, self.planes, self.bounded, now)
            planes = self._filled("planes", partial(half_spaces_against_all, team(len(self.bounded)), *args))
            # Contacts are ordered by their first shapes, so that nothing is left to sort.
            first = len(self.bounded) and self.planes[-1] < self.bounded[0]
            found.insert(0 if first else len(found), planes)
        return found

    def may_overlap(
        self, placed: Placement, known: Indices, bits: int, step: float, fall: float, overlap: float
    ) -> bool:
        """Whether shapes may overlap by more than `overlap` [m] after the step, other than spheres whose contacts have
        the rising identities `known`, parts of `bits` each; see `kernels.collision.recheck_overlaps`."""
        kind, bounds = self.shapes.kind, placed.bounds
        if self.method == "brute":
            return True
        kept, apart, large = self._up_to_date(bounds, (step, fall))
        others, now = (self.bounded, known, bits), (step, overlap)
        return bool(
            recheck.candidates_meet(kind, bounds, kept.pairs, apart, known, bits, *now)
            or (len(large) and recheck.large_meet(kind, self.rules, bounds, self._swelling, large, *others, *now))
            or recheck.half_spaces_meet(self.shapes, placed, self.planes, *others, *now)
        )

    @property
    def is_idle(self) -> bool:
        """Whether nothing can ever collide."""
        kept = self._kept
        return not len(self.planes) and kept is not None and kept.skin == np.inf and not len(kept.pairs.first)

    @property
    def every_pair(self) -> Pairs | None:
        """All pairs of bounded shapes that may ever meet, sorted; None where there are too many to keep."""
        return self._kept.pairs if self._kept is not None and self._kept.skin == np.inf else None

    def _every_pair(self) -> Candidates:
        """All pairs of bounded shapes that may collide, by bodies, groups, masks and joints."""
        _, filters, tied, bodies = self.rules
        first, second = (self.bounded[side] for side in np.triu_indices(len(self.bounded), 1))
        one, two = filters[first], filters[second]
        may = (one[:, 0] != two[:, 0]) & (one[:, 3] + two[:, 3] > 0)
        may &= ((one[:, 2] & two[:, 1]) != 0) & ((two[:, 2] & one[:, 1]) != 0)
        low, high = np.minimum(one[:, 0], two[:, 0]), np.maximum(one[:, 0], two[:, 0])
        may &= ~np.isin(low * bodies + high, tied)
        pairs, shapes = Pairs(first[may], second[may], np.empty(int(may.sum()))), len(self._swelling)
        nothing = np.zeros(0, dtype=np.int64)
        return Candidates(pairs, nothing, np.zeros(shapes, dtype=np.bool_), np.zeros((0, 0)), np.zeros(0), np.inf)

    def _bounded_pairs(self, bounds: Array, now: tuple[float, float]) -> list[Pairs]:
        kept, apart, large = self._up_to_date(bounds, now)
        many = len(kept.pairs.first)
        helpers = team(many)
        scratch = self._room("scratch", many if len(helpers) else 0)
        self._room("near", many)
        near = partial(kernels.still_near, helpers, self.rules, bounds, kept.pairs, apart, now, scratch)
        found = [self._filled("near", near)]
        if len(large):
            is_large = apart if len(apart) else kept.is_large
            args = (bounds, self._swelling, large, is_large, self.bounded, now)
            found.append(self._run("large", kernels.large_against_all, *args))
        return found

    def _up_to_date(self, bounds: Array, now: tuple[float, float]) -> tuple[Candidates, NDArray[np.bool_], Indices]:
        """Candidates, a mark for shapes that have outgrown them (empty without any), and the shapes that are to be
        tested against all others."""
        if self._kept is not None and self._kept.skin == np.inf:
            return self._kept, self._apart[:0], self._kept.large
        many = team(len(bounds))
        swellings(many, bounds, self.shapes.margin, self.shapes.filters, *now, self._swelling)
        kept = self._kept
        if kept is not None:
            old = (kept.bounds, kept.swelling, self.bounded, 0.5 * kept.skin, kept.is_large)
            outgrown = kernels.outgrown(many, bounds, self._swelling, *old, self._apart)
            if not outgrown:
                return kept, self._apart[:0], kept.large
            self._tested += OVERHEAD_COST + outgrown
            if self._tested <= REBUILD_COST:
                return kept, self._apart, np.flatnonzero(self._apart)
        self._kept, self._tested = self._candidates(bounds), 0
        return self._kept, self._apart[:0], self._kept.large

    def _candidates(self, bounds: Array) -> Candidates:
        here = self.bounded if self.absent is None else self.bounded[~self.absent[self.bounded]]
        if not len(here):
            none = np.zeros(0, dtype=np.int64)
            return Candidates(_buffer(0), none, self._apart & False, bounds.copy(), self._swelling.copy(), 0.0)
        smallest, largest = kernels.extremes(bounds, self._swelling, here)
        # Even where all move too fast for the next step, the same step may query again with other velocities.
        skin = SKIN * smallest
        size = bounds[:, 9] + self._swelling + 0.5 * skin
        if self.method != "grid" and largest > ALIKE * smallest:
            largest = self._largest_in_grid(size[here])
        else:
            largest += 0.5 * skin
        is_large = np.zeros(len(size), dtype=np.bool_)
        if self.method == "sweep" or largest == 0.0:
            pairs = self._sweep(bounds, 0.5 * skin, here)
        else:
            is_large[here] = size[here] > largest
            # Slightly above the exact bound, so that rounding cannot put a pair two cells apart.
            cell = 2.0 * largest * (1 + 1e-9)
            members = here[~is_large[here]]
            pairs = self._run("candidates", grid_candidates, bounds, size, members, cell)
        kernels.sort_pairs(pairs, len(pairs.first), len(size))
        return Candidates(pairs, np.flatnonzero(is_large), is_large, bounds.copy(), self._swelling.copy(), skin)

    def _largest_in_grid(self, size: Array) -> float:
        """Largest size [m] that goes into the grid; 0 when sizes are too different for one."""
        largest, middle = float(size.max()), float(np.median(size))
        if largest <= ALIKE * middle:
            return largest
        few = max(4, int(np.sqrt(len(size))) // 2)
        rest = float(np.partition(size, len(size) - 1 - few)[len(size) - 1 - few])
        return rest if rest <= ALIKE * middle else 0.0

    def _sweep(self, bounds: Array, skin: float, here: Indices) -> Pairs:
        axis = int(np.argmax(bounds[here, :3].var(axis=0)))
        axes = [axis, (axis + 1) % 3, (axis + 2) % 3]
        centre = bounds[here][:, axes]
        half = bounds[here, 3:6][:, axes] + self._swelling[here, None] + skin
        order = np.argsort(centre[:, 0] - half[:, 0], kind="stable")
        ends = np.hstack((centre - half, centre + half))[order]
        return self._run("candidates", kernels.sweep_candidates, here[order], ends)

    def _run(self, name: str, function: Any, *args: Any) -> Pairs:
        """Run a kernel into the buffer `name`, growing it until everything fits."""
        return self._filled(name, partial(function, self.rules, *args))

    def _room(self, name: str, capacity: int) -> Pairs:
        """The buffer `name`, with room for `capacity` pairs."""
        if name not in self._buffers or capacity > len(self._buffers[name].first):
            self._buffers[name] = _buffer(capacity + capacity // 4)
        return self._buffers[name]

    def _filled(self, name: str, fill: Callable[[Pairs], int]) -> Pairs:
        """What `fill` writes into the buffer `name`, which is grown until everything fits."""
        if name not in self._buffers:
            self._buffers[name] = _buffer(8 * len(self._swelling) + 64)
        count = fill(self._buffers[name])
        if count > len(self._buffers[name].first):
            self._buffers[name] = _buffer(count + count // 4)
            count = fill(self._buffers[name])
        return Pairs(*(array[:count] for array in self._buffers[name]))


def _buffer(capacity: int) -> Pairs:
    return Pairs(np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64), np.empty(capacity))
