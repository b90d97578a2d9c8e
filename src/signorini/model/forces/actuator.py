"""An actuator whose force follows a law of the user's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.model.component import ForceTerm
from signorini.model.coordinate import Coordinate
from signorini.model.forces.coordinate_force import force_term, rates
from signorini.model.state import State
from signorini.problem.errors import ModelError

Law = Callable[[float, float, float], Any]
"""(time [s], s [m or rad], ds/dt) -> force [N] or torque [N m] on b along s."""
STEP = 1e-6
"""Of the central differences that give the law's slopes, relative to max(1, |argument|): about eps^(1/3)."""


@dataclass(frozen=True, eq=False)
class Actuator:
    """Force along a coordinate (angle, position or distance of two bodies) by `law(t, s, ds/dt)`."""

    name: str
    coordinate: Coordinate
    """s; an angle is known within two turns."""
    law: Law

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives; the slopes of the law by differences."""
        s, slope = self.coordinate.at(state)
        J, t = slope[None, :], state.time
        u = float(rates(self.coordinate, J, state)[0])
        h, k = STEP * max(1.0, abs(s)), STEP * max(1.0, abs(u))
        by_place = (self.effort(t, s + h, u) - self.effort(t, s - h, u)) / (2 * h)
        by_speed = (self.effort(t, s, u + k) - self.effort(t, s, u - k)) / (2 * k)
        effort, K, R = np.array([self.effort(t, s, u)]), np.array([[-by_place]]), np.array([[-by_speed]])
        return force_term(self.coordinate.table, J, state, effort, K, R, elastic=False)

    def energy(self, state: State) -> float:
        """0: nothing is known of what the law stores."""
        return 0.0

    def effort(self, time: float, place: float, speed: float) -> float:
        """The law's answer, checked."""
        answer = self.law(time, place, speed)
        try:
            number = float(answer)
        except (TypeError, ValueError):
            raise ModelError(f"law of the actuator {self.name!r} gave {answer!r}, expected a number") from None
        if not math.isfinite(number):
            raise ModelError(
                f"law of the actuator {self.name!r} gave {number} at t = {time:g} s, s = {place:g}, ds/dt = {speed:g}; "
                "expected a finite number"
            )
        return number
