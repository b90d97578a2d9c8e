"""Surface of triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.math.sparse import Indices
from signorini.model.checks import points
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.polyhedron import checked_triangles, edge_components, is_closed, merged, solid_properties
from signorini.model.shapes.shape import MassProperties
from signorini.problem.errors import ModelError

CONVEX = 1.0 - 1e-6
"""A closed part is convex if it fills at least this share of its hull."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles, counter-clockwise seen from outside.

    Terrain and other fixed or kinematic bodies take it as it is, open or closed. A body that moves freely needs it
    closed, and touches others with its `convex_pieces`.
    """

    vertices: Any
    """[m], shape (n, 3)."""
    triangles: Any
    """Places in `vertices`, shape (t, 3)."""
    convexify: bool = False
    """Whether a part that is not convex may be replaced by its hull where convex pieces are needed."""

    def __post_init__(self) -> None:
        vertices = points(self.vertices, "vertices of a TriangleMesh")
        triangles = checked_triangles(self.triangles, len(vertices), "triangles of a TriangleMesh")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)

    def is_watertight(self) -> bool:
        """Whether the surface is closed, so that it bounds a solid; vertices at the same place count as one."""
        return is_closed(merged(self.vertices, self.triangles))

    def mass_properties(self) -> MassProperties:
        """Of the solid inside; the surface has to be closed and right side out. Parts that overlap count twice."""
        if not self.is_watertight():
            raise ModelError("a TriangleMesh is open, so it has no volume: close it, or use it with add_fixed")
        solid = solid_properties(self.vertices, self.triangles)
        if not solid.volume > 0:
            raise ModelError(
                f"a TriangleMesh has volume {solid.volume:g}: it is inside out; pass triangles[:, ::-1] to turn it"
            )
        return solid

    def bounding_radius(self) -> float:
        """Distance of the farthest vertex of a triangle [m]."""
        return float(np.linalg.norm(self.vertices[np.unique(self.triangles)], axis=1).max())

    def convex_pieces(self) -> list[ConvexHull]:
        """The parts that hang together by edges, each as a convex hull.

        Exact for unions of convex closed parts. A part that is not convex is refused unless `convexify` is set: no
        general convex decomposition is made.
        """
        parts = edge_components(self.triangles)
        if not all(is_closed(self.triangles[part]) for part in parts):
            # Loose triangles, each with vertices of its own: tied by the places of the vertices.
            parts = edge_components(merged(self.vertices, self.triangles))
        return [self._piece(k, part) for k, part in enumerate(parts)]

    def _piece(self, number: int, part: Indices) -> ConvexHull:
        triangles = self.triangles[part]
        hull = ConvexHull(self.vertices[np.unique(triangles)])
        if self.convexify:
            return hull
        closed = is_closed(merged(self.vertices, triangles))
        share = solid_properties(self.vertices, triangles).volume / hull.mass_properties().volume if closed else 0.0
        if share < CONVEX:
            found = f"fills {100 * share:.3g} % of its convex hull" if closed else "is open"
            raise ModelError(
                f"part {number} of a TriangleMesh that moves {found}, expected a convex closed part: pass a list of "
                "ConvexHull pieces instead, or TriangleMesh(..., convexify=True) to use its hull"
            )
        return hull
