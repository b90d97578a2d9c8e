"""Everything below a plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.collision.conventions import HALF_SPACE
from signorini.model.checks import unit_vector
from signorini.model.shapes.descriptor import BoundingBox, MassProperties, SignedDistance, SurfaceMesh, Triple
from signorini.model.shapes.shape import Shape
from signorini.problem.errors import ModelError


@dataclass(frozen=True)
class HalfSpace(Shape):
    """The solid below the plane through the origin of its frame: points x with `normal . x <= 0`."""

    kind: ClassVar[int] = HALF_SPACE

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Out of the solid; scaled to length 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", tuple(unit_vector(self.normal, "normal of a HalfSpace").tolist()))

    def mass_properties(self) -> MassProperties:
        """Refused: it has no end."""
        raise ModelError("a HalfSpace has no finite volume or mass: use it with add_fixed_body, or with motion=...")

    def bounding_radius(self) -> float:
        """Infinite."""
        return math.inf

    def parameters(self) -> Triple:
        """The normal."""
        return self.normal

    def bounding_box(self) -> BoundingBox:
        """None: the broad phase treats half-spaces apart."""
        return BoundingBox()

    def mesh(self) -> SurfaceMesh:
        """No triangles: a picture shows the part of the plane that is near other bodies."""
        return SurfaceMesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))

    def signed_distance(self) -> SignedDistance:
        """The height above the plane."""
        return SignedDistance(HALF_SPACE, 1.0, self.normal)

    def sharp_features(self) -> None:
        """None."""
        return
