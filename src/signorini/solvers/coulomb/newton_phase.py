"""Newton's method on the exact law: semismooth steps while they contract, the interior path where they do not."""

from __future__ import annotations

from signorini.math.sparse import Array
from signorini.problem.solution import Status
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.path import ExactPath
from signorini.solvers.coulomb.search import Iterate, Search

GAIN = 0.3
"""A semismooth step is kept when it shrinks the error at least by this factor."""
FINISH_BELOW = 1e-3
"""Error from which semismooth steps are tried again from the path."""
FINISH_AGAIN = 0.3
"""After a failed one the error must shrink by this factor before the next try."""
ENTER = 1.0
"""The path begins as far from the boundary of the cones as this share of the error of the point that it starts from,"""
LIFT = 3.0
"""and where that led nowhere, as far as this."""


class NewtonPhase:
    """Improves on given impulses."""

    def __init__(self, newton: ExactNewton, search: Search) -> None:
        self._newton, self._form, self._search = newton, newton.form, search

    def run(self, steps: int, share: float = ENTER) -> Status | None:
        """Start from the best iterate; a reason to stop, None after so many steps without one."""
        form, last = self._form, self._newton.factorisations + steps
        status = self.polish(self._search.best)
        if status is not None:
            return status
        inside = self._enter(share)
        finish_below = FINISH_BELOW
        while self._newton.factorisations < last:
            if not inside.step(form.slips(inside.x)):
                inside = self._enter(LIFT)
            slips = form.slips(inside.x)
            error, status = self._see(inside.x, slips)
            if status is None and error < finish_below:
                finish_below = FINISH_AGAIN * error
                status = self._semismooth(inside.x, slips)
            if status is not None:
                return status
        return None

    def polish(self, start: Iterate) -> Status | None:
        """Semismooth steps while they contract; a reason to stop, or None."""
        x = self._form.standard.rows_of(start.contact_impulse, start.joint_impulse)
        return self._semismooth(x, self._form.slips(x))

    def _semismooth(self, x: Array, slips: Array) -> Status | None:
        error = self._form.error(x, slips)
        while True:
            moved = self._newton.semismooth(x, slips)
            if moved is None:
                return None
            x, before, slips = moved, error, self._form.slips(moved)
            error, status = self._see(x, slips)
            if status is not None or not error < GAIN * before:
                return status

    def release(self) -> int:
        """After the last step; how many there were."""
        return self._newton.release()

    def _enter(self, share: float) -> ExactPath:
        best = self._search.best
        return ExactPath.near(
            self._newton, self._form.standard.rows_of(best.contact_impulse, best.joint_impulse), share
        )

    def _see(self, x: Array, slips: Array) -> tuple[float, Status | None]:
        error = self._form.error(x, slips)
        return error, self._search.see(Iterate(*self._form.standard.impulses(x)), error)
