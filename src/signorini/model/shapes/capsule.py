"""Cylinder with half-ball ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.model.checks import positive
from signorini.model.shapes.shape import MassProperties


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of the segment from -length/2 to length/2 on the z axis."""

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
