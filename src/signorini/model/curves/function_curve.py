"""A curve that a Python function of the user's draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.checks import vector
from signorini.model.curves.curve import Curve
from signorini.model.user_code import called

STEPS = 0.01 * 0.5 ** np.arange(10)
"""Steps that the differences of sixth order may take, over the length of the interval."""
TRIALS = 17
"""Points at which they are tried."""
OFFSETS = np.arange(-3, 4)
FIRST = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60.0
SECOND = np.array([2, -27, 270, -490, 270, -27, 2]) / 180.0


@dataclass(frozen=True, eq=False)
class FunctionCurve(Curve):
    """c(s) by a function; its derivatives by central differences, so it is asked up to 3 % beyond its interval.

    Their step is the one at which c'' changes least when it is halved.
    """

    function: Callable[[float], Any]
    """Parameter -> three numbers [m]."""
    begin: float
    end: float
    closed: bool

    def inside(self, s: Array) -> tuple[Array, Array, Array]:
        """c, c', c''."""
        return self._derivatives(s, self._step)

    @cached_property
    def _step(self) -> float:
        steps = (self.end - self.begin) * STEPS
        s = np.linspace(self.begin, self.end, TRIALS)
        bends = [self._derivatives(s, h)[2] for h in steps]
        change = [np.abs(near - far).max() for far, near in pairwise(bends)]
        return float(steps[int(np.argmin(change))])

    def _derivatives(self, s: Array, h: float) -> tuple[Array, Array, Array]:
        c = np.array([[self._point(value + k * h) for k in OFFSETS] for value in s])
        first, second = np.einsum("k,skx->sx", FIRST, c) / h, np.einsum("k,skx->sx", SECOND, c) / h**2
        return c[:, 3], first, second

    def _point(self, s: float) -> Array:
        what = f"point of the curve at s = {s:g}"
        return vector(called(self.function, what, float(s)), what)
