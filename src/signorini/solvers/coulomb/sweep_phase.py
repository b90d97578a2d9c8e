"""Sweeps and Newton steps in turn, for piles at which the interior path gets stuck.

Sliding contacts that wedge one another make the derivative of the law indefinite: the path then folds back and Newton's
method alone cycles. Gauss-Seidel sweeps by the exact law are slow but never mislead: every contact by itself has one
answer. So proximal semismooth steps carry impulses across the pile, and sweeps after each correct which contacts
stick, slide or part.
"""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.solution import Status
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.form import ExactForm
from signorini.solvers.coulomb.rules import (
    CONTRACTS,
    FIRST_SWEEPS,
    GAIN,
    PROXIMAL,
    PROXIMAL_LEAST,
    STANDSTILL,
    SWEEP_PATIENCE,
    SWEEPS,
    TOO_FAR,
)
from signorini.solvers.coulomb.search import Iterate, Search
from signorini.solvers.first_order import Dual


class Sweeps:
    """Gauss-Seidel sweeps by the exact law in the units of a form."""

    def __init__(self, form: ExactForm, dual: Dual) -> None:
        self._form, self._dual = form, dual

    def swept(self, x: Array, sweeps: int) -> tuple[Array, float]:
        """x after so many sweeps, and its error."""
        form = self._form
        contact, joint = form.standard.impulses(x)
        swept = self._dual.begin(np.concatenate((contact, joint)))
        self._dual.conjugate_sweeps(sweeps, swept, exact=True)
        impulses = self._dual.impulses(swept)
        x = form.standard.rows_of(impulses[: len(contact)], impulses[len(contact) :])
        return x, form.error(x, form.slips(x))


class SweepPhase:
    """Improves on the best iterate of a search."""

    def __init__(self, newton: ExactNewton, search: Search, sweeps: Sweeps) -> None:
        self._newton, self._form, self._search, self._sweeps = newton, newton.form, search, sweeps

    def run(self, rounds: int, enough: float) -> Status | None:
        """Rounds of one proximal step and sweeps, until the error is below `enough`; a reason to stop, or None."""
        best = self._search.best
        x, error = self._sweeps.swept(
            self._form.standard.rows_of(best.contact_impulse, best.joint_impulse), FIRST_SWEEPS
        )
        weight, halved, least = PROXIMAL, 0, error
        for k in range(rounds):
            status = self._see(x, error)
            if status is not None or self._search.error <= enough:
                return status
            if error < 0.5 * least:
                halved, least = k, error
            elif k > halved + SWEEP_PATIENCE:
                return None
            moved, next_error = self._round(x, error, weight)
            if next_error < CONTRACTS * error or STANDSTILL[0] * error < next_error < STANDSTILL[1] * error:
                weight = max(0.5 * weight, PROXIMAL_LEAST)
            elif not next_error < error:
                weight = min(2.0 * weight, PROXIMAL)
            x, error = (moved, next_error) if next_error < TOO_FAR * error else self._sweeps.swept(x, SWEEPS)
        return self._see(x, error)

    def _round(self, x: Array, error: float, weight: float) -> tuple[Array, float]:
        """A proximal step, then sweeps unless it was good by itself; and the error there."""
        moved = self._newton.semismooth(x, self._form.slips(x), weight)
        if moved is None:
            return x, np.inf
        reached = self._form.error(moved, self._form.slips(moved))
        return (moved, reached) if reached < GAIN * error else self._sweeps.swept(moved, SWEEPS)

    def _see(self, x: Array, error: float) -> Status | None:
        return self._search.see(Iterate(*self._form.standard.impulses(x)), error)
