"""Chooses how near pairs are found, and finds them.

Bounded shapes go into a uniform grid when their (swollen) sizes are alike; a few that are much larger or faster than
the rest are tested against all others; when sizes are spread wide, all are swept along the axis on which they spread
most. Half-spaces are tested against all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.kernels import collision_broad as kernels
from signorini.kernels.collision_broad import Pairs
from signorini.kernels.collision_place import swellings
from signorini.kernels.collision_table import HALF_SPACE, Placement, ShapeArrays
from signorini.math.sparse import Array

ALIKE = 2.5
"""A grid is used while the largest size in it is at most this many times the median."""
FEW = 16
"""Shapes below this number are tested pair by pair."""
METHODS = ("auto", "grid", "sweep", "brute")


class BroadPhase:
    """Finds near pairs for one set of shapes; keeps its buffers between calls."""

    def __init__(self, shapes: ShapeArrays, method: str = "auto") -> None:
        unbounded = shapes.kind == HALF_SPACE
        self.shapes, self.method = shapes, method
        self.rules = (shapes.margin, shapes.filters, shapes.tied, shapes.bodies)
        self.planes = np.flatnonzero(unbounded)
        self.bounded = np.flatnonzero(~unbounded)
        self._swelling = np.zeros(len(shapes.kind))
        self._buffers: dict[str, Pairs] = {}

    def pairs(self, placed: Placement, step: float, fall: float) -> list[Pairs]:
        """Near pairs from each source, first < second; the arrays are overwritten by the next call.

        `fall` is step^2 |gravity| [m], what a resting body may fall in a step.
        """
        now, bounds = (float(step), float(fall)), placed.bounds
        found: list[Pairs] = []
        if self.method == "brute" or (self.method == "auto" and len(self.bounded) <= FEW):
            found.append(self._run("near", kernels.brute_force, bounds, self.bounded, now))
        else:
            found += self._bounded_pairs(bounds, now)
        if len(self.planes):
            args = (bounds, self.planes, *self._plane_data(placed), self.bounded, now)
            found.append(self._run("planes", kernels.half_spaces_against_all, *args))
        return found

    def _bounded_pairs(self, bounds: Array, now: tuple[float, float]) -> list[Pairs]:
        swellings(bounds, self.shapes.margin, self.shapes.filters, *now, self._swelling)
        size = bounds[:, 9] + self._swelling
        largest = self._largest_in_grid(size[self.bounded])
        if self.method == "sweep" or largest == 0.0:
            return [self._sweep(bounds, now)]
        is_large = size > largest
        # A hair above the exact bound, so that rounding cannot put a pair two cells apart.
        cell = 2.0 * largest * (1 + 1e-9)
        members = self.bounded[~is_large[self.bounded]]
        found = [self._run("near", kernels.grid_pairs, bounds, size, members, cell, now)]
        if len(members) < len(self.bounded):
            large = self.bounded[is_large[self.bounded]]
            args = (bounds, large, is_large, self.bounded, now)
            found.append(self._run("large", kernels.large_against_all, *args))
        return found

    def _largest_in_grid(self, size: Array) -> float:
        """Largest size [m] that goes into the grid; 0 when sizes are too different for one."""
        largest = float(size.max())
        if self.method == "grid":
            return largest
        middle = float(np.median(size))
        if largest <= ALIKE * middle:
            return largest
        few = max(4, int(np.sqrt(len(size))) // 2)
        rest = float(np.partition(size, len(size) - 1 - few)[len(size) - 1 - few])
        return rest if rest <= ALIKE * middle else 0.0

    def _sweep(self, bounds: Array, now: tuple[float, float]) -> Pairs:
        axis = int(np.argmax(bounds[self.bounded, :3].var(axis=0)))
        axes = [axis, (axis + 1) % 3, (axis + 2) % 3]
        centre = bounds[self.bounded][:, axes]
        half = bounds[self.bounded, 3:6][:, axes] + self._swelling[self.bounded, None]
        order = np.argsort(centre[:, 0] - half[:, 0], kind="stable")
        ends = np.hstack((centre - half, centre + half))[order]
        return self._run("near", kernels.sweep_pairs, bounds, self.bounded[order], ends, now)

    def _plane_data(self, placed: Placement) -> tuple[Array, Array]:
        """(normal, offset) of each half-space, and (pivot, angular speed)."""
        planes = self.planes
        normal = np.einsum("pij,pj->pi", placed.rotation[planes].reshape(-1, 3, 3), self.shapes.param[planes])
        offset = np.einsum("pi,pi->p", normal, placed.origin[planes])
        return np.column_stack((normal, offset)), np.column_stack((placed.origin[planes], placed.spin[planes]))

    def _run(self, name: str, function: Any, *args: Any) -> Pairs:
        """Run a kernel into the buffer `name`, growing it until everything fits."""
        if name not in self._buffers:
            self._buffers[name] = _buffer(8 * len(self._swelling) + 64)
        count = function(self.rules, *args, self._buffers[name])
        if count > len(self._buffers[name].first):
            self._buffers[name] = _buffer(count + count // 4)
            count = function(self.rules, *args, self._buffers[name])
        return Pairs(*(array[:count] for array in self._buffers[name]))


def _buffer(capacity: int) -> Pairs:
    return Pairs(np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64), np.empty(capacity))
