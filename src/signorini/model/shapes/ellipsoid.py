"""Ellipsoid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.model.checks import positive_sizes
from signorini.model.shapes.shape import MassProperties


@dataclass(frozen=True)
class Ellipsoid:
    """Ellipsoid about the origin of its frame, its axes along x, y, z."""

    radii: tuple[float, float, float]
    """Half the lengths of the axes [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", positive_sizes(self.radii, "radii of an Ellipsoid"))

    def mass_properties(self) -> MassProperties:
        """Of the solid ellipsoid."""
        a, b, c = self.radii
        volume = 4.0 / 3.0 * math.pi * a * b * c
        moments = np.array([b * b + c * c, c * c + a * a, a * a + b * b]) / 5.0
        return MassProperties(volume, np.zeros(3), np.diag(volume * moments))

    def bounding_radius(self) -> float:
        """The largest of the three [m]."""
        return max(self.radii)
