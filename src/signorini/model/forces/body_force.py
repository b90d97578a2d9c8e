"""A force on one body, computed by the user's function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from signorini.math.sparse import Array
from signorini.model.checks import vector
from signorini.model.state import State

ForceFunction = Callable[[float, State], Any]
"""(time [s], state) -> force [N], or (force [N], torque [N m]), both in the world, acting at the centre of mass."""


@dataclass(frozen=True, eq=False)
class BodyForce:
    """Force and torque as a function of time and state."""

    body: int
    """Index in `Model.bodies`."""
    function: ForceFunction
    name: str
    """Of the body, for messages."""

    def add(self, state: State, force: Array, torque: Array) -> None:
        """Add to the row of the body; both arrays have shape (bodies, 3)."""
        answer = self.function(state.time, state)
        what = f"force on {self.name!r} at t = {state.time:g}"
        if isinstance(answer, tuple | list) and len(answer) == 2:
            push, turn = vector(answer[0], what), vector(answer[1], f"{what}: torque")
            torque[self.body] += turn
        else:
            push = vector(answer, what)
        force[self.body] += push
