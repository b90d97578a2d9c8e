"""Values at given times, joined smoothly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PPoly

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.checks import finite_vector
from signorini.model.functions.function import Function
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class Table(Function):
    """The cubic spline through (times, values), twice differentiable; straight on before the first and after the last.

    The second derivative is 0 at both ends (a natural spline), so the straight parts join smoothly.
    """

    times: Array
    """[s], rising, shape (n,), n >= 2."""
    values: Array
    """Shape (n,)."""

    def __post_init__(self) -> None:
        times, values = (finite_vector(getattr(self, name), f"{name} of a table") for name in ("times", "values"))
        if len(times) != len(values) or len(times) < 2:
            raise ModelError(f"a table has {len(times)} times and {len(values)} values, expected as many, at least 2")
        if np.any(np.diff(times) <= 0):
            k = int(np.argmax(np.diff(times) <= 0))
            raise ModelError(f"times of a table fall from {times[k]:g} to {times[k + 1]:g} s, expected rising ones")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        return f"Table({len(self.times)} points from {self.times[0]:g} to {self.times[-1]:g} s)"

    @cached_property
    def _spline(self) -> PPoly:
        return CubicSpline(self.times, self.values, bc_type="natural")

    @cached_property
    def _area(self) -> PPoly:
        return self._spline.antiderivative()

    def value(self, time: float) -> float:
        inside, beyond = self._split(time)
        return float(self._spline(inside)) + beyond * float(self._spline(inside, 1))

    def derivative(self, time: float) -> float:
        return float(self._spline(self._split(time)[0], 1))

    def second_derivative(self, time: float) -> float:
        inside, beyond = self._split(time)
        return float(self._spline(inside, 2)) if beyond == 0.0 else 0.0

    def integral(self, time: float) -> float:
        return self._until(time) - self._until(0.0)

    def _until(self, time: float) -> float:
        inside, beyond = self._split(time)
        straight = beyond * (float(self._spline(inside)) + 0.5 * beyond * float(self._spline(inside, 1)))
        return float(self._area(inside)) + straight

    def _split(self, time: float) -> tuple[float, float]:
        """The nearest time of the table, and how far beyond it `time` is."""
        inside = min(max(time, float(self.times[0])), float(self.times[-1]))
        return inside, time - inside
