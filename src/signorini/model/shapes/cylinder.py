"""Cylinder."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.model.checks import positive
from signorini.model.shapes.shape import MassProperties


@dataclass(frozen=True)
class Cylinder:
    """Cylinder about the z axis, from -length/2 to length/2."""

    radius: float
    """[m]."""
    length: float
    """Along z [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius of a Cylinder"))
        object.__setattr__(self, "length", positive(self.length, "length of a Cylinder"))

    def mass_properties(self) -> MassProperties:
        """Of the solid cylinder."""
        r, L = self.radius, self.length
        volume = math.pi * r * r * L
        across, along = r * r / 4.0 + L * L / 12.0, r * r / 2.0
        return MassProperties(volume, np.zeros(3), volume * np.diag([across, across, along]))

    def bounding_radius(self) -> float:
        """Distance of the rims [m]."""
        return math.hypot(self.radius, 0.5 * self.length)
