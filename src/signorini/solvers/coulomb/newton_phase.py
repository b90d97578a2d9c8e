"""Newton's method on the exact law: semismooth steps while they contract, the interior path where they do not."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.solution import Status
from signorini.solvers.coulomb.continuation import FoldedPath
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.path import ExactPath
from signorini.solvers.coulomb.rules import (
    CLOSE,
    COLD,
    ENTER,
    ENTER_SWEPT,
    EXTRA_GAIN,
    EXTRA_STEPS,
    FAMILIAR,
    FINISH_AGAIN,
    FINISH_BELOW,
    FOLD_FINISH,
    FOLD_FINISH_AGAIN,
    FOLD_PATIENCE,
    GAIN,
    GUESS_SWEEPS,
    LEAST_GAIN,
    LIFT,
    MORE_SWEEPS,
    MOST_MORE,
    MOST_RESTARTS,
    NEARLY,
    PATH_PATIENCE,
    SMOOTH_BELOW,
    SMOOTH_SWEEPS,
)
from signorini.solvers.coulomb.search import Iterate, Search
from signorini.solvers.coulomb.sweep_phase import Sweeps


class NewtonPhase:
    """Improves on given impulses."""

    def __init__(self, newton: ExactNewton, search: Search, sweeps: Sweeps | None, guessed: bool) -> None:
        """`sweeps` where they are cheap; `guessed`: the solve began from a guess."""
        self._extra_gain = EXTRA_GAIN if guessed else math.inf
        self.newton, self.sweeps, self._form, self._search = newton, sweeps, newton.form, search

    def run(self, steps: int, enough: float, share: float | None = None, familiar: float = FAMILIAR) -> Status | None:
        """Improve on the best iterate; a reason to stop, None after so many steps without one.

        Semismooth steps are tried first if its error is below `familiar`. The path begins at `share` of that error from
        the boundary; without one, there if that is close, else from no impulses at all. Once the error is below
        `enough`, a few steps more may improve on it.
        """
        last = self.newton.factorisations + steps
        status = self.polish(self._search.best) if self._search.error < familiar else None
        if status is not None or self._search.error <= enough:
            return status
        return self._follow(self._enter(share), last, enough)

    def run_swept(self, steps: int, enough: float) -> Status | None:
        """The same after sweeps from the best iterate, a guess: what the last step left to do is mostly local.

        Swept impulses are so near the boundary that the path must begin farther inside than their error tells.
        """
        assert self.sweeps is not None
        best = self._search.best
        status = self._smooth(self._form.standard.rows_of(best.contact_impulse, best.joint_impulse), GUESS_SWEEPS)
        if status is not None or self._search.error <= enough:
            return status
        return self.run(steps, enough, ENTER_SWEPT if self._search.error < CLOSE else None, FINISH_BELOW)

    def past_folds(
        self, start: Iterate, share: float, steps: int, enough: float, patience: tuple[int, int] = FOLD_PATIENCE
    ) -> Status | None:
        """Along the path past its folds; begins with the profile of these impulses, `share` of their error inside."""
        x = self._form.standard.rows_of(start.contact_impulse, start.joint_impulse)
        inside = FoldedPath(self.newton, ExactPath.near(self.newton, x, share if np.any(x) else COLD).point)
        last = self.newton.factorisations + steps
        return self._follow(inside, last, enough, 0, (FOLD_FINISH, FOLD_FINISH_AGAIN), patience)

    def _follow(
        self,
        inside: ExactPath | FoldedPath,
        last: int,
        enough: float,
        most_restarts: int = MOST_RESTARTS,
        finish: tuple[float, float] = (FINISH_BELOW, FINISH_AGAIN),
        patience: tuple[int, int] = (PATH_PATIENCE, PATH_PATIENCE),
    ) -> Status | None:
        """Along a path until so many factorisations were made in all.

        Semismooth steps are tried below the first error of `finish`, then each time it has shrunk by the second. As
        many factorisations as `patience` that do not halve the error end it: above that first error, and below it.
        """
        form, restarts, (finish_below, again) = self._form, 0, finish
        halved, least = self.newton.factorisations, math.inf
        before = error = math.inf
        while self.newton.factorisations < last:
            if self._search.error <= enough:
                last, enough = min(last, self.newton.factorisations + EXTRA_STEPS), 0.0
            if enough == 0.0 and not self._extra_gain * before > error:
                return None
            before = error
            if not inside.step(form.slips(inside.x)):
                restarts += 1
                if restarts > most_restarts:
                    return None
                inside = self._enter(LIFT)
            slips = form.slips(inside.x)
            error, status = self._see(inside.x, slips)
            if error < 0.5 * least:
                halved, least = self.newton.factorisations, error
            elif self.newton.factorisations > halved + patience[least < finish[0]]:
                return status
            if status is None and self.sweeps is not None and error < SMOOTH_BELOW * self._search.accepted:
                status = self._smooth(inside.x, SMOOTH_SWEEPS)
            if status is None and error < finish_below:
                finish_below = again * error
                status = self._semismooth(inside.x, slips)
            if status is not None:
                return status
        return None

    def _smooth(self, x: Array, sweeps: int) -> Status | None:
        """Look at what so many sweeps from x lead to, which stays where it is.

        Near the answer a few contacts on the edge between stick, slide and release hold nearly all of the error, and
        the path closes in on those only linearly. Sweeps settle them one by one.
        """
        assert self.sweeps is not None
        x, error = self.sweeps.swept(x, sweeps)
        accepted, before = self._search.accepted, math.inf
        for _ in range(MOST_MORE):
            if not accepted < error < min(NEARLY * accepted, LEAST_GAIN * before):
                break
            before = error
            x, error = self.sweeps.swept(x, MORE_SWEEPS)
        return self._search.see(Iterate(*self._form.standard.impulses(x)), error, counts=False)

    def polish(self, start: Iterate) -> Status | None:
        """Semismooth steps while they contract; a reason to stop, or None."""
        x = self._form.standard.rows_of(start.contact_impulse, start.joint_impulse)
        return self._semismooth(x, self._form.slips(x))

    def _semismooth(self, x: Array, slips: Array) -> Status | None:
        error = self._form.error(x, slips)
        while True:
            moved = self.newton.semismooth(x, slips)
            if moved is None:
                return None
            x, before, slips = moved, error, self._form.slips(moved)
            error, status = self._see(x, slips)
            if status is not None or not error < GAIN * before:
                return status

    def release(self) -> int:
        """After the last step; how many there were."""
        return self.newton.release()

    def _enter(self, share: float | None) -> ExactPath:
        if share is None and not self._search.error < CLOSE:
            return ExactPath.near(self.newton, np.zeros(self._form.rows), COLD)
        best, share = self._search.best, ENTER if share is None else share
        return ExactPath.near(self.newton, self._form.standard.rows_of(best.contact_impulse, best.joint_impulse), share)

    def _see(self, x: Array, slips: Array) -> tuple[float, Status | None]:
        error = self._form.error(x, slips)
        return error, self._search.see(Iterate(*self._form.standard.impulses(x)), error)
