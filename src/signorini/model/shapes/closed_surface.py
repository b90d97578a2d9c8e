"""A closed surface of triangles as the border of a solid: inside or outside, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.descriptor import MassProperties
from signorini.model.shapes.polyhedron import merged, solid_properties

CHUNK = 400_000
"""Pairs of a point and a triangle that are looked at at once."""


@dataclass(frozen=True, eq=False)
class ClosedSurface:
    """Triangles that bound a solid, counter-clockwise seen from outside; cavities have surfaces of their own."""

    corners: Array
    """[m], shape (triangles, 3, 3)."""
    triangles: Indices
    """Numbers of the corners; equal numbers are the same corner; shape (triangles, 3)."""

    @classmethod
    def of(cls, vertices: Array, triangles: Indices) -> ClosedSurface:
        """Triangles without area are left out."""
        corners = vertices[triangles]
        size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        kept = area > 1e-14 * size * size
        return cls(np.ascontiguousarray(corners[kept]), merged(vertices, triangles)[kept])

    @cached_property
    def normals(self) -> Array:
        """Unit normals, outwards, shape (triangles, 3)."""
        n = np.cross(self.corners[:, 1] - self.corners[:, 0], self.corners[:, 2] - self.corners[:, 0])
        return np.asarray(n / np.linalg.norm(n, axis=1, keepdims=True))

    @cached_property
    def areas(self) -> Array:
        """[m2], shape (triangles,)."""
        n = np.cross(self.corners[:, 1] - self.corners[:, 0], self.corners[:, 2] - self.corners[:, 0])
        return np.asarray(0.5 * np.linalg.norm(n, axis=1))

    @cached_property
    def thickness(self) -> float:
        """Twice the volume over the area [m]: that of a thin plate, the radius of a slender rod."""
        return 2.0 * self.solid.volume / float(self.areas.sum())

    @cached_property
    def solid(self) -> MassProperties:
        """Of the solid inside."""
        points = self.corners.reshape(-1, 3)
        return solid_properties(points, np.arange(len(points)).reshape(-1, 3))

    @cached_property
    def size(self) -> float:
        """Diameter of the ball about the middle of the corners that holds them [m]; does not change in rotations."""
        points = self.corners.reshape(-1, 3)
        middle = self.areas @ self.corners.mean(axis=1) / self.areas.sum()
        return 2.0 * float(np.linalg.norm(points - middle, axis=1).max())

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        points = self.corners.reshape(-1, 3)
        return points.min(axis=0), points.max(axis=0)

    @cached_property
    def _balls(self) -> tuple[Array, Array]:
        """Around the triangles: centres and radii."""
        centre = self.corners.mean(axis=1)
        return centre, np.linalg.norm(self.corners - centre[:, None], axis=2).max(axis=1)

    def holds(self, points: Array) -> Any:
        """Which points are inside, by the winding number of the surface around them; shape (points,)."""
        low, high = self._box
        near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        result = np.zeros(len(points), dtype=np.bool_)
        step = max(1, CHUNK // len(self.corners))
        for start in range(0, len(near), step):
            some = near[start : start + step]
            result[some] = winding_number(points[some], self.corners) > 0.5
        return result

    def height(self, points: Array) -> Array:
        """How far points are above the surface [m], below it negative; shape (points,)."""
        result = np.empty(len(points))
        step = max(1, CHUNK // len(self.corners))
        for start in range(0, len(points), step):
            result[start : start + step] = self._height(points[start : start + step])
        return result

    def _height(self, points: Array) -> Array:
        centre, radius = self._balls
        to_centre = cdist(points, centre)
        # The nearest centre is no nearer than the surface: triangles whose balls are beyond it are not asked.
        bound = to_centre.min(axis=1) * (1 + 1e-9)
        point, triangle = np.nonzero(to_centre - radius <= bound[:, None])
        distance, over = point_triangle(points[point], self.corners[triangle], self.normals[triangle])
        starts = np.searchsorted(point, np.arange(len(points)))
        least = np.minimum.reduceat(distance, starts)
        # Several triangles are equally near an edge or a corner: that which the point is most in front of or behind
        # tells the side.
        over = np.where(distance <= least[point] * (1 + 1e-9) + 1e-300, over, 0.0)
        behind = -np.minimum.reduceat(over, starts) > np.maximum.reduceat(over, starts)
        return np.where(behind, -least, least)


def winding_number(points: Array, corners: Array) -> Array:
    """Solid angle of the triangles seen from each point over 4 pi: 1 inside a closed surface, 0 outside.

    Of a triangle a, b, c seen from the origin: tan(angle/2) = a.(b x c) / (abc + (a.b)c + (b.c)a + (c.a)b).
    """
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    x, y, z = (np.sqrt(np.einsum("pti,pti->pt", v, v)) for v in (a, b, c))
    above = np.einsum("pti,pti->pt", a, np.cross(b, c))
    below = x * y * z
    for u, v, w in ((a, b, z), (b, c, x), (c, a, y)):
        below += np.einsum("pti,pti->pt", u, v) * w
    return np.asarray(np.arctan2(above, below).sum(axis=1) / (2.0 * np.pi))


def point_triangle(points: Array, corners: Array, normals: Array) -> tuple[Array, Array]:
    """Distances of points from triangles, one by one, and how far they are in front of their planes [m]."""
    over = np.einsum("pi,pi->p", points - corners[:, 0], normals)
    square = np.full(len(points), np.inf)
    within = np.ones(len(points), dtype=np.bool_)
    for k in range(3):
        off, along = points - corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        within &= np.einsum("pi,pi->p", off, np.cross(normals, along)) >= 0
        t = np.clip(np.einsum("pi,pi->p", off, along) / np.einsum("pi,pi->p", along, along), 0.0, 1.0)
        off -= t[:, None] * along
        np.minimum(square, np.einsum("pi,pi->p", off, off), out=square)
    return np.where(within, np.abs(over), np.sqrt(square)), over
