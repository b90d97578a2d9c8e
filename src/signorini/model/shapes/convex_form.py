"""Convex shapes as the general narrow phase sees them, in their own frames: support points, flat features, solids.

A feature towards a direction is the corners of what the shape shows there: one point, the two ends of a straight line,
or a face of three and more in order. Tilts up to `FLAT` still count, so that all of a manifold is seen.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

import numpy as np

from signorini.kernels.collision.round_face import AROUND
from signorini.math.sparse import Array
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.convex_hull import hull_of
from signorini.model.shapes.descriptor import BoundingBox, SharpFeatures, SignedDistance, SurfaceMesh
from signorini.model.shapes.shape import Shape

NO_NORMALS: Array = np.zeros((0, 3))
AXIAL = 1e-12
"""Sine of the angle to its axis below which a direction has no side of a shape of revolution."""
MESH_POINTS = 400
"""Support points whose hull stands for a shape that has no triangles of its own."""


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

    def round_radius(self, direction: Array) -> float:
        """Radius of the flat round face that is the feature towards a unit direction [m], 0 where it is another."""

    def plane_points(self, direction: Array) -> Array:
        """Points that may touch a plane lying towards a direction, always the same number, shape (points, 3)."""

    def core(self) -> ConvexCore | None:
        """The shape for compiled search; None where support points are known to Python alone."""


class ConvexShape(Shape):
    """A convex shape given by its support points, from which all else follows where a shape does not know better."""

    @abstractmethod
    def support(self, direction: Array) -> Array:
        """Farthest point along a direction of any length but 0, shape (3,)."""

    @property
    def normals(self) -> Array:
        """No flat faces."""
        return NO_NORMALS

    @property
    def size(self) -> float:
        """[m]."""
        return self.bounding_radius()

    def extents(self, directions: Array) -> Array:
        """Of the support points."""
        return np.array([direction @ self.support(direction) for direction in directions])

    def feature(self, direction: Array) -> Array:
        """The support point."""
        return self.support(direction)[None]

    def round_radius(self, direction: Array) -> float:
        """None."""
        return 0.0

    def plane_points(self, direction: Array) -> Array:
        """The support point."""
        return self.support(direction)[None]

    def core(self) -> ConvexCore | None:
        """None: support points are computed by the shape."""
        return None

    def convex_form(self) -> ConvexForm:
        """Itself."""
        return self

    def bounding_box(self) -> BoundingBox:
        """Between its support points along the axes."""
        return BoundingBox.around(np.stack((-self.extents(-np.eye(3)), self.extents(np.eye(3)))))

    def mesh(self) -> SurfaceMesh:
        """The hull of support points along the axes and in directions spread evenly over the sphere."""
        k = np.arange(MESH_POINTS) + 0.5
        z, angle = 1.0 - 2.0 * k / MESH_POINTS, np.pi * (1.0 + np.sqrt(5.0)) * k
        across = np.sqrt(1.0 - z * z)
        spiral = np.column_stack((across * np.cos(angle), across * np.sin(angle), z))
        directions = np.vstack((np.eye(3), -np.eye(3), spiral))
        return SurfaceMesh(*hull_of(np.array([self.support(direction) for direction in directions])))

    def signed_distance(self) -> SignedDistance:
        """That of its triangles."""
        return SignedDistance.of_triangles(self.mesh(), self.kind)

    def sharp_features(self) -> SharpFeatures | None:
        """Those of its triangles if these give its signed distance too; else it is taken for smooth."""
        mesh = self.signed_distance().mesh
        return None if mesh is None else SharpFeatures.of_triangles(mesh)


def rim(radius: float, z: float, count: int = AROUND, start: tuple[float, float] = (1.0, 0.0)) -> Array:
    """Points around a circle about the z axis, counter-clockwise from the unit vector `start`."""
    angle = 2.0 * np.pi * np.arange(count) / count + np.arctan2(start[1], start[0])
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle), np.full(count, z)))


def sideways(direction: Array) -> Array:
    """Unit vector of the x and y components; x where there are none."""
    length = float(np.hypot(direction[0], direction[1]))
    if length <= AXIAL * abs(float(direction[2])):
        return np.array([1.0, 0.0, 0.0])
    return np.array([direction[0] / length, direction[1] / length, 0.0])
