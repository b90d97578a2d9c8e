"""Cone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.model.checks import positive
from signorini.model.shapes.shape import MassProperties


@dataclass(frozen=True)
class Cone:
    """Cone about the z axis: base at z = -height/2, tip at z = height/2.

    The origin of the frame is at mid-height, the centroid at z = -height/4.
    """

    radius: float
    """Of the base [m]."""
    height: float
    """[m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius of a Cone"))
        object.__setattr__(self, "height", positive(self.height, "height of a Cone"))

    def mass_properties(self) -> MassProperties:
        """Of the solid cone."""
        r, H = self.radius, self.height
        volume = math.pi * r * r * H / 3.0
        across, along = 0.15 * r * r + 0.0375 * H * H, 0.3 * r * r
        return MassProperties(volume, np.array([0.0, 0.0, -0.25 * H]), volume * np.diag([across, across, along]))

    def bounding_radius(self) -> float:
        """Distance of the rim [m]."""
        return math.hypot(self.radius, 0.5 * self.height)
