"""Convex shapes as the general narrow phase sees them, in their own frames: support points, flat features, solids.

A feature towards a direction is the corners of what the shape shows there: one point, the two ends of a straight line,
or a face of three and more in order. Tilts up to `FLAT` still count, so that all of a manifold is seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from signorini.kernels.collision.hull import FLAT
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import ModelError

RIM_POINTS = 8
"""Corners of the polygon that stands for a round face."""
NO_NORMALS: Array = np.zeros((0, 3))


class ConvexForm(Protocol):
    """What the general narrow phase asks of a convex shape."""

    @property
    def normals(self) -> Array:
        """Outward unit normals of the flat faces, shape (faces, 3)."""

    @property
    def size(self) -> float:
        """Half the largest extent along an axis [m]."""

    def support(self, direction: Array) -> Array:
        """Farthest point along a direction, shape (3,)."""

    def extents(self, directions: Array) -> Array:
        """How far the shape reaches along each of many unit directions of shape (n, 3) [m], shape (n,)."""

    def feature(self, direction: Array) -> Array:
        """Corners of the feature towards a unit direction, shape (corners, 3)."""

    def plane_points(self, direction: Array) -> Array:
        """Points that may touch a plane lying towards a direction, always the same number, shape (points, 3)."""

    def solid(self, coal: Any) -> Any:
        """The shape for the library `coal`."""


def rim(radius: float, z: float, count: int, start: tuple[float, float] = (1.0, 0.0)) -> Array:
    """Points around a circle about the z axis, counter-clockwise from the unit vector `start`."""
    angle = 2.0 * np.pi * np.arange(count) / count + np.arctan2(start[1], start[0])
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle), np.full(count, z)))


def sideways(direction: Array) -> Array:
    """Unit vector of the x and y components; x where there are none."""
    length = float(np.hypot(direction[0], direction[1]))
    return np.array([direction[0] / length, direction[1] / length, 0.0]) if length > 1e-4 else np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class RoundForm:
    """Sphere, capsule and ellipsoid: no faces. A capsule shows a line sideways."""

    shape: Sphere | Capsule | Ellipsoid
    normals: Array = field(default_factory=lambda: NO_NORMALS)

    @property
    def size(self) -> float:
        """[m]."""
        return self.shape.bounding_radius()

    def support(self, direction: Array) -> Array:
        """Closed form."""
        unit = direction / np.linalg.norm(direction)
        match self.shape:
            case Ellipsoid(radii=radii):
                scaled = np.array(radii) * unit
                return np.asarray(np.array(radii) * scaled / np.linalg.norm(scaled))
            case Capsule(radius=radius, length=length):
                return np.asarray(radius * unit + np.array([0.0, 0.0, np.copysign(0.5 * length, unit[2])]))
            case _:
                return np.asarray(self.shape.radius * unit)

    def extents(self, directions: Array) -> Array:
        """Closed form."""
        match self.shape:
            case Ellipsoid(radii=radii):
                return np.asarray(np.linalg.norm(directions * np.array(radii), axis=1))
            case Capsule(radius=radius, length=length):
                return np.asarray(radius + 0.5 * length * np.abs(directions[:, 2]))
            case _:
                return np.full(len(directions), self.shape.radius)

    def feature(self, direction: Array) -> Array:
        """The line of a capsule seen from the side, else a point."""
        if isinstance(self.shape, Capsule) and abs(direction[2]) < FLAT:
            side = self.shape.radius * sideways(direction)
            half = np.array([0.0, 0.0, 0.5 * self.shape.length])
            return np.stack((side - half, side + half))
        return self.support(direction)[None]

    def plane_points(self, direction: Array) -> Array:
        """The support point."""
        return self.support(direction)[None]

    def solid(self, coal: Any) -> Any:
        """For coal."""
        match self.shape:
            case Ellipsoid(radii=radii):
                return coal.Ellipsoid(*radii)
            case Capsule(radius=radius, length=length):
                return coal.Capsule(radius, length)
            case _:
                return coal.Sphere(self.shape.radius)


@dataclass(frozen=True, eq=False)
class CylinderForm:
    """Two round faces and lines along the axis."""

    shape: Cylinder
    normals: Array = field(default_factory=lambda: np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))

    @property
    def size(self) -> float:
        """[m]."""
        return self.shape.bounding_radius()

    def support(self, direction: Array) -> Array:
        """On a rim."""
        z = np.copysign(0.5 * self.shape.length, direction[2])
        return np.asarray(self.shape.radius * sideways(direction) + np.array([0.0, 0.0, z]))

    def extents(self, directions: Array) -> Array:
        """Closed form."""
        across = np.hypot(directions[:, 0], directions[:, 1])
        return np.asarray(self.shape.radius * across + 0.5 * self.shape.length * np.abs(directions[:, 2]))

    def feature(self, direction: Array) -> Array:
        """A round face, a line, or a point of a rim."""
        r, half = self.shape.radius, 0.5 * self.shape.length
        if np.hypot(direction[0], direction[1]) < FLAT:
            return rim(r, float(np.copysign(half, direction[2])), RIM_POINTS)
        if abs(direction[2]) < FLAT:
            side = r * sideways(direction)
            return np.stack((side - np.array([0.0, 0.0, half]), side + np.array([0.0, 0.0, half])))
        return self.support(direction)[None]

    def plane_points(self, direction: Array) -> Array:
        """Four points of either rim, the first the nearest to the plane."""
        r, half, side = self.shape.radius, 0.5 * self.shape.length, sideways(direction)
        return np.vstack([rim(r, z, 4, (side[0], side[1])) for z in (-half, half)])

    def solid(self, coal: Any) -> Any:
        """For coal."""
        return coal.Cylinder(self.shape.radius, self.shape.length)


@dataclass(frozen=True, eq=False)
class ConeForm:
    """A round base and lines to the tip."""

    shape: Cone
    normals: Array = field(default_factory=lambda: np.array([[0.0, 0.0, -1.0]]))

    @property
    def size(self) -> float:
        """[m]."""
        return self.shape.bounding_radius()

    @property
    def tip(self) -> Array:
        """[m]."""
        return np.array([0.0, 0.0, 0.5 * self.shape.height])

    def support(self, direction: Array) -> Array:
        """The tip or a point of the rim."""
        edge = self.shape.radius * sideways(direction) - self.tip
        return self.tip if direction @ self.tip >= direction @ edge else np.asarray(edge)

    def extents(self, directions: Array) -> Array:
        """That of the tip or of the rim."""
        up = 0.5 * self.shape.height * directions[:, 2]
        return np.maximum(up, self.shape.radius * np.hypot(directions[:, 0], directions[:, 1]) - up)

    def feature(self, direction: Array) -> Array:
        """The base, a line from base to tip, or a point."""
        r, height = self.shape.radius, self.shape.height
        if direction[2] < 0 and np.hypot(direction[0], direction[1]) < FLAT:
            return rim(r, -0.5 * height, RIM_POINTS)
        side = sideways(direction)
        slope = (height * side + np.array([0.0, 0.0, r])) / np.hypot(height, r)
        if np.linalg.norm(direction - slope) < FLAT:
            return np.stack((r * side - self.tip, self.tip))
        return self.support(direction)[None]

    def plane_points(self, direction: Array) -> Array:
        """The tip and four points of the rim."""
        side = sideways(direction)
        return np.vstack((self.tip, rim(self.shape.radius, -0.5 * self.shape.height, 4, (side[0], side[1]))))

    def solid(self, coal: Any) -> Any:
        """For coal."""
        return coal.Cone(self.shape.radius, self.shape.height)


@dataclass(frozen=True, eq=False)
class PolyhedronForm:
    """Flat faces between corners."""

    corners: Array
    """[m], shape (corners, 3)."""
    triangles: Indices
    normals: Array
    faces: tuple[Indices, ...]
    """Corners of each face in order."""

    @cached_property
    def size(self) -> float:
        """[m]."""
        return 0.5 * float(np.ptp(self.corners, axis=0).max())

    @classmethod
    def of(cls, corners: Array, triangles: Indices) -> PolyhedronForm:
        """Joins the triangles that lie in one plane."""
        normals, faces = joined_faces(corners, triangles)
        return cls(corners, triangles, normals, faces)

    def support(self, direction: Array) -> Array:
        """A corner."""
        return np.asarray(self.corners[int(np.argmax(self.corners @ direction))])

    @cached_property
    def face_lists(self) -> tuple[Indices, Indices]:
        """Where the corners of each face begin in the list of all of them, and that list."""
        start = np.concatenate(([0], np.cumsum([len(face) for face in self.faces]))).astype(np.int64)
        return start, np.concatenate(self.faces).astype(np.int64)

    def extents(self, directions: Array) -> Array:
        """That of the farthest corner."""
        return np.asarray((directions @ self.corners.T).max(axis=1))

    def feature(self, direction: Array) -> Array:
        """A face, an edge or a corner."""
        towards = self.normals @ direction
        best = int(np.argmax(towards))
        if towards[best] > np.cos(FLAT):
            return np.asarray(self.corners[self.faces[best]])
        height = self.corners @ direction
        near = np.flatnonzero(height > height.max() - 2.0 * FLAT * self.size)
        if len(near) == 2 and abs(height[near[0]] - height[near[1]]) < FLAT * np.linalg.norm(
            self.corners[near[0]] - self.corners[near[1]]
        ):
            return np.asarray(self.corners[near])
        return self.support(direction)[None]

    def plane_points(self, direction: Array) -> Array:
        """All corners."""
        return self.corners

    def solid(self, coal: Any) -> Any:
        """For coal."""
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in self.corners:
            points.append(np.ascontiguousarray(corner))
        for a, b, c in self.triangles.tolist():
            triangles.append(coal.Triangle(a, b, c))
        return coal.Convex(points, triangles)


def joined_faces(corners: Array, triangles: Indices) -> tuple[Array, tuple[Indices, ...]]:
    """Normals and ordered corners of the flat faces of a convex polyhedron."""
    p = corners[triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    length = np.linalg.norm(normal, axis=1)
    size = float(np.ptp(corners, axis=0).max())
    order = np.argsort(-length, kind="stable")  # the largest triangle of a face gives the most exact normal
    normals: list[Array] = []
    faces: list[Indices] = []
    done = np.zeros(len(triangles), dtype=bool)
    for t in order:
        if done[t] or length[t] <= 1e-12 * size * size:
            continue
        n = normal[t] / length[t]
        height = corners @ n
        members = np.flatnonzero(height > height.max() - 1e-7 * size)
        done |= np.isin(triangles, members).all(axis=1)
        normals.append(n)
        faces.append(_around(corners, members, n))
    return np.array(normals), tuple(faces)


def _around(corners: Array, members: Indices, normal: Array) -> Indices:
    centre = corners[members].mean(axis=0)
    x = corners[members[0]] - centre
    y = np.cross(normal, x)
    angle = np.arctan2((corners[members] - centre) @ y, (corners[members] - centre) @ x)
    return np.asarray(members[np.argsort(angle, kind="stable")])


def box_form(half: Array) -> PolyhedronForm:
    """A box as a polyhedron."""
    signs = np.array([[(k >> c & 1) * 2.0 - 1.0 for c in range(3)] for k in range(8)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return PolyhedronForm.of(signs * half, triangles)


def form_of(shape: Shape) -> ConvexForm:
    """The form of any convex shape."""
    match shape:
        case Sphere() | Capsule() | Ellipsoid():
            return RoundForm(shape)
        case Cylinder():
            return CylinderForm(shape)
        case Cone():
            return ConeForm(shape)
        case Box():
            return box_form(0.5 * np.array(shape.size))
        case ConvexHull():
            return PolyhedronForm.of(shape.vertices, shape.triangles)
    raise ModelError(f"a {type(shape).__name__} is not convex, so it has no single convex form")
