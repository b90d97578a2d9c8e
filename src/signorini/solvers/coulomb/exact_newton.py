"""Newton's method on the exact law: one linearisation at a time, and the semismooth step."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.interior import starts as interior_starts
from signorini.kernels.interior import steps as interior_steps
from signorini.math.sparse import Array
from signorini.solvers.coulomb.form import ExactForm
from signorini.solvers.coulomb.rules import ACCURATE
from signorini.solvers.coulomb.search import Budget
from signorini.solvers.coulomb.systems import Linearisation, UnsymmetricSystem
from signorini.solvers.linear.refinement import largest


class ExactNewton:
    """Factor once, solve often, refine."""

    def __init__(self, form: ExactForm, system: UnsymmetricSystem, delta: float, budget: Budget) -> None:
        """`delta` regularises linear systems whose answers are refined."""
        self.form, self.delta, self._system, self._budget = form, delta, system, budget
        self.factorisations = 0

    def factor(self, at: Linearisation) -> bool:
        """Use this linearisation until the next call; False when the factorisation fails."""
        self.factorisations += 1
        self._budget.spent += 1
        return self._system.factor(at)

    @property
    def orientation(self) -> int:
        """Sign of the determinant of the last linearisation, 0 where its factorisation does not tell."""
        return self._system.orientation()

    def solve(self, right: Array) -> Array:
        """dx of `rest dx + tau (1 + e h') N dx = right`, turned."""
        return self._system.solve(right, ACCURATE * largest(right))

    def semismooth(self, x: Array, slips: Array, proximal: float = 0.0) -> Array | None:
        """x after one Newton step on `x = P(x - y)` [Qi1993], brought back into the cones; None when it fails.

        With `proximal` the step solves the problem in which moving away from x costs that much, `N + proximal`.
        """
        form = self.form
        y, along = form.exact(slips)
        at = Linearisation.blank(form, along, proximal or self.delta)
        right = np.empty_like(x)
        interior_steps.linearise(form.start, x, y, at.scaling.frames, at.scaling.reflector, at.tau, at.rest, right)
        if not self.factor(at):
            return None
        step = self._system.solve(right, math.inf) if proximal else self.solve(right)
        moved = x + at.scaling.turn_back(step)
        if not np.all(np.isfinite(moved)):
            return None
        interior_starts.push_into_cone(form.start, moved, 0.0)
        return moved

    def release(self) -> int:
        """After the last solve; how many factorisations there were."""
        self._system.release()
        return self.factorisations
