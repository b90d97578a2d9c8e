"""Surface of triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from signorini.kernels.collision.conventions import MESH
from signorini.math.cached import cached_property
from signorini.model.checks import points, positive
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.descriptor import BoundingBox, Drawing, MassProperties, SurfaceMesh
from signorini.model.shapes.mesh_pieces import Decomposition, decomposition_of
from signorini.model.shapes.polyhedron import checked_triangles, is_closed, merged, solid_properties
from signorini.model.shapes.shape import Shape
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    """Triangles, counter-clockwise seen from outside.

    Terrain and other fixed or kinematic bodies take it as it is, open or closed. A body that moves freely needs it
    closed, and touches others with its `convex_pieces`; its mass is that of the mesh.
    """

    kind: ClassVar[int] = MESH

    vertices: Any
    """[m], shape (n, 3)."""
    triangles: Any
    """Places in `vertices`, shape (t, 3)."""
    convexify: bool = False
    """Whether parts are replaced by their hulls where convex pieces are needed, no matter how far these stand out."""
    concavity: float | None = None
    """How far convex pieces may stand out of the solid [m].

    None: not at all where few cuts do, else the less of 1 % of the part's size and 20 % of its mean thickness.
    """
    max_pieces: int = 128
    """Largest number of convex pieces of one part."""

    def __repr__(self) -> str:
        return f"TriangleMesh({len(self.vertices)} vertices, {len(self.triangles)} triangles)"

    def __post_init__(self) -> None:
        vertices = points(self.vertices, "vertices of a TriangleMesh")
        triangles = checked_triangles(self.triangles, len(vertices), "triangles of a TriangleMesh")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)
        if self.concavity is not None:
            object.__setattr__(self, "concavity", positive(self.concavity, "concavity of a TriangleMesh"))
        if not isinstance(self.max_pieces, int | np.integer) or self.max_pieces < 1:
            raise ModelError(f"max_pieces of a TriangleMesh is {self.max_pieces!r}, expected an integer >= 1")

    def is_watertight(self) -> bool:
        """Whether the surface is closed, so that it bounds a solid; vertices at the same place count as one."""
        return is_closed(merged(self.vertices, self.triangles))

    def mass_properties(self) -> MassProperties:
        """Of the solid inside; the surface has to be closed and right side out. Parts that overlap count twice."""
        if not self.is_watertight():
            raise ModelError("a TriangleMesh is open, so it has no volume: close it, or use it with add_fixed_body")
        solid = solid_properties(self.vertices, self.triangles)
        if not solid.volume > 0:
            raise ModelError(
                f"a TriangleMesh has volume {solid.volume:g}: it is inside out; pass triangles[:, ::-1] to turn it"
            )
        return solid

    def bounding_radius(self) -> float:
        """Distance of the farthest vertex of a triangle [m]."""
        return float(np.linalg.norm(self.vertices[np.unique(self.triangles)], axis=1).max())

    def bounding_box(self) -> BoundingBox:
        """Around the vertices of triangles."""
        return BoundingBox.around(self.vertices[np.unique(self.triangles)])

    def mesh(self) -> SurfaceMesh:
        """As given."""
        return SurfaceMesh(self.vertices, self.triangles, self.is_watertight())

    def drawing(self) -> Drawing:
        """Seen from both sides, because it may be open."""
        return Drawing.of_triangles(self.vertices, self.triangles, closed=False)

    def movable_parts(self) -> list[ConvexHull]:
        """Its convex pieces."""
        return self.convex_pieces()

    def protrusion(self) -> float:
        """How far its convex pieces stand out of it [m]; 0 for open parts, of which it is not known."""
        found = self.decomposition().protrusion
        return found if found > 0.0 else 0.0

    def convex_pieces(self) -> list[ConvexHull]:
        """Of all parts; see `decomposition`."""
        return list(self.decomposition().pieces)

    def decomposition(self) -> Decomposition:
        """Convex pieces of the solid, and how far they stand out of it; computed once.

        Parts that hang together by edges are cut one by one, with their cavities. A part that is convex is one piece. A
        polyhedron with few planes at its reflex edges is cut exactly; others until no piece stands out by more than
        `concavity`, and refused where `max_pieces` do not do.
        """
        return self._decomposition

    @cached_property
    def _decomposition(self) -> Decomposition:
        return decomposition_of(
            self.vertices, self.triangles, bool(self.convexify), self.concavity, int(self.max_pieces)
        )
