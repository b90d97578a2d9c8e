"""Cylinder with half-ball ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.collision.conventions import CAPSULE, FLAT
from signorini.math.sparse import Array
from signorini.model.checks import positive
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.convex_form import ConvexShape, sideways
from signorini.model.shapes.descriptor import BoundingBox, Drawing, MassProperties, SignedDistance, Triple
from signorini.model.shapes.revolution import turned


@dataclass(frozen=True)
class Capsule(ConvexShape):
    """All points within `radius` of the segment from -length/2 to length/2 on the z axis."""

    kind: ClassVar[int] = CAPSULE

    radius: float
    """[m]."""
    length: float
    """Of the cylindrical part [m]; the whole is `length + 2 radius` long."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius of a Capsule"))
        object.__setattr__(self, "length", positive(self.length, "length of a Capsule"))

    def mass_properties(self) -> MassProperties:
        """Of the solid capsule: a cylinder and two half-balls."""
        r, L = self.radius, self.length
        cylinder, ball = math.pi * r * r * L, 4.0 / 3.0 * math.pi * r**3
        along = cylinder * r * r / 2.0 + 0.4 * ball * r * r
        # A half-ball's centroid is 3/8 r beyond the cylinder's end: 2/5 r^2 + L^2/4 + 2 (L/2) (3/8 r).
        across = cylinder * (r * r / 4.0 + L * L / 12.0) + ball * (0.4 * r * r + L * L / 4.0 + 0.375 * L * r)
        return MassProperties(cylinder + ball, np.zeros(3), np.diag([across, across, along]))

    def bounding_radius(self) -> float:
        """Half the whole length [m]."""
        return 0.5 * self.length + self.radius

    def parameters(self) -> Triple:
        """Radius and half length."""
        return (self.radius, 0.5 * self.length, 0.0)

    def bounding_box(self) -> BoundingBox:
        """The axis, rounded."""
        return BoundingBox((0.0, 0.0, 0.5 * self.length), self.radius)

    def support(self, direction: Array) -> Array:
        """Closed form."""
        unit = direction / np.linalg.norm(direction)
        return np.asarray(self.radius * unit + np.array([0.0, 0.0, np.copysign(0.5 * self.length, unit[2])]))

    def extents(self, directions: Array) -> Array:
        """Closed form."""
        return np.asarray(self.radius + 0.5 * self.length * np.abs(directions[:, 2]))

    def feature(self, direction: Array) -> Array:
        """The line that is seen from the side, else a point."""
        if abs(direction[2]) >= FLAT:
            return self.support(direction)[None]
        side, half = self.radius * sideways(direction), np.array([0.0, 0.0, 0.5 * self.length])
        return np.stack((side - half, side + half))

    def core(self) -> ConvexCore:
        """Its axis."""
        return ConvexCore(CAPSULE, (0.0, 0.5 * self.length, 0.0), self.radius)

    def signed_distance(self) -> SignedDistance:
        """Closed form."""
        return SignedDistance(CAPSULE, self.radius, self.parameters())

    def drawing(self) -> Drawing:
        """The side, and a ball at each end."""
        r, z = self.radius, 0.5 * self.length
        side = turned(np.array([[r, z], [r, -z]]), np.array([[1.0, 0.0], [1.0, 0.0]]))
        return Drawing(*side, balls=(((0.0, 0.0, -z), r), ((0.0, 0.0, z), r)))
