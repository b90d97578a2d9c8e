"""Prescribed motion of kinematic bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from signorini.math.rotations import conjugate, logarithm, multiply
from signorini.math.sparse import Array
from signorini.model.body import Motion
from signorini.model.checks import quaternion, vector
from signorini.model.user_code import called
from signorini.problem.errors import ModelError

DIFFERENCE = 1e-5
"""Step of the difference formula of the initial velocity [s]: balances its error with round-off."""


@dataclass(frozen=True, eq=False)
class CheckedMotion:
    """A user's motion whose every answer is checked."""

    function: Callable[[float], Any]
    """Time [s] -> (position, quaternion)."""
    body: str
    """Name, for messages."""

    def __call__(self, time: float) -> tuple[Array, Array]:
        """Position [m] and unit quaternion at a time [s]."""
        what = f"motion of {self.body!r} at t = {time:g}"
        answer = called(self.function, what, time)
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise ModelError(f"{what} gave {answer!r}, expected (position, quaternion)")
        return vector(answer[0], f"{what}: position"), quaternion(answer[1], f"{what}: quaternion")


def velocity_between(motion: Motion, start: float, end: float) -> tuple[Array, Array]:
    """Constant velocity (world [m/s], body frame [rad/s]) that leads from the pose at `start` to that at `end`."""
    (x, p), (y, q) = motion(start), motion(end)
    return (y - x) / (end - start), logarithm(multiply(conjugate(p), q)) / (end - start)


def velocity_at(motion: Motion, time: float) -> tuple[Array, Array]:
    """Velocity (world [m/s], body frame [rad/s]) at `time`, by a second-order difference that looks forward only."""
    near, far = (velocity_between(motion, time, time + k * DIFFERENCE) for k in (1, 2))
    return 2.0 * near[0] - far[0], 2.0 * near[1] - far[1]
