"""A closed surface of triangles as the border of a solid: inside or outside, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.shapes.polyhedron import merged, solid_properties
from signorini.model.shapes.shape import MassProperties

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
    def solid(self) -> MassProperties:
        """Of the solid inside."""
        points = self.corners.reshape(-1, 3)
        return solid_properties(points, np.arange(len(points)).reshape(-1, 3))

    @cached_property
    def size(self) -> float:
        """Diameter of the ball about the middle of the corners that holds them [m]; does not change in rotations."""
        points = self.corners.reshape(-1, 3)
        weights = np.repeat(np.linalg.norm(np.cross(*np.diff(self.corners, axis=1).swapaxes(0, 1)), axis=1), 3)
        middle = weights @ points / weights.sum()
        return 2.0 * float(np.linalg.norm(points - middle, axis=1).max())

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        return self.corners.min(axis=1), self.corners.max(axis=1)

    def holds(self, points: Array) -> Any:
        """Which points are inside, by the winding number of the surface around them; shape (points,)."""
        result = np.zeros(len(points), dtype=np.bool_)
        step = max(1, CHUNK // len(self.corners))
        for start in range(0, len(points), step):
            result[start : start + step] = winding_number(points[start : start + step], self.corners) > 0.5
        return result

    def height(self, points: Array, low: Array, high: Array) -> Array:
        """How far points of the box low..high are above the surface [m], below it negative; shape (points,).

        Triangles far from the box are looked at only where those near it do not decide.
        """
        reach = 0.25 * float((high - low).max())
        near = ((self._boxes[0] <= high + reach) & (self._boxes[1] >= low - reach)).all(axis=1)
        if not near.any():
            return self._height(points, np.ones_like(near))
        result = self._height(points, near)
        open_ = np.abs(result) > reach
        if open_.any() and not near.all():
            result[open_] = self._height(points[open_], np.ones_like(near))
        return result

    def _height(self, points: Array, chosen: Any) -> Array:
        corners, normals = self.corners[chosen], self.normals[chosen]
        result = np.empty(len(points))
        step = max(1, CHUNK // len(corners))
        for start in range(0, len(points), step):
            result[start : start + step] = signed_distance(points[start : start + step], corners, normals)
        return result


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


def signed_distance(points: Array, corners: Array, normals: Array) -> Array:
    """Distance to the nearest triangle, negative behind it.

    Where an edge or a corner is nearest, several triangles are equally near: that which the point is most in front of
    or behind of tells the side.
    """
    away = points[:, None] - corners[None, :, 0]
    over = np.einsum("pti,ti->pt", away, normals)
    square = np.full(over.shape, np.inf)
    within = np.ones(over.shape, dtype=np.bool_)
    for k in range(3):
        start, along = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        d = away if k == 0 else points[:, None] - start[None]
        t = np.clip(np.einsum("pti,ti->pt", d, along) / np.einsum("ti,ti->t", along, along), 0.0, 1.0)
        off = d - t[:, :, None] * along[None]
        np.minimum(square, np.einsum("pti,pti->pt", off, off), out=square)
        within &= np.einsum("pti,ti->pt", d, np.cross(normals, along)) >= 0
    distance = np.where(within, np.abs(over), np.sqrt(square))
    least = distance.min(axis=1, keepdims=True)
    front = np.where(distance <= least * (1 + 1e-9) + 1e-300, over, 0.0)
    deciding = np.take_along_axis(front, np.abs(front).argmax(axis=1)[:, None], axis=1)
    return np.asarray(np.where(deciding < 0, -least, least)[:, 0])
