"""Two toothed wheels."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.model.component import JointRows
from signorini.model.coordinate import ONE_TURN, Coordinate
from signorini.model.joints.coupling import bodies_of, coupled_rows
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Gear:
    """The angles of two joints turn by their teeth: `z_1 theta_1 + z_2 theta_2 = 0`, 1 row.

    `Psi = wrap(z_1 theta_1 + z_2 theta_2) / z_1` [rad], where wrap removes whole turns. Angles are known but for whole
    turns, and teeth are whole numbers, so this is exact over any number of turns as long as the error is below half a
    tooth; beyond it the wheels skip a tooth. Wheels that mesh inside have teeth of opposite signs.
    """

    name: str
    first: Coordinate
    second: Coordinate
    teeth: tuple[int, int]

    @property
    def bodies(self) -> tuple[int, ...]:
        """The wheels and what carries them."""
        return bodies_of((self.first, self.second))

    def rows(self, state: State) -> JointRows:
        """One row."""
        one, two = self.teeth
        return coupled_rows((1.0, two / one), (self.first, self.second), ONE_TURN / abs(one), state)
