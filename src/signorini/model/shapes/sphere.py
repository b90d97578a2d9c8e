"""Ball."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.collision.conventions import SPHERE
from signorini.math.sparse import Array
from signorini.model.checks import positive
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.convex_form import ConvexShape
from signorini.model.shapes.descriptor import BoundingBox, Drawing, MassProperties, SignedDistance, Triple


@dataclass(frozen=True)
class Sphere(ConvexShape):
    """Ball about the origin of its frame."""

    kind: ClassVar[int] = SPHERE

    radius: float
    """[m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius of a Sphere"))

    def mass_properties(self) -> MassProperties:
        """Of the solid ball."""
        volume = 4.0 / 3.0 * math.pi * self.radius**3
        return MassProperties(volume, np.zeros(3), 0.4 * volume * self.radius**2 * np.eye(3))

    def bounding_radius(self) -> float:
        """The radius [m]."""
        return self.radius

    def parameters(self) -> Triple:
        """The radius."""
        return (self.radius, 0.0, 0.0)

    def bounding_box(self) -> BoundingBox:
        """Nothing but rounding."""
        return BoundingBox(rounding=self.radius)

    def support(self, direction: Array) -> Array:
        """Closed form."""
        return np.asarray(self.radius * (direction / np.linalg.norm(direction)))

    def extents(self, directions: Array) -> Array:
        """The radius."""
        return np.full(len(directions), self.radius)

    def core(self) -> ConvexCore:
        """A point."""
        return ConvexCore(SPHERE, rounding=self.radius)

    def signed_distance(self) -> SignedDistance:
        """Closed form."""
        return SignedDistance(SPHERE, self.radius, self.parameters())

    def drawing(self) -> Drawing:
        """One ball."""
        return Drawing(balls=(((0.0, 0.0, 0.0), self.radius),))
