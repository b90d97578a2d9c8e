"""A motor that prescribes the motion of a joint; its force is unlimited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.model.component import JointRows
from signorini.model.coordinate import Coordinate, wrapped
from signorini.model.functions.function import Function
from signorini.model.functions.setpoint import Setpoint
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class CoordinateMotor:
    """`s = f(t)` for the angle or position s of a joint: 1 row, `Psi = s - f`, `d Psi / dt = -f'`.

    Of an angle whole turns are removed from Psi, so that a motor may turn for ever. Its impulse is what it gives.
    """

    name: str
    coordinate: Coordinate
    """s."""
    target: Function
    """f [m or rad]."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """Those of the joint."""
        return self.coordinate.bodies

    def rows(self, state: State) -> JointRows:
        """One row."""
        value, slope = self.coordinate.at(state)
        error = value - self.target.value(state.time)
        error = wrapped(error) if self.coordinate.is_angle else error
        rate = -self.target.derivative(state.time)
        return JointRows(self.coordinate.columns, slope[None, :], np.array([error]), np.array([rate]))


def is_setpoint(motor: CoordinateMotor) -> bool:
    """Whether the target is held through a step, but for its slope; functions of time move on by themselves."""
    return isinstance(motor.target, Setpoint)
