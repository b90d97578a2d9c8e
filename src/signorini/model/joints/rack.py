"""Rack and pinion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.model.component import JointRows
from signorini.model.coordinate import Coordinate, wrapped
from signorini.model.joints.coupling import bodies_of, weighted_row
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Rack:
    """The position of one joint follows the angle of another: `x = radius theta`, 1 row.

    `Psi = radius wrap(x / radius - theta)` [m], where wrap removes whole turns: x tells how many there were.
    """

    name: str
    pinion: Coordinate
    """theta."""
    rack: Coordinate
    """x."""
    radius: float
    """Of the pinion [m]; negative where the rack runs the other way."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """The pinion, the rack and what carries them."""
        return bodies_of((self.pinion, self.rack))

    def rows(self, state: State) -> JointRows:
        """One row."""
        angle, place = self.pinion.at(state)[0], self.rack.at(state)[0]
        columns, row = weighted_row((-self.radius, 1.0), (self.pinion, self.rack), state)
        error = self.radius * wrapped(place / self.radius - angle)
        return JointRows(columns, row, np.array([error]), np.zeros(1))
