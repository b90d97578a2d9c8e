"""Choice of the step by the local error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import SolverError

ROUND_OFF = 1e-6
"""Steps that differ by less than this share are the same."""


@dataclass(frozen=True)
class StepSize:
    """Accept or reject a step by the estimate of its local error, and choose the next one."""

    tolerance: float = 1e-6
    """Largest local error of a displacement in one step [m, rad]."""
    relative: float = 1e-4
    """The same relative to the displacement of the step; the larger one counts."""
    safety: float = 0.9
    grow: float = 2.0
    """Largest ratio of a step to the one before it."""
    shrink: float = 0.2
    """Smallest such ratio after a rejection."""
    smallest: float = 1e-10
    """[s]; below it the step fails."""
    most: int = 10_000
    """Tries inside one step of the simulation; beyond them the step fails."""

    def __post_init__(self) -> None:
        for name in ("tolerance", "smallest"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise SolverError(f"{name} is {value}, expected a number > 0 such as 1e-6")
        if self.most < 1:
            raise SolverError(f"most is {self.most}, expected 1 or more")
        if not (self.relative >= 0 and 0 < self.safety < 1 and self.grow > 1 and 0 < self.shrink < 1):
            raise SolverError("expected relative >= 0, 0 < safety < 1, grow > 1 and 0 < shrink < 1")

    def first(self, trial: float) -> float:
        """The step to begin with [s], where the last one proposed `trial`."""
        return trial

    def error(self, estimate: Array, displacement: Array) -> float:
        """The local error relative to the tolerance: 1 or less is accepted."""
        allowed = np.maximum(self.tolerance, self.relative * np.abs(displacement))
        return float((np.abs(estimate) / allowed).max(initial=0.0))

    def next(self, h: float, error: float, order: int) -> float:
        """The step after one of h [s] with this error, which goes with h^order, whether it was accepted or not."""
        ratio = float(self.safety * max(error, 1e-12) ** (-1.0 / order))
        return h * min(self.grow, max(self.shrink, ratio))


@dataclass(frozen=True)
class FixedStep:
    """Steps as requested, halved a few times where their equations are not solved."""

    h: float
    """[s]."""
    smallest: float
    """[s]; below it the step fails."""
    most: ClassVar[int] = 1 << 20

    @classmethod
    def halved(cls, h: float, halvings: int) -> FixedStep:
        """Steps of h [s] that may be halved this many times."""
        return cls(h, h * 0.5**halvings * (1 - ROUND_OFF))

    def first(self, trial: float) -> float:
        """The whole step, independent of the last one."""
        return self.h

    def error(self, estimate: Array, displacement: Array) -> float:
        """Any error is accepted."""
        return 0.0

    def next(self, h: float, error: float, order: int) -> float:
        """The same again."""
        return h
