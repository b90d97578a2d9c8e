"""Stagnation: full steps that change nothing, because the linear system is not solved any more."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

FULL = 0.9
"""Steps longer than this should leave a tenth of the residuals,"""
UNANSWERED = 0.5
"""and certainly less than this share of what they were, and of the error."""
MOST_STAGNANT = 4
"""So many such steps in a row end the solve: infeasible problems look the same until their impulses prove it."""


@dataclass
class Stagnation:
    """Watches whether full steps leave the slips where they were.

    That is so when masses differ so much that delta is larger than what it regularises.
    """

    _error: float = math.inf
    _owed: float = math.inf
    _count: int = 0

    def detected(self, step: float, error: float, rest: Callable[[], float]) -> bool:
        """Whether to give up after a step of that length; `rest` is the share of the slip residuals in the error."""
        slow = step > FULL and error > UNANSWERED * self._error
        left = rest() if slow else math.inf
        stagnant = slow and left > UNANSWERED * max(self._owed, error)
        self._error, self._owed, self._count = error, left, self._count + 1 if stagnant else 0
        return self._count > MOST_STAGNANT
