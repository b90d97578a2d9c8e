"""A shape that the package does not have: made, simulated, drawn and recorded without a change to the package."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array
from signorini.model.shapes.convex_form import ConvexShape, sideways
from signorini.model.shapes.descriptor import MassProperties


@dataclass(frozen=True)
class Lens(ConvexShape):
    """The common part of two balls about the points (0, 0, -offset) and (0, 0, offset)."""

    radius: float
    """Of the balls [m]."""
    offset: float
    """[m], less than the radius."""

    @property
    def rim(self) -> float:
        """Radius of the sharp edge [m]."""
        return math.sqrt(self.radius**2 - self.offset**2)

    @property
    def thickness(self) -> float:
        """Half of it, on the axis [m]."""
        return self.radius - self.offset

    def mass_properties(self) -> MassProperties:
        """Discs of radius r(z): the integrands are polynomials of degree 4, for which three Gauss points are exact."""
        points, weights = np.polynomial.legendre.leggauss(3)
        z, dz = 0.5 * self.thickness * (1.0 + points), self.thickness * weights  # both halves
        square = self.radius**2 - (z + self.offset) ** 2
        along = float(math.pi / 2.0 * dz @ square**2)
        across = 0.5 * along + float(math.pi * dz @ (square * z * z))
        return MassProperties(float(math.pi * dz @ square), np.zeros(3), np.diag([across, across, along]))

    def bounding_radius(self) -> float:
        """Distance of the rim, or of the poles [m]."""
        return max(self.rim, self.thickness)

    def support(self, direction: Array) -> Array:
        """On one of the balls, or on the rim between them."""
        unit = direction / np.linalg.norm(direction)
        if self.radius * abs(unit[2]) <= self.offset:
            return np.asarray(self.rim * sideways(unit))
        return np.asarray(self.radius * unit - np.array([0.0, 0.0, math.copysign(self.offset, unit[2])]))
