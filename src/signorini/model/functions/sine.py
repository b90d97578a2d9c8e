"""A harmonic oscillation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from signorini.model.checks import finite, positive
from signorini.model.functions.function import Function


@dataclass(frozen=True)
class Sine(Function):
    """f(t) = mean + amplitude sin(2 pi frequency t + phase)."""

    amplitude: float
    frequency: float
    """[Hz], > 0."""
    phase: float = 0.0
    """[rad]."""
    mean: float = 0.0

    def __post_init__(self) -> None:
        positive(self.frequency, "frequency of a sine")
        for name in ("amplitude", "phase", "mean"):
            finite(getattr(self, name), f"{name} of a sine")

    @cached_property
    def rate(self) -> float:
        """Angular frequency [rad/s]."""
        return 2.0 * math.pi * self.frequency

    def value(self, time: float) -> float:
        return self.mean + self.amplitude * math.sin(self.rate * time + self.phase)

    def derivative(self, time: float) -> float:
        return self.amplitude * self.rate * math.cos(self.rate * time + self.phase)

    def values_at(self, times: Sequence[float]) -> list[float]:
        mean, amplitude, rate, phase, sin = self.mean, self.amplitude, self.rate, self.phase, math.sin
        return [mean + amplitude * sin(rate * time + phase) for time in times]

    def derivatives_at(self, times: Sequence[float]) -> list[float]:
        most, rate, phase, cos = self.amplitude * self.rate, self.rate, self.phase, math.cos
        return [most * cos(rate * time + phase) for time in times]

    def second_derivative(self, time: float) -> float:
        return -self.amplitude * self.rate**2 * math.sin(self.rate * time + self.phase)

    def integral(self, time: float) -> float:
        wave = math.cos(self.phase) - math.cos(self.rate * time + self.phase)
        return self.mean * time + self.amplitude / self.rate * wave
