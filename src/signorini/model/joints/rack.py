"""Rack and pinion."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.model.component import JointRows
from signorini.model.coordinate import ONE_TURN, Coordinate
from signorini.model.joints.coupling import bodies_of, coupled_rows
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Rack:
    """The position of one joint follows the angle of another: `x = radius theta`, 1 row.

    `Psi = radius wrap(x / radius - theta)` [m], where wrap removes whole turns: x determines how many there were.
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
        return coupled_rows((-self.radius, 1.0), (self.pinion, self.rack), ONE_TURN * abs(self.radius), state)
