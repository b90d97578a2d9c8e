"""The interface of shapes: everything that collision detection, drawing and records ask of one.

A new shape is one file here with a frozen dataclass derived from `ConvexShape` (given by its support points) or from
`Shape` (given by its triangles). Nothing else has to know it: pairs without a compiled kernel are handled by support
points, pictures and flexible bodies by triangles, records by the fields of the dataclass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from signorini.kernels.collision.conventions import CONVEX
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.shapes.descriptor import (
    BoundingBox,
    Drawing,
    MassProperties,
    SharpFeatures,
    SignedDistance,
    SurfaceMesh,
    Triple,
)
from signorini.problem.errors import ModelError

if TYPE_CHECKING:
    from signorini.model.shapes.convex_form import ConvexForm

KNOWN: dict[str, type[Shape]] = {}
"""Classes of shapes by "module:name", as records call them."""


class Shape(ABC):
    """A solid or a surface in its own frame."""

    kind: ClassVar[int] = CONVEX
    """Which compiled kernels handle pairs with it, see `kernels.collision.conventions`."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Make the class known to records."""
        super().__init_subclass__(**options)
        KNOWN[f"{cls.__module__}:{cls.__name__}"] = cls

    @abstractmethod
    def mass_properties(self) -> MassProperties:
        """Volume, centroid and inertia of the solid with density 1; raises `ModelError` if it has no volume."""

    @abstractmethod
    def bounding_radius(self) -> float:
        """Radius of the smallest ball about the origin of the shape's frame that holds it (inf for a half-space)."""

    @abstractmethod
    def mesh(self) -> SurfaceMesh:
        """Triangles of its surface, exact or near enough for pictures and flexible bodies."""

    def parameters(self) -> Triple:
        """For the kernels of its kind, see `kernels.collision.table.ShapeArrays`."""
        return (0.0, 0.0, 0.0)

    def bounding_box(self) -> BoundingBox:
        """The smallest box along the axes of its frame."""
        return BoundingBox.around(self.mesh().vertices)

    def convex_form(self) -> ConvexForm:
        """Support points and features; raises `ModelError` if the shape is not convex."""
        raise ModelError(f"a {type(self).__name__} is not convex, so it has no single convex form")

    def signed_distance(self) -> SignedDistance | None:
        """How far points of flexible bodies are from it; None for surfaces, which have triangles only."""
        return None

    def sharp_features(self) -> SharpFeatures | None:
        """Corners and edges that touch flexible bodies; None for shapes without."""
        return SharpFeatures.of_triangles(self.mesh())

    def drawing(self) -> Drawing:
        """For pictures."""
        mesh = self.mesh()
        return Drawing.of_triangles(mesh.vertices, mesh.triangles)

    def movable_parts(self) -> Sequence[Shape]:
        """Shapes that collide in its place on a body that moves freely."""
        return (self,)

    def protrusion(self) -> float:
        """How far these stand out of it [m]."""
        return 0.0


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape at a pose in the frame of its body (whose origin is the centre of mass)."""

    shape: Shape
    position: Array
    """[m], shape (3,)."""
    orientation: Array
    """Unit quaternion (w, x, y, z), shape to body."""

    def mass_properties(self) -> MassProperties:
        """In the frame of the body."""
        own = self.shape.mass_properties()
        if not self.orientation[1:].any():
            return MassProperties(own.volume, self.position + own.centre, own.inertia)
        R = matrix(self.orientation)
        return MassProperties(own.volume, self.position + R @ own.centre, R @ own.inertia @ R.T)
