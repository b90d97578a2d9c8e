"""From one level to another without a jerk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from signorini.math.sparse import Array
from signorini.model.checks import finite, positive
from signorini.model.functions.function import Function

QUINTIC = (6.0, -15.0, 10.0, 0.0, 0.0, 0.0)
"""6 s^5 - 15 s^4 + 10 s^3: from 0 to 1 with slopes and curvatures 0 at both ends."""
FIRST, SECOND, AREA = (
    tuple(other.tolist()) for other in (np.polyder(QUINTIC), np.polyder(QUINTIC, 2), np.polyint(QUINTIC))
)
"""Its derivatives and its integral."""


@dataclass(frozen=True)
class SmoothStep(Function):
    """`low` until `begin`, `high` from `begin + duration` on, between them a polynomial with two derivatives."""

    high: float
    duration: float
    """[s], > 0."""
    low: float = 0.0
    begin: float = 0.0
    """[s]."""

    def __post_init__(self) -> None:
        positive(self.duration, "duration of a smooth step")
        for name in ("high", "low", "begin"):
            finite(getattr(self, name), f"{name} of a smooth step")

    def value(self, time: float) -> float:
        return self.low + (self.high - self.low) * self._at(QUINTIC, time)

    def values_at(self, times: Sequence[float]) -> list[float]:
        found: list[float] = (self.low + (self.high - self.low) * self._at_all(QUINTIC, times)).tolist()
        return found

    def derivatives_at(self, times: Sequence[float]) -> list[float]:
        found: list[float] = ((self.high - self.low) / self.duration * self._at_all(FIRST, times)).tolist()
        return found

    def _at_all(self, polynomial: tuple[float, ...], times: Sequence[float]) -> Array:
        share = np.clip((np.asarray(times) - self.begin) / self.duration, 0.0, 1.0)
        value = np.zeros(len(share))
        for coefficient in polynomial:
            value = value * share + coefficient
        return value

    def derivative(self, time: float) -> float:
        return (self.high - self.low) / self.duration * self._at(FIRST, time)

    def second_derivative(self, time: float) -> float:
        return (self.high - self.low) / self.duration**2 * self._at(SECOND, time)

    def integral(self, time: float) -> float:
        return self._area(time) - self._area_before_start

    @cached_property
    def _area_before_start(self) -> float:
        return self._area(0.0)

    def _area(self, time: float) -> float:
        """From `begin` to `time`."""
        after = max(time - self.begin - self.duration, 0.0)
        rise = self.duration * self._at(AREA, time) + after
        return self.low * (time - self.begin) + (self.high - self.low) * rise

    def _at(self, polynomial: tuple[float, ...], time: float) -> float:
        share, value = min(max((time - self.begin) / self.duration, 0.0), 1.0), 0.0
        for coefficient in polynomial:
            value = value * share + coefficient
        return value
