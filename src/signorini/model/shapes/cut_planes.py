"""Planes along which a solid that is not convex may be cut: through its reflex edges, and across its main axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.shapes.closed_surface import ClosedSurface
from signorini.model.shapes.convex_cell import Cell, Plane

FLATTEST_ANGLE = 1e-6
"""Edges whose faces turn by less [rad] are no edges."""
SAME_NORMAL = 1e-6
"""Planes whose normals differ by less, and whose offsets differ by less relative to the size, are one."""
ALIKE = 0.98
"""Cosine of the angle from which on two planes that are also close are alike: one of them is tried."""
CLOSE = 0.05
"""Distance below which two such planes are close, relative to the size of the part."""


@dataclass(frozen=True, eq=False)
class ReflexEdges:
    """Edges at which the solid is not convex."""

    start: Array
    """[m], shape (edges, 3)."""
    end: Array
    first: Array
    """Unit normal of one of its faces, shape (edges, 3)."""
    second: Array

    @classmethod
    def of(cls, surface: ClosedSurface) -> ReflexEdges:
        """Edges between two triangles that turn towards each other."""
        one, other, start, end = neighbours(surface.triangles)
        n, m = surface.normals[one], surface.normals[other]
        edge = surface.corners[one, (start + 1) % 3] - surface.corners[one, start]
        # Both triangles turn left about their normals, so n x m runs along a bulging edge and against a reflex one.
        turn = np.einsum("ei,ei->e", np.cross(n, m), edge) / np.linalg.norm(edge, axis=1)
        kept = turn < -FLATTEST_ANGLE
        a, b = surface.corners[one, start], surface.corners[one, end]
        return cls(a[kept], b[kept], n[kept], m[kept])

    def within(self, cell: Cell, tolerance: float) -> tuple[Indices, Array]:
        """Those that pass through the inside of a cell, and the length that does [m]."""
        low, high = np.zeros(len(self.start)), np.ones(len(self.start))
        outside = np.zeros(len(self.start), dtype=np.bool_)
        for plane in cell.planes:
            a, b = self.start @ plane.normal - plane.offset, self.end @ plane.normal - plane.offset
            # An edge in a side of the cell is resolved.
            outside |= (a > -tolerance) & (b > -tolerance)
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.where(a == b, 0.5, a / (a - b))
            high = np.where((b > 0) & (a <= 0), np.minimum(high, t), high)
            low = np.where((a > 0) & (b <= 0), np.maximum(low, t), low)
        length = np.linalg.norm(self.end - self.start, axis=1) * (high - low)
        kept = np.flatnonzero(~outside & (length > tolerance))
        return kept, length[kept]

    def face_planes(self, chosen: Indices, weight: Array, size: float) -> list[Plane]:
        """The different planes of the faces at edges, those of the heaviest edges first."""
        normals = np.vstack((self.first[chosen], self.second[chosen]))
        points = np.vstack((self.start[chosen], self.start[chosen]))
        return distinct(normals, points, np.concatenate((weight, weight)), size)

    def bisectors(self, chosen: Indices, weight: Array, size: float) -> list[Plane]:
        """The planes half-way between the faces at edges, those of the heaviest edges first."""
        normals = self.first[chosen] - self.second[chosen]
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return distinct(normals, self.start[chosen], weight, size)


def neighbours(triangles: Indices) -> tuple[Indices, Indices, Indices, Indices]:
    """Pairs of triangles with a common edge run through in both directions, and the edge's ends in the first."""
    seen: dict[tuple[int, int], list[int]] = {}
    rows = []
    for t, corners in enumerate(triangles.tolist()):
        for k in range(3):
            a, b = corners[k], corners[(k + 1) % 3]
            waiting = seen.get((b, a))
            if waiting:
                rows.append((t, waiting.pop(), k, (k + 1) % 3))
            else:
                seen.setdefault((a, b), []).append(t)
    one, other, start, end = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return one, other, start, end


def distinct(normals: Array, points: Array, weight: Array, size: float) -> list[Plane]:
    """Planes without repeats, those with the largest sum of weights first."""
    if not len(normals):
        return []
    offset = np.einsum("pi,pi->p", normals, points)
    # The same plane seen from its two sides is one: the normal that leans to a direction that no plane is made along.
    lean = normals @ np.array([1.0, 0.618034, 0.381966])
    sign = np.where(lean < 0, -1.0, 1.0)
    rows = np.column_stack((normals, offset / size)) * sign[:, None]
    _, place = np.unique(np.round(rows / SAME_NORMAL), axis=0, return_inverse=True)
    place = place.reshape(-1)
    total = np.bincount(place, weights=weight)
    first = np.full(len(total), -1, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    # Ties in the order of the edges: sums are rounded to leave rounding out of it.
    order = np.lexsort((first, -np.round(total / total.max(), 9)))
    return [Plane(rows[first[k], :3], float(rows[first[k], 3]) * size) for k in order]


def spread(planes: list[Plane], most: int, size: float) -> list[Plane]:
    """The first planes, without those almost like earlier ones, at most `most`."""
    kept: list[Plane] = []
    for plane in planes:
        if len(kept) == most:
            break
        alike = (
            abs(float(plane.normal @ other.normal)) > ALIKE
            and abs(plane.offset - np.sign(float(plane.normal @ other.normal)) * other.offset) < CLOSE * size
            for other in kept
        )
        if not any(alike):
            kept.append(plane)
    return kept


def axis_planes(cell: Cell) -> list[Plane]:
    """Across the main axes of the surface of the part in a cell, half-way between the ends of the part."""
    c = cell.chain[cell.real]
    points, weight = c.mean(axis=1), np.linalg.norm(np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0]), axis=1)
    middle = weight @ points / weight.sum()
    off = points - middle
    _, axes = np.linalg.eigh(np.einsum("p,pi,pj->ij", weight, off, off))
    planes = []
    for axis in axes.T[::-1]:
        along = cell.points @ axis
        planes.append(Plane(axis, 0.5 * float(along.min() + along.max())))
    return planes


def cell_faces(cell: Cell) -> list[Plane]:
    """The different planes of the solid's surface in a cell, those of the largest faces first."""
    c = cell.chain[cell.real]
    n = np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0])
    length = np.linalg.norm(n, axis=1)
    kept = length > FLATTEST_ANGLE * length.max()
    return distinct(n[kept] / length[kept, None], c[kept, 0], length[kept], cell.surface.size)
