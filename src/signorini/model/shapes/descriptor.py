"""Description of a shape for other modules, as plain data in its own frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.sparse import Array, Indices

Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Of a homogeneous solid of density 1 [kg/m3] in its own frame."""

    volume: float
    """[m3]."""
    centre: Array
    """Centroid [m], shape (3,)."""
    inertia: Array
    """About the centroid, axes of the shape's frame [m5], shape (3, 3)."""


@dataclass(frozen=True)
class BoundingBox:
    """A box along the axes of the shape's frame, swollen by `rounding` in every direction."""

    half: Triple = (0.0, 0.0, 0.0)
    """Half sizes before rounding [m]."""
    rounding: float = 0.0
    """[m]."""
    centre: Triple = (0.0, 0.0, 0.0)
    """[m]."""

    @classmethod
    def around(cls, points: Array) -> BoundingBox:
        """The smallest box that holds all points [m], shape (n, 3)."""
        low, high = points.min(axis=0), points.max(axis=0)
        (x, y, z), (a, b, c) = 0.5 * (low + high), 0.5 * (high - low)
        return cls(half=(float(a), float(b), float(c)), centre=(float(x), float(y), float(z)))

    @property
    def thinnest(self) -> float:
        """The smallest half size [m]."""
        return min(self.half) + self.rounding


@dataclass(frozen=True, eq=False)
class SurfaceMesh:
    """Triangles, counter-clockwise seen from outside."""

    vertices: Array
    """[m], shape (n, 3)."""
    triangles: Indices
    """Places in `vertices`, shape (t, 3)."""
    solid: bool = True
    """Whether they bound a solid; otherwise both sides are outside."""


@dataclass(frozen=True, eq=False)
class SignedDistance:
    """How kernels compute the signed distance of a point from the shape."""

    kind: int
    """Kind of shape, see `kernels.collision.conventions`; `CONVEX`: by the triangles of `mesh`."""
    core: float
    """Radius of a ball that fits inside [m]."""
    parameters: Triple = (0.0, 0.0, 0.0)
    """See `kernels.skin.distance`."""
    mesh: SurfaceMesh | None = None

    @classmethod
    def of_triangles(cls, mesh: SurfaceMesh, kind: int) -> SignedDistance:
        """Of a convex polyhedron."""
        return cls(kind, 0.5 * float(np.ptp(mesh.vertices, axis=0).min()), mesh=mesh)


@dataclass(frozen=True, eq=False)
class SharpFeatures:
    """Corners, edges and faces with which a rigid shape touches the faces and edges of flexible bodies."""

    points: Array
    """[m], shape (n, 3)."""
    depth: float
    """How deep others may be inside and still belong to this side of the shape [m]."""
    triangles: Indices = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    """Places in `points`, shape (t, 3)."""
    outward: Array | None = None
    """Normals of points without triangles, shape (n, 3)."""

    @classmethod
    def of_triangles(cls, mesh: SurfaceMesh) -> SharpFeatures:
        """All corners, edges and faces."""
        return cls(np.asarray(mesh.vertices), float(np.ptp(mesh.vertices, axis=0).max()), mesh.triangles)

    @classmethod
    def of_points(cls, points: Array, depth: float) -> SharpFeatures:
        """Points of round edges, and tips; normals point away from the origin."""
        return cls(points, depth, outward=points / np.linalg.norm(points, axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Drawing:
    """What a picture shows of a shape: triangles and balls."""

    corners: Array = field(default_factory=lambda: np.zeros((0, 3, 3)))
    """[m], shape (triangles, 3, 3)."""
    normals: Array = field(default_factory=lambda: np.zeros((0, 3, 3)))
    """At the corners, out of the solid, any length, shape (triangles, 3, 3)."""
    closed: bool = True
    """Whether what faces away from the viewer is hidden by what faces it."""
    balls: tuple[tuple[Triple, float], ...] = ()
    """Centre [m] and radius [m] of each."""

    @classmethod
    def of_triangles(cls, vertices: Array, triangles: Indices, closed: bool = True) -> Drawing:
        """With one normal for each triangle."""
        corners = vertices[triangles]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return cls(corners, np.repeat(normal[:, None], 3, axis=1), closed)
