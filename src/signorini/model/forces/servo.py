"""A servo: proportional and derivative control of a joint, with a limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from signorini.model.component import ForceTerm
from signorini.model.coordinate import TWO_TURNS, Coordinate, wrapped
from signorini.model.functions.function import Function
from signorini.model.state import State

Saturation = Literal[-1, 0, 1] | None


@dataclass(eq=False)
class Servo:
    """Effort `f = k (s* - s) + r (ds*/dt - ds/dt) + f*` on b along the coordinate s, at most `limit` either way.

    It is implicit in the step: f is that at the end of the step, so gains may be as stiff as one likes. The target s*
    of an angle is taken within one turn of where the joint is, either way.
    """

    name: str
    coordinate: Coordinate
    """s, an angle [rad] or a position [m]."""
    stiffness: float
    """k [N m/rad or N/m]."""
    damping: float
    """r [N m s/rad or N s/m]."""
    limit: float
    """[N m or N], infinite for none."""
    target: Function
    """s*; its derivative is the commanded speed."""
    effort: Function
    """f*, added to what the gains give [N m or N]."""

    def __post_init__(self) -> None:
        self.saturation: Saturation = None
        """Set by steps that look for the end of the step themselves: 0 within its limit there, 1 or -1 at it; None lets
        the state decide."""
        self.given = 0.0
        """Effort in the last step [N m or N]."""

    def law(self, time: float, place: float, speed: float) -> tuple[float, float, float]:
        """Effort, -df/ds and -df/ds'."""
        if self.saturation:
            return self.saturation * self.limit, 0.0, 0.0
        wanted = self.wanted(time, place, speed)
        if self.saturation is None and abs(wanted) > self.limit:
            return math.copysign(self.limit, wanted), 0.0, 0.0
        return wanted, self.stiffness, self.damping

    def wanted(self, time: float, place: float, speed: float) -> float:
        """Effort without the limit."""
        error = self.target.value(time) - place
        error = wrapped(error, TWO_TURNS) if self.coordinate.is_angle else error
        late = self.target.derivative(time) - speed
        return self.stiffness * error + self.damping * late + self.effort.value(time)

    def term(self, state: State) -> ForceTerm:
        """Force and derivatives; they leave out how the direction of the effort turns with the bodies."""
        s, slope = self.coordinate.at(state)
        rate = float(slope @ state.velocities[self.coordinate.columns])
        effort, k, r = self.law(state.time, s, rate)
        square = np.outer(slope, slope)
        return ForceTerm(self.coordinate.columns, effort * slope, -k * square, -r * square)

    def energy(self, state: State) -> float:
        """0: a motor stores nothing."""
        return 0.0
