"""A number that a controller sets between steps."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.model.checks import finite
from signorini.model.functions.function import Function
from signorini.problem.errors import ModelError


@dataclass(eq=False)
class Setpoint(Function):
    """f(t) is what `set` said last, whatever the time: the target of a motor, a torque, the limit of a brake.

    >>> knee = Setpoint()
    >>> model.add_motor("knee", torque=knee)
    >>> knee.set(0.4)  # between two steps; nothing is built anew
    """

    level: float = 0.0
    slope: float = 0.0
    """f', for targets that move."""

    def __post_init__(self) -> None:
        self.set(self.level, self.slope)

    @property
    def is_data(self) -> bool:
        """What sets it is code."""
        return False

    @property
    def runs_no_code(self) -> bool:
        """It stands still until somebody sets it."""
        return True

    def set(self, level: float, slope: float = 0.0) -> None:
        """From the next step on; a motor that follows a target moves on by `slope` [per second] in a step."""
        self.level, self.slope = finite(level, "level of a setpoint"), finite(slope, "slope of a setpoint")

    def value(self, time: float) -> float:
        return self.level

    def derivative(self, time: float) -> float:
        return self.slope

    def second_derivative(self, time: float) -> float:
        return 0.0

    def integral(self, time: float) -> float:
        raise ModelError("a setpoint has no integral over time: set the angle or position of a motor, not its speed")
