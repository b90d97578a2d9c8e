"""Stopping rules of the barrier: the certificate's error, or those of the document."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.sparse import Array
from signorini.solvers.primal_dual_barrier.iterate import Iterate
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem


@dataclass
class ChangeWatch:
    """Watches the objective `1/2 lambda'N lambda + r'lambda` and the impulses from iterate to iterate."""

    stop: str
    """`error`: never by changes; `objective`, `forces`: when these change by less than `change`."""
    change: float
    """Relative to the objective, or to the largest impulse [-]."""
    goal: float
    """An objective that is low enough [J]."""
    _objective: float = np.inf
    _impulses: Array = field(default_factory=lambda: np.zeros(0))

    def is_met(self, scaled: ScaledProblem, at: Iterate) -> bool:
        """Whether a rule accepts the iterate; called once per iterate."""
        before, old = self._objective, self._impulses
        self._objective, self._impulses = scaled.objective(at.x, at.u), at.x
        if self._objective <= self.goal:
            return True
        if self.stop == "objective":
            return abs(before - self._objective) <= self.change * abs(self._objective)
        if self.stop == "forces" and len(old) == len(at.x):
            moved = np.abs(scaled.scale * (at.x - old)).max(initial=0.0)
            return bool(moved <= self.change * np.abs(scaled.scale * at.x).max(initial=0.0))
        return False
