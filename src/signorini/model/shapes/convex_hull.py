"""Convex hull of points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull as Hull
from scipy.spatial import QhullError

from signorini.kernels.collision.conventions import CONVEX
from signorini.math.sparse import Array, Indices
from signorini.model.checks import points
from signorini.model.shapes.descriptor import MassProperties, SignedDistance, SurfaceMesh
from signorini.model.shapes.polyhedron import solid_properties
from signorini.model.shapes.polyhedron_form import PolyhedronForm
from signorini.model.shapes.shape import Shape
from signorini.problem.errors import ModelError

FLATTEST = 1e-9
"""Least volume relative to the cube of the size: below it a hull is flat."""


@dataclass(frozen=True, eq=False)
class ConvexHull(Shape):
    """The smallest convex solid that holds the points, in the frame of the points."""

    points: Any
    """As given [m], shape (n, 3), n >= 4, not all in one plane."""
    vertices: Array = field(init=False, repr=False)
    """Those of the points that are corners [m], shape (m, 3)."""
    triangles: Indices = field(init=False, repr=False)
    """Surface, counter-clockwise seen from outside, places in `vertices`, shape (t, 3)."""

    def __post_init__(self) -> None:
        given = points(self.points, "points of a ConvexHull")
        vertices, triangles = hull_of(given)
        for name, value in (("points", given), ("vertices", vertices), ("triangles", triangles)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"ConvexHull({len(self.vertices)} corners, {len(self.triangles)} triangles)"

    def mass_properties(self) -> MassProperties:
        """Of the solid."""
        return solid_properties(self.vertices, self.triangles)

    def bounding_radius(self) -> float:
        """Distance of the farthest vertex [m]."""
        return float(np.linalg.norm(self.vertices, axis=1).max())

    def mesh(self) -> SurfaceMesh:
        """Its surface."""
        return SurfaceMesh(self.vertices, self.triangles)

    def convex_form(self) -> PolyhedronForm:
        """A polyhedron."""
        return PolyhedronForm.of(self.mesh())

    def signed_distance(self) -> SignedDistance:
        """That of its faces."""
        return SignedDistance.of_triangles(self.mesh(), CONVEX)


def hull_of(given: Array) -> tuple[Array, Indices]:
    """Vertices and outward triangles of the convex hull of points."""
    if len(given) < 4:
        raise ModelError(f"a ConvexHull has {len(given)} points, expected at least 4 that are not in one plane")
    try:
        hull = Hull(given - given.mean(axis=0))
    except QhullError as error:
        raise ModelError("points of a ConvexHull lie in one plane (or are all one), expected a solid") from error
    size = float(np.ptp(given, axis=0).max())
    if hull.volume < FLATTEST * size**3:
        raise ModelError(f"a ConvexHull of size {size:g} has volume {hull.volume:g}, expected a solid that is not flat")
    corners = given[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ti,ti->t", normals, hull.equations[:, :3]) < 0
    simplices = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    used, triangles = np.unique(simplices, return_inverse=True)
    vertices, triangles = given[used], np.asarray(triangles.reshape(-1, 3), dtype=np.int64)
    vertices.setflags(write=False)
    triangles.setflags(write=False)
    return vertices, triangles
