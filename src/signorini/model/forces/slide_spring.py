"""Spring and damper along the axis of a joint that slides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.model.component import ForceTerm
from signorini.model.coordinate import Coordinate
from signorini.model.forces.coordinate_force import force_term, rates
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class SlideSpring:
    """Pushes back by `k (x - x0) + r dx/dt`."""

    name: str
    coordinate: Coordinate
    """x, an OFFSET."""
    stiffness: float
    """k [N/m]."""
    damping: float
    """r [N s/m]."""
    position: float
    """x0, without force [m]."""

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives."""
        value, slope = self.coordinate.at(state)
        J = slope[None, :]
        push = self.stiffness * (value - self.position) + self.damping * rates(self.coordinate, J, state)
        K, R = np.array([[self.stiffness]]), np.array([[self.damping]])
        return force_term(self.coordinate.table, J, state, -push, K, R)

    def energy(self, state: State) -> float:
        """1/2 k (x - x0)^2 [J]."""
        return 0.5 * self.stiffness * (self.coordinate.at(state)[0] - self.position) ** 2
