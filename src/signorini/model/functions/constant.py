"""A constant."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.model.checks import finite
from signorini.model.functions.function import Function


@dataclass(frozen=True)
class Constant(Function):
    """f(t) = level."""

    level: float

    def __post_init__(self) -> None:
        finite(self.level, "level of a constant")

    @property
    def stands_still(self) -> bool:
        """Always."""
        return True

    def value(self, time: float) -> float:
        return self.level

    def derivative(self, time: float) -> float:
        return 0.0

    def second_derivative(self, time: float) -> float:
        return 0.0

    def integral(self, time: float) -> float:
        return self.level * time
