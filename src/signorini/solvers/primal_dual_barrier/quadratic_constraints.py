"""The constraints of the barrier, each a half-line or a Coulomb cone of `xi = sign * x + offset` row by row.

For cones alone xi is x. An interval has one half-line for each finite end, so two rows of xi for one of x; a rolling
block has three cones that share their normal. The loops of `interior/barrier.py` work on xi only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from signorini.kernels.cones import general_blocks as kinds
from signorini.math.sparse import Array, Indices
from signorini.problem.cones import Mask


@dataclass(frozen=True, eq=False)
class QuadraticConstraints:
    """See the module; `x` has further rows for joints, which no constraint touches."""

    start: Indices
    """First row of xi of each constraint, then the number of rows."""
    friction: Array
    """mu of each constraint."""
    source: Indices
    """Row of x of each row of xi."""
    sign: Array
    """-1 in the upper ends of intervals."""
    offset: Array
    is_end: Mask
    """Which constraints are ends of intervals."""
    entry: Indices
    """Place in the packed blocks over x of each entry of the packed blocks over xi."""
    entries: int
    """Size of the packed blocks over x."""
    simple: bool
    """Whether xi is x."""

    @classmethod
    def plain(cls, start: Indices, friction: Array) -> Self:
        """Of cones alone."""
        rows, dims = int(start[-1]), np.diff(start)
        entries = int((dims * dims).sum())
        return cls(
            start,
            friction,
            np.arange(rows),
            np.ones(rows),
            np.zeros(rows),
            np.zeros(len(friction), dtype=bool),
            np.arange(entries),
            entries,
            simple=True,
        )

    @classmethod
    def of(cls, start: Indices, kept: Indices, problem_start: Indices, table: Array) -> Self:
        """Of blocks of all kinds: `table` of the problem in units of x, whose rows `kept` x has, in blocks `start`."""
        made = _WallList(start, kept, int(problem_start[-1]))
        for i in range(len(table)):
            first, last, block = int(problem_start[i]), int(problem_start[i + 1]), table[i]
            if block[kinds.KIND] == kinds.INTERVAL:
                made.interval(first, float(block[kinds.LOW]), float(block[kinds.HIGH]))
            elif block[kinds.KIND] == kinds.ROLLING:
                made.cone(first, range(first + 1, first + 3), float(block[kinds.MU]))
                made.cone(first, range(first + 3, first + 4), float(block[kinds.SPIN]))
                made.cone(first, range(first + 4, first + 6), float(block[kinds.ROLL]))
            else:
                made.cone(first, range(first + 1, last), float(block[kinds.MU]))
        dims = np.diff(start)
        return cls(*made.arrays(), entries=int((dims * dims).sum()), simple=False)

    @property
    def count(self) -> int:
        """Number of constraints."""
        return len(self.friction)

    @property
    def normals(self) -> Indices:
        """Rows of x that are normals."""
        return self.source[self.start[:-1]]

    def inside(self, x: Array, size: float) -> Array:
        """x, which lies inside the constraints or on them, moved inside by `size`, or to the middle of a narrow
        interval."""
        moved, first = x.copy(), self.start[:-1]
        if self.simple:
            moved[first] += size
            return moved
        single = np.diff(self.start) == 1
        up, down = (single & (self.sign[first] == side) for side in (1.0, -1.0))
        low, high = np.full(len(x), -np.inf), np.full(len(x), np.inf)
        low[self.normals[up]] = -self.offset[first[up]]
        high[self.normals[down]] = self.offset[first[down]]
        margin = np.minimum(size, 0.5 * (high - low))
        moved[:] = np.minimum(np.maximum(moved, low + margin), high - margin)
        moved[np.unique(self.normals[~single])] += size
        return moved

    def xi(self, x: Array) -> Array:
        """The point as the constraints see it."""
        return x if self.simple else self.sign * x[self.source] + self.offset

    def along(self, dx: Array) -> Array:
        """A direction as the constraints see it."""
        return dx if self.simple else self.sign * dx[self.source]

    def push(self, force: Array, out: Array) -> None:
        """out += what forces on the rows of xi are on the rows of x."""
        if self.simple:
            out[: len(force)] += force
        else:
            np.add.at(out, self.source, self.sign * force)

    def fold(self, blocks: Array) -> Array:
        """Packed symmetric blocks over x from those over xi (only half-lines have a sign, and its square is 1)."""
        if self.simple:
            return blocks
        folded = np.zeros(self.entries)
        np.add.at(folded, self.entry, blocks)
        return folded


class _WallList:
    """Collects constraints."""

    def __init__(self, start: Indices, kept: Indices, rows: int) -> None:
        self._of_row = np.full(rows, -1)
        self._of_row[kept] = np.arange(len(kept))
        dims = np.diff(start)
        self._block = np.repeat(np.arange(len(dims)), dims)
        self._start, self._dims = start, dims
        self._packed = np.concatenate(([0], np.cumsum(dims * dims)))
        self.start, self.friction = [0], list[float]()
        self.source, self.sign, self.offset = list[int](), list[float](), list[float]()
        self.is_end, self.entry = list[bool](), list[int]()

    def cone(self, normal: int, tangents: range, mu: float) -> None:
        """`mu n >= |t|`; tangents of mu = 0 are no unknowns."""
        rows = [normal, *tangents] if mu > 0 else [normal]
        self._add(rows, mu if len(rows) > 1 else 0.0)

    def interval(self, row: int, low: float, high: float) -> None:
        """Without width it is no unknown."""
        if self._of_row[row] < 0:
            return
        if np.isfinite(low):
            self._add([row], 0.0, 1.0, -low, is_end=True)
        if np.isfinite(high):
            self._add([row], 0.0, -1.0, high, is_end=True)

    def _add(self, rows: list[int], mu: float, sign: float = 1.0, offset: float = 0.0, is_end: bool = False) -> None:
        mine = self._of_row[rows]
        block = self._block[mine[0]]
        local, d = mine - self._start[block], self._dims[block]
        self.entry += (self._packed[block] + local[:, None] * d + local).reshape(-1).tolist()
        self.source += mine.tolist()
        self.sign += [sign] * len(rows)
        self.offset += [offset] * len(rows)
        self.friction.append(mu)
        self.is_end.append(is_end)
        self.start.append(self.start[-1] + len(rows))

    def arrays(self) -> tuple[Indices, Array, Indices, Array, Array, Mask, Indices]:
        return (
            np.array(self.start, dtype=np.int64), np.array(self.friction), np.array(self.source, dtype=np.int64),
            np.array(self.sign), np.array(self.offset), np.array(self.is_end, dtype=bool),
            np.array(self.entry, dtype=np.int64),
        )  # fmt: skip
