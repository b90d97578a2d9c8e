"""Settings of the non-smooth generalised-alpha method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from signorini.problem.errors import SolverError


@dataclass(frozen=True)
class NonsmoothAlpha:
    """Generalised-alpha with hard contact: second order between impacts, first order through them.

    Forces are averaged as by Chung and Hulbert [ChungHulbert1993], impulses of contacts, joints, limits and brakes are
    found at the level of velocities, and positions are corrected apart from them [Bruls2014, Cosimo2020]. The folder's
    README has the equations.
    """

    name: ClassVar[str] = "nonsmooth-alpha"

    spectral_radius: float = 0.8
    """Share of the fastest oscillations that one step leaves: 1 keeps all (trapezoidal rule), 0 none [-]."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.spectral_radius) and 0.0 <= self.spectral_radius <= 1.0):
            raise SolverError(f"spectral_radius is {self.spectral_radius}, expected a number from 0 to 1")

    @property
    def alpha_m(self) -> float:
        """Weight of the old acceleration."""
        return (2.0 * self.spectral_radius - 1.0) / (self.spectral_radius + 1.0)

    @property
    def alpha_f(self) -> float:
        """Weight of the old force."""
        return self.spectral_radius / (self.spectral_radius + 1.0)

    @property
    def gamma(self) -> float:
        """Of Newmark's formulas."""
        return 0.5 + self.alpha_f - self.alpha_m

    @property
    def beta(self) -> float:
        """Of Newmark's formulas."""
        return 0.25 * (0.5 + self.gamma) ** 2
