"""Polygons with holes, and triangles that fill them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.checks import numbers
from signorini.problem.errors import ModelError

MOST_CORNERS = 5000
"""Of an outline with its holes: filling takes time with their square."""


@dataclass(frozen=True, eq=False)
class Polygon:
    """Loops of corners in a plane: the outline counter-clockwise, holes clockwise."""

    points: Array
    """[m], shape (n, 2)."""
    loops: tuple[Indices, ...]
    """Places in `points` of the outline, then of each hole."""

    @classmethod
    def of(cls, outline: Any, holes: Any = ()) -> Polygon:
        """Of what a user typed, checked; either sense of turning, the last corner may repeat the first."""
        given = [_corners(outline, "outline")] + [_corners(hole, f"hole {k}") for k, hole in enumerate(holes)]
        if sum(map(len, given)) > MOST_CORNERS:
            raise ModelError(f"the outline has {sum(map(len, given))} corners, expected at most {MOST_CORNERS}")
        turned = [loop if (area(loop) > 0) == (k == 0) else loop[::-1] for k, loop in enumerate(given)]
        first = np.cumsum([0, *map(len, turned)])
        loops = tuple(np.arange(a, b) for a, b in pairwise(first.tolist()))
        polygon = cls(np.concatenate(turned), loops)
        polygon._check()
        return polygon

    @property
    def edges(self) -> Indices:
        """(start, end) of each edge, shape (n, 2)."""
        return np.concatenate([np.column_stack((loop, np.roll(loop, -1))) for loop in self.loops])

    def triangles(self) -> Indices:
        """That fill it, counter-clockwise, shape (t, 3)."""
        loop = self.loops[0].tolist()
        for hole in sorted(self.loops[1:], key=lambda hole: -float(self.points[hole, 0].max())):
            loop = self._joined(loop, hole.tolist())
        return _clipped(self.points, loop)

    def _joined(self, loop: list[int], hole: list[int]) -> list[int]:
        """One loop that runs to the hole, around it and back."""
        start = int(np.argmax(self.points[hole, 0]))
        m = self.points[hole[start]]
        edges = self.points[self.edges]
        for at in np.argsort(np.linalg.norm(self.points[loop] - m, axis=1)).tolist():
            before, here, after = loop[at - 1], loop[at], loop[(at + 1) % len(loop)]
            if _in_cone(self.points[[before, here, after]], m) and not _crosses(m, self.points[here], edges).any():
                return [*loop[: at + 1], *hole[start:], *hole[: start + 1], *loop[at:]]
        raise ModelError(
            "a hole is outside of the outline, or touches it: expected holes inside, apart from one another"
        )

    def _check(self) -> None:
        edges = self.points[self.edges]
        for k, (a, b) in enumerate(edges):
            if _crosses(a, b, edges[k + 1 :]).any():
                raise ModelError(
                    f"an outline crosses or touches itself at its edge {k}, from {a.tolist()} to {b.tolist()}"
                )
        for hole in self.loops[1:]:
            if not _inside(self.points[hole[0]], self.points[self.loops[0]]):
                raise ModelError("a hole is outside of the outline")


def area(loop: Array) -> float:
    """Of a loop of corners, > 0 counter-clockwise [m2]."""
    x, y = (loop - loop[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _corners(value: Any, what: str) -> Array:
    given = numbers(value, what)
    if given.ndim != 2 or given.shape[1] != 2:
        raise ModelError(f"{what} has shape {given.shape}, expected (corners, 2)")
    if not np.isfinite(given).all():
        raise ModelError(f"{what} has corners that are not finite")
    if len(given) > 1 and np.array_equal(given[0], given[-1]):
        given = given[:-1]
    if len(given) < 3 or len(np.unique(given, axis=0)) < len(given):
        raise ModelError(f"{what} has {len(given)} corners, expected three or more, all different")
    size = float(np.ptp(given, axis=0).max())
    if abs(area(given)) < 1e-12 * size**2:
        raise ModelError(f"{what} has no area: its corners lie on one line")
    return given


def _turn(a: Array, b: Array, c: Array) -> Any:
    """> 0 where a, b, c turn counter-clockwise."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def _crosses(a: Array, b: Array, edges: Array) -> Any:
    """Which edges the segment from a to b meets, but for edges that end in a or b."""
    c, d = edges[:, 0], edges[:, 1]
    shared = [np.all(end == corner, axis=1) for end in (c, d) for corner in (a, b)]
    one, two = _turn(a, b, c), _turn(a, b, d)
    three, four = _turn(c, d, a), _turn(c, d, b)
    low, high = np.minimum(a, b), np.maximum(a, b)
    apart = (np.maximum(c, d) < low).any(axis=1) | (np.minimum(c, d) > high).any(axis=1)
    return (one * two <= 0) & (three * four <= 0) & ~apart & ~np.any(shared, axis=0)


def _in_cone(corner: Array, point: Array) -> bool:
    """Whether a point lies inside the angle at the middle one of three successive corners."""
    a, b, c = corner
    if _turn(a, b, c) > 0:
        return bool(_turn(a, b, point) > 0 and _turn(b, c, point) > 0)
    return bool(_turn(a, b, point) > 0 or _turn(b, c, point) > 0)


def _inside(point: Array, loop: Array) -> bool:
    """Whether a point is inside a loop: an odd number of edges to its right."""
    a, b = loop, np.roll(loop, -1, axis=0)
    spans = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        x = a[:, 0] + (point[1] - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
    return bool(np.count_nonzero(spans & (x > point[0])) % 2)


def _clipped(points: Array, loop: list[int]) -> Indices:
    """Triangles of one loop, an ear at a time."""
    rest, result = list(loop), []
    while len(rest) > 3:
        at = _ear(points, rest)
        result.append((rest[at - 1], rest[at], rest[(at + 1) % len(rest)]))
        del rest[at]
    return np.array([*result, tuple(rest)], dtype=np.int64)


def _ear(points: Array, loop: list[int]) -> int:
    """Place of the corner that can be cut off: the one that leaves the roundest triangle among the first few."""
    corners = points[loop]
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    bend = _turn(before, corners, after)
    reflex = corners[bend <= 0]
    for at in np.flatnonzero(bend > 0).tolist():
        a, b, c = before[at], corners[at], after[at]
        own = (reflex == a).all(axis=1) | (reflex == b).all(axis=1) | (reflex == c).all(axis=1)
        others = reflex[~own]
        held = (_turn(a, b, others) >= 0) & (_turn(b, c, others) >= 0) & (_turn(c, a, others) >= 0)
        if not held.any():
            return at
    flat = np.flatnonzero(bend == 0)
    if len(flat):
        return int(flat[0])
    raise ModelError("the outline cannot be filled with triangles: its corners are too close to one another")
