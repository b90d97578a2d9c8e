"""A function within limits, scaled and shifted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from signorini.model.functions.function import Function
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class Scaled(Function):
    """`factor * clip(f(t), low, high) + offset`: what an actuator makes of its control."""

    function: Function
    """f."""
    factor: float
    low: float = -math.inf
    high: float = math.inf
    offset: float = 0.0

    @property
    def is_data(self) -> bool:
        """As f is."""
        return self.function.is_data

    @property
    def runs_no_code(self) -> bool:
        """As f is."""
        return self.function.runs_no_code

    def value(self, time: float) -> float:
        return self.factor * min(max(self.function.value(time), self.low), self.high) + self.offset

    def derivative(self, time: float) -> float:
        inside = self.low <= self.function.value(time) <= self.high
        return self.factor * self.function.derivative(time) if inside else 0.0

    def second_derivative(self, time: float) -> float:
        inside = self.low <= self.function.value(time) <= self.high
        return self.factor * self.function.second_derivative(time) if inside else 0.0

    def integral(self, time: float) -> float:
        raise ModelError("a control within limits has no integral over time")
