"""Spring and damper about the axis of a joint."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.model.component import ForceTerm
from signorini.model.coordinate import TWO_TURNS, Coordinate, wrapped
from signorini.model.forces.coordinate_force import force_term, rates
from signorini.model.state import State
from signorini.problem.errors import ModelError

MOST_TWIST = 1.9 * math.pi
"""Angles are known within two turns: a spring that is wound further would snap to the other side [rad]."""


@dataclass(frozen=True, eq=False)
class TorsionSpring:
    """Turns back by `k (theta - theta0) + r d theta/dt`; it may be wound by 0.95 of a turn from rest either way."""

    name: str
    coordinate: Coordinate
    """theta, an ANGLE."""
    stiffness: float
    """k [N m/rad]."""
    damping: float
    """r [N m s/rad]."""
    angle: float
    """theta0, without torque [rad]."""

    def term(self, state: State) -> ForceTerm:
        """Torques and derivatives."""
        J = self.coordinate.at(state)[1][None, :]
        turn = self.stiffness * self.twist(state) + self.damping * rates(self.coordinate, J, state)
        K, R = np.array([[self.stiffness]]), np.array([[self.damping]])
        return force_term(self.coordinate.table, J, state, -turn, K, R)

    def energy(self, state: State) -> float:
        """1/2 k (theta - theta0)^2 [J]."""
        return 0.5 * self.stiffness * self.twist(state) ** 2

    def twist(self, state: State) -> float:
        """theta - theta0 [rad]; raises `ModelError` when it is wound further than angles are known."""
        twist = wrapped(self.coordinate.at(state)[0] - self.angle, TWO_TURNS)
        if self.stiffness and abs(twist) > MOST_TWIST:
            raise ModelError(
                f"the torsion spring {self.name!r} is wound by {twist:.2f} rad at t = {state.time:g} s, and angles are "
                f"known within {MOST_TWIST:.2f} rad of its rest only; stiffen it, or limit its joint"
            )
        return twist
