"""The part of a solid in a convex cell, and its division by a plane.

The surface of the part is a chain of triangles that closes: those of the solid, cut to the cell, and lids on the sides
of the cell. A lid is a fan from one point of its plane over the border it has to close; its triangles may overlap and
cancel, so no polygon has to be found, and volumes are exact all the same. Lids are never used as points of the part:
its corners are those of the cut triangles and the corners of the cell that are inside the solid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import ConvexHull as Hull
from scipy.spatial import QhullError

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.shapes.closed_surface import ClosedSurface
from signorini.model.shapes.convex_hull import FLATTEST

ON_PLANE = 1e-9
"""Points so near a plane are on it, relative to the size of the solid."""
THINNEST = 1e-7
"""Parts so thin are left out, relative to the size of the solid."""
NUDGE = 1e-6
"""How far a corner of a cell is moved into the cell before asking whether it is in the solid, relative."""


class Plane(NamedTuple):
    """The points x with normal . x = offset."""

    normal: Array
    offset: float


@dataclass(frozen=True, eq=False)
class Cell:
    """A convex cell and the part of the solid in it."""

    surface: ClosedSurface
    """Of the whole solid."""
    corners: Array
    """Of the cell [m], shape (corners, 3)."""
    inside: Any
    """Which corners belong to the part."""
    planes: tuple[Plane, ...]
    """Sides of the cell; it is below all of them."""
    chain: Array
    """Closed surface of the part [m], shape (triangles, 3, 3)."""
    real: Any
    """Which triangles of the chain are of the surface of the solid, not of lids."""

    @classmethod
    def around(cls, surface: ClosedSurface) -> Cell:
        """One that holds the whole solid."""
        points = surface.corners.reshape(-1, 3)
        reach = surface.size
        signs = np.array([[(k >> c & 1) * 2.0 - 1.0 for c in range(3)] for k in range(8)])
        none = np.zeros(8, dtype=np.bool_)
        real = np.ones(len(surface.corners), dtype=np.bool_)
        return cls(surface, points.mean(axis=0) + 2.0 * reach * signs, none, (), surface.corners, real)

    @cached_property
    def volume(self) -> float:
        """Of the part [m3]."""
        c = self.chain - self.chain.reshape(-1, 3).mean(axis=0)
        return float(np.einsum("ti,ti->", c[:, 0], np.cross(c[:, 1], c[:, 2]))) / 6.0

    @cached_property
    def points(self) -> Array:
        """Whose convex hull is that of the part, shape (points, 3)."""
        return np.vstack((self.chain[self.real].reshape(-1, 3), self.corners[self.inside]))

    @cached_property
    def hull(self) -> Any:
        """Of the part, by qhull; None where it is flat."""
        return hull_or_none(self.points)

    @property
    def is_flat(self) -> bool:
        """Whether the part is too thin to be a solid."""
        if self.hull is None or self.hull.volume <= FLATTEST * float(np.ptp(self.points, axis=0).max()) ** 3:
            return True
        return bool(2.0 * self.hull.volume < THINNEST * self.surface.size * self.hull.area)

    @cached_property
    def excess(self) -> float:
        """Volume of the hull that is not in the part [m3]."""
        return max(0.0, self.hull.volume - self.volume) if self.hull is not None else 0.0

    def halves(self, plane: Plane) -> tuple[Cell, Cell] | None:
        """The cells below and above a plane, None if all of the part is on one side."""
        tolerance = ON_PLANE * self.surface.size
        chain = cut(self.chain, self.real, plane, tolerance)
        if not (chain.below_real.any() and chain.above_real.any()):
            return None
        lid = lid_over(chain.below, plane, tolerance)
        made = np.zeros(len(lid), dtype=np.bool_)
        height = heights(self.corners, plane, tolerance)
        # Corners in the plane are asked again: the part may touch them on one side only.
        new = np.vstack((face_corners(self.corners, height, plane), self.corners[height == 0]))
        sides = (
            (height < 0, 1.0, chain.below, chain.below_real, lid),
            (height > 0, -1.0, chain.above, chain.above_real, lid[:, ::-1]),
        )
        result = [
            self._part(kept, new, Plane(sign * plane.normal, sign * plane.offset), triangles, real, (lids, made))
            for kept, sign, triangles, real, lids in sides
        ]
        return result[0], result[1]

    def _part(self, kept: Any, new: Array, side: Plane, triangles: Array, real: Any, lids: tuple[Array, Any]) -> Cell:
        corners = np.vstack((self.corners[kept], new))
        middle = corners.mean(axis=0)
        inside = self.surface.holds(new + NUDGE * (middle - new))
        return Cell(
            self.surface,
            corners,
            np.concatenate((self.inside[kept], inside)),
            (*self.planes, side),
            np.concatenate((triangles, lids[0])),
            np.concatenate((real, lids[1])),
        )


def hull_or_none(points: Array) -> Any:
    """Convex hull by qhull, None where the points are flat."""
    if len(points) < 4:
        return None
    try:
        return Hull(points)
    except QhullError:
        return None


def heights(points: Array, plane: Plane, tolerance: float) -> Array:
    """Above the plane [m]; 0 within the tolerance."""
    s = points @ plane.normal - plane.offset
    s[np.abs(s) < tolerance] = 0.0
    return np.asarray(s)


class Cut(NamedTuple):
    """Triangles on the two sides of a plane."""

    below: Array
    below_real: Any
    above: Array
    above_real: Any


def cut(triangles: Array, real: Any, plane: Plane, tolerance: float) -> Cut:
    """Triangles divided at a plane; those in it are on the side of the solid that they bound."""
    s = heights(triangles, plane, tolerance)
    low, high = (s < 0).sum(axis=1), (s > 0).sum(axis=1)
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) @ plane.normal
    flat_low = (low == 0) & (high == 0) & (normal > 0)
    is_low, is_high = ((high == 0) & (low > 0)) | flat_low, (low == 0) & ~flat_low
    both = ~is_low & ~is_high
    if not both.any():
        return Cut(triangles[is_low], real[is_low], triangles[is_high], real[is_high])
    # The corner that is alone on its side comes first.
    lone_low = low[both] == 1
    first = np.where(lone_low, s[both].argmin(axis=1), s[both].argmax(axis=1))
    order = (first[:, None] + np.arange(3)) % 3
    t, h = np.take_along_axis(triangles[both], order[:, :, None], axis=1), np.take_along_axis(s[both], order, axis=1)
    a, b, c = t[:, 0], t[:, 1], t[:, 2]
    x = a + (b - a) * (h[:, 0] / (h[:, 0] - h[:, 1]))[:, None]
    y = a + (c - a) * (h[:, 0] / (h[:, 0] - h[:, 2]))[:, None]
    lone, left, right = np.stack((a, x, y), axis=1), np.stack((x, b, c), axis=1), np.stack((x, c, y), axis=1)
    mine = real[both]
    whole_left, whole_right = h[:, 1] != 0, h[:, 2] != 0
    sides = []
    for whole, alone in ((is_low, lone_low), (is_high, ~lone_low)):
        keep_left, keep_right = ~alone & whole_left, ~alone & whole_right
        sides += [
            np.concatenate((triangles[whole], lone[alone], left[keep_left], right[keep_right])),
            np.concatenate((real[whole], mine[alone], mine[keep_left], mine[keep_right])),
        ]
    return Cut(*sides)


def lid_over(below: Array, plane: Plane, tolerance: float) -> Array:
    """Triangles in the plane that close a chain cut off at it; turned round they close the other side."""
    # What cutting leaves is on the plane to rounding, what was there to the tolerance.
    on = np.abs(below @ plane.normal - plane.offset) < 2.0 * tolerance
    starts, ends = [], []
    for k in range(3):
        edge = on[:, k] & on[:, (k + 1) % 3]
        starts.append(below[edge, k])
        ends.append(below[edge, (k + 1) % 3])
    start, end = np.concatenate(starts), np.concatenate(ends)
    if not len(start):
        return np.zeros((0, 3, 3))
    tip = np.broadcast_to(start[0], start.shape)
    fan = np.stack((end, start, tip), axis=1)
    area = np.linalg.norm(np.cross(fan[:, 1] - fan[:, 0], fan[:, 2] - fan[:, 0]), axis=1)
    return np.asarray(fan[area > 0])


def face_corners(corners: Array, height: Array, plane: Plane) -> Array:
    """Corners of the face that a plane cuts out of a convex cell."""
    low, high = corners[height < 0], corners[height > 0]
    if not (len(low) and len(high)):
        return np.zeros((0, 3))
    a, b = -height[height < 0][:, None, None], height[height > 0][None, :, None]
    crossing = ((low[:, None] * b + high[None] * a) / (a + b)).reshape(-1, 3)
    side = np.eye(3)[int(np.abs(plane.normal).argmin())]
    u = np.cross(plane.normal, side)
    u /= np.linalg.norm(u)
    try:
        kept = Hull(crossing @ np.stack((u, np.cross(plane.normal, u)), axis=1)).vertices
    except QhullError:
        return crossing
    return np.asarray(crossing[kept])
