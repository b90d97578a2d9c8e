"""Friction in a joint, a brake, a clutch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.model.component import FrictionRows
from signorini.model.coordinate import Coordinate
from signorini.model.functions.function import Function
from signorini.model.state import State
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class CoordinateFriction:
    """A force or torque of at most `limit(t)` that opposes `ds/dt - speed(t)` and holds it at 0 where it can.

    With speed 0 it is a brake, with another one a clutch whose other half is driven at that speed.
    """

    name: str
    coordinate: Coordinate
    """s."""
    limit: Function
    """[N or N m], >= 0 at all times."""
    speed: Function
    """[m/s or rad/s]."""

    def rows(self, state: State) -> FrictionRows:
        """One row."""
        _, slope = self.coordinate.at(state)
        most = self.limit_at(state.time)
        speed = self.speed.value(state.time)
        return FrictionRows(self.coordinate.columns, slope[None, :], np.array([-speed]), np.array([most]))

    def limit_at(self, time: float) -> float:
        """The limit at a time [N or N m]."""
        most = self.limit.value(time)
        if not most >= 0.0:
            raise ModelError(f"limit of the friction {self.name!r} is {most} at t = {time:g} s, expected >= 0")
        return most
