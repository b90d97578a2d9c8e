"""Ball."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.model.checks import positive
from signorini.model.shapes.shape import MassProperties


@dataclass(frozen=True)
class Sphere:
    """Ball about the origin of its frame."""

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
