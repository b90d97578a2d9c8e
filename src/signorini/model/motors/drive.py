"""A motor with a prescribed force or torque."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.coordinate import WORLD, Coordinate
from signorini.model.functions.function import Function
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Drive:
    """Force along a joint or torque about it as a function of time; explicit in the step."""

    name: str
    coordinate: Coordinate
    effort: Function
    """On b, the opposite acts on a [N or N m]."""

    def add(self, state: State, force: Array, torque: Array) -> None:
        """Add to the rows of both bodies; both arrays have shape (bodies, 3)."""
        effort = self.effort.value(state.time)
        _, slope = self.coordinate.table.evaluate(state)
        for side, body in enumerate((self.coordinate.a, self.coordinate.b)):
            if body != WORLD:
                push, turn = effort * slope[0, 6 * side : 6 * side + 6].reshape(2, 3)
                force[body] += push
                torque[body] += rotate(state.orientation[body], turn)
