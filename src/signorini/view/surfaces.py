"""Shapes as triangles with normals, and half-spaces as the part of their plane that a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import ConvexHull as Hull

from signorini.math.sparse import Array, Indices
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.height_field import HeightField
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.triangle_mesh import TriangleMesh

AROUND, ARC = 20, 7
"""Corners around an axis, and along a quarter of a circle."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in the frame of a shape."""

    corners: Array
    """[m], shape (triangles, 3, 3)."""
    normals: Array
    """At the corners, out of the solid, any length, shape (triangles, 3, 3)."""
    closed: bool = True
    """Whether what faces away from the viewer is hidden by what faces it."""


def surface_of(shape: Shape) -> Surface | None:
    """The triangles of a shape, None where it is drawn in another way."""
    match shape:
        case Box():
            half = 0.5 * np.asarray(shape.size)
            signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
            return _hull(signs * half)
        case Capsule():
            # The side alone: the picture adds a ball at each end.
            r, z = shape.radius, 0.5 * shape.length
            return _turned(np.array([[r, z], [r, -z]]), np.array([[1.0, 0.0], [1.0, 0.0]]))
        case Cylinder():
            r, z = shape.radius, 0.5 * shape.length
            return _flat(_turned(np.array([[0.0, z], [r, z], [r, -z], [0.0, -z]])))
        case Cone():
            r, z = shape.radius, 0.5 * shape.height
            return _flat(_turned(np.array([[0.0, z], [r, -z], [0.0, -z]])))
        case Ellipsoid():
            angle = np.linspace(0.0, np.pi, 2 * ARC)
            circle = np.column_stack([np.sin(angle), np.cos(angle)])
            unit, radii = _turned(circle, circle), np.asarray(shape.radii)
            return Surface(unit.corners * radii, unit.normals / radii)
        case ConvexHull():
            return _mesh(shape.vertices, shape.triangles)
        case TriangleMesh():
            return replace(_mesh(np.asarray(shape.vertices), np.asarray(shape.triangles)), closed=False)
        case HeightField():
            return replace(_mesh(shape.vertices(), shape.triangles()), closed=False)
        case _:
            return None


def _mesh(vertices: Array, triangles: Indices) -> Surface:
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return Surface(corners, np.repeat(normal[:, None], 3, axis=1))


def _hull(points: Array) -> Surface:
    hull = Hull(points)
    normals = hull.equations[:, :3]
    return Surface(points[hull.simplices], np.repeat(normals[:, None], 3, axis=1))


def _flat(surface: Surface) -> Surface:
    """The same triangles with one normal each."""
    return _mesh(surface.corners.reshape(-1, 3), np.arange(3 * len(surface.corners), dtype=np.int64).reshape(-1, 3))


def _turned(profile: Array, normals: Array | None = None) -> Surface:
    """The surface that a profile (radius, z) sweeps about the z axis."""
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1)

    def sweep(curve: Array) -> Array:
        swept = np.empty((len(curve), AROUND + 1, 3))
        swept[..., :2] = curve[:, None, :1] * ring
        swept[..., 2] = curve[:, 1:]
        return swept

    corners, directions = _quads(sweep(profile)), _quads(sweep(profile if normals is None else normals))
    return Surface(corners, directions)


def _quads(grid: Array) -> Array:
    """Two triangles for each cell of a grid of points, shape (triangles, 3, 3)."""
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(t, axis=-2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])


@dataclass(frozen=True, eq=False)
class Plane:
    """The boundary of a half-space in the world: points x with `normal . x = offset`."""

    normal: Array
    offset: float

    def clip(self, polygon: Array) -> Array:
        """The part of a polygon outside the solid, where `normal . x >= offset`."""
        if not len(polygon):
            return polygon
        height = polygon @ self.normal - self.offset
        height = np.where(np.abs(height) < 1e-9, 0.0, height)
        kept = []
        for k in range(len(polygon)):
            here, there = polygon[k - 1], polygon[k]
            below, above = height[k - 1], height[k]
            if below * above < 0:
                kept.append(here + below / (below - above) * (there - here))
            if above >= 0:
                kept.append(there)
        return np.array(kept).reshape(-1, 3)


def visible_part(plane: Plane, others: Sequence[Plane], low: Array, high: Array) -> Array:
    """The corners of the part of a plane within the box from `low` to `high` and outside the other solids."""
    middle = 0.5 * (low + high)
    centre = middle - (middle @ plane.normal - plane.offset) * plane.normal
    one = np.cross(plane.normal, np.eye(3)[np.argmin(np.abs(plane.normal))])
    one /= np.linalg.norm(one)
    two = np.cross(plane.normal, one)
    reach = 2.0 * float(np.linalg.norm(high - low)) + float(np.abs(centre - middle).max())
    polygon = centre + reach * np.array([one + two, two - one, -one - two, one - two])
    sides = [
        Plane(sign * e, sign * edge[k]) for sign, edge in ((1.0, low), (-1.0, high)) for k, e in enumerate(np.eye(3))
    ]
    for other in (*sides, *others):
        if other is not plane:
            polygon = other.clip(polygon)
    return polygon
