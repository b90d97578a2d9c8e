"""Rectangular box."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.model.checks import positive_sizes
from signorini.model.shapes.shape import MassProperties


@dataclass(frozen=True)
class Box:
    """Box with its centre in the origin of its frame and its edges along the axes."""

    size: tuple[float, float, float]
    """Whole lengths of the edges along x, y, z [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", positive_sizes(self.size, "size of a Box"))

    def mass_properties(self) -> MassProperties:
        """Of the solid box."""
        x, y, z = self.size
        volume = x * y * z
        moments = np.array([y * y + z * z, z * z + x * x, x * x + y * y]) / 12.0
        return MassProperties(volume, np.zeros(3), np.diag(volume * moments))

    def bounding_radius(self) -> float:
        """Half the diagonal [m]."""
        return 0.5 * math.hypot(*self.size)
