"""The integral of a function."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.model.functions.function import Function
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class Integral(Function):
    """F(t), the integral of f from 0 to t: the angle that goes with a speed."""

    speed: Function
    """f."""

    @property
    def is_data(self) -> bool:
        """As f is."""
        return self.speed.is_data

    @property
    def runs_no_code(self) -> bool:
        """As f is."""
        return self.speed.runs_no_code

    def value(self, time: float) -> float:
        return self.speed.integral(time)

    def derivative(self, time: float) -> float:
        return self.speed.value(time)

    def second_derivative(self, time: float) -> float:
        return self.speed.derivative(time)

    def integral(self, time: float) -> float:
        raise ModelError("an integral is not integrated again; give the motor its angle or position instead")
