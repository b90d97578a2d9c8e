"""Newton's method on the exact law: one linearisation at a time, and the semismooth step."""

from __future__ import annotations

import numpy as np

from signorini.kernels.interior import coulomb as kernels
from signorini.kernels.interior import starts as interior_starts
from signorini.math.sparse import Array
from signorini.solvers.coulomb.form import Form
from signorini.solvers.coulomb.systems import Linearisation, System

REFINEMENTS = 3
"""Most refinements of a linear solve against the exact system."""
ACCURATE = 1e-7
"""Residuals of the linear system below this share of the right-hand side need no refinement."""
WORTH_WHILE = 0.5
"""Refinement goes on while it shrinks the residual at least by this factor."""


class Newton:
    """Factor once, solve often, refine."""

    def __init__(self, form: Form, system: System) -> None:
        self.form, self._system = form, system
        self.factorisations = 0

    def factor(self, at: Linearisation) -> bool:
        """Use this linearisation until the next call; False when the factorisation fails."""
        self._at = at
        self.factorisations += 1
        return self._system.factor(at)

    def solve(self, right: Array) -> Array:
        """dx of `rest dx + tau (1 + e h') N dx = right`, turned."""
        accurate = ACCURATE * float(np.abs(right).max(initial=0.0))
        dx, last = self._system.solve(right), np.inf
        for _ in range(REFINEMENTS):
            left = self._residual(right, dx)
            size = float(np.abs(left).max(initial=0.0))
            if size <= accurate or not size < WORTH_WHILE * last:
                break
            dx, last = dx + self._system.solve(left), size
        return dx

    def _residual(self, right: Array, dx: Array) -> Array:
        at, start, out = self._at, self.form.start, right.copy()
        du = at.turn(start, self.form.apply(at.turn_back(start, dx)))
        kernels.subtract_product(start, at.tau, at.rest, at.along, at.share, dx, du, out)
        return out

    def semismooth(self, x: Array, slips: Array) -> Array | None:
        """x after one Newton step on `x = P(x - y)` [Qi1993], brought back into the cones; None when it fails."""
        form = self.form
        y, along = form.exact(slips)
        at = Linearisation.blank(form, along, 1.0)
        right = np.empty_like(x)
        kernels.linearise(form.start, x, y, at.frames, at.reflector, at.tau, at.rest, right)
        if not self.factor(at):
            return None
        moved = x + at.turn_back(form.start, self.solve(right))
        if not np.all(np.isfinite(moved)):
            return None
        interior_starts.push_into_cone(form.start, moved, 0.0)
        return moved

    def release(self) -> int:
        """After the last solve; how many factorisations there were."""
        self._system.release()
        return self.factorisations
