"""A Python function of the user's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from signorini.model.functions.function import Function
from signorini.model.user_code import called
from signorini.problem.errors import ModelError

FIRST_STEP, SECOND_STEP = 1e-5, 3e-4
"""Steps of the difference formulas [s]: they balance the error of the formula with round-off for motions of seconds."""
CELL = 0.01
"""The integral is summed over cells of this length [s], by Gauss's rule with five points in each."""
GAUSS_POINTS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(5)


@dataclass(frozen=True, eq=False)
class UserFunction(Function):
    """time [s] -> number; derivatives by differences that never look at times before 0."""

    function: Callable[[float], Any]
    what: str
    """Of what, for messages."""
    _areas: list[float] = field(default_factory=lambda: [0.0], repr=False, init=False)
    """Integrals up to the ends of cells: what has been computed already, never anything else."""

    @property
    def is_data(self) -> bool:
        """It is code."""
        return False

    def value(self, time: float) -> float:
        answer = called(self.function, f"{self.what} at t = {time:g} s", time)
        try:
            number = float(answer)
        except (TypeError, ValueError):
            raise ModelError(f"{self.what} gave {answer!r} at t = {time:g} s, expected a number") from None
        if not math.isfinite(number):
            raise ModelError(f"{self.what} gave {number} at t = {time:g} s, expected a finite number")
        return number

    def derivative(self, time: float) -> float:
        h = FIRST_STEP
        if time < h:
            near, far = self.value(time + h), self.value(time + 2 * h)
            return (4.0 * near - far - 3.0 * self.value(time)) / (2.0 * h)
        return (self.value(time + h) - self.value(time - h)) / (2.0 * h)

    def second_derivative(self, time: float) -> float:
        h = SECOND_STEP
        if time < h:
            f = [self.value(time + k * h) for k in range(4)]
            return (2.0 * f[0] - 5.0 * f[1] + 4.0 * f[2] - f[3]) / h**2
        return (self.value(time + h) - 2.0 * self.value(time) + self.value(time - h)) / h**2

    def integral(self, time: float) -> float:
        whole = max(int(time / CELL), 0)
        while len(self._areas) <= whole:
            k = len(self._areas) - 1
            self._areas.append(self._areas[-1] + self._gauss(k * CELL, (k + 1) * CELL))
        return self._areas[whole] + self._gauss(whole * CELL, time)

    def _gauss(self, begin: float, end: float) -> float:
        half, middle = 0.5 * (end - begin), 0.5 * (end + begin)
        return half * sum(w * self.value(middle + half * x) for x, w in zip(GAUSS_POINTS, GAUSS_WEIGHTS, strict=True))
