"""A straight line."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.model.checks import finite
from signorini.model.functions.function import Function


@dataclass(frozen=True)
class Ramp(Function):
    """f(t) = start + slope t."""

    slope: float
    """Per second."""
    start: float = 0.0

    def __post_init__(self) -> None:
        finite(self.slope, "slope of a ramp")
        finite(self.start, "start of a ramp")

    def value(self, time: float) -> float:
        return self.start + self.slope * time

    def derivative(self, time: float) -> float:
        return self.slope

    def second_derivative(self, time: float) -> float:
        return 0.0

    def integral(self, time: float) -> float:
        return (self.start + 0.5 * self.slope * time) * time
