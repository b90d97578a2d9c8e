"""Spring and damper between two points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.model.component import ForceTerm
from signorini.model.coordinate import Coordinate
from signorini.model.forces.coordinate_force import force_term, rates
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Spring:
    """Pulls two points together by `k (L - L0) + r dL/dt` along the line between them."""

    name: str
    coordinate: Coordinate
    """L, a DISTANCE."""
    stiffness: float
    """k [N/m]."""
    damping: float
    """r [N s/m]."""
    length: float
    """L0, without force [m]."""

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives."""
        value, slope = self.coordinate.at(state)
        J = slope[None, :]
        pull = self.stiffness * (value - self.length) + self.damping * rates(self.coordinate, J, state)
        K, R = np.array([[self.stiffness]]), np.array([[self.damping]])
        return force_term(self.coordinate.table, J, state, -pull, K, R)

    def energy(self, state: State) -> float:
        """1/2 k (L - L0)^2 [J]."""
        return 0.5 * self.stiffness * (self.coordinate.at(state)[0] - self.length) ** 2
