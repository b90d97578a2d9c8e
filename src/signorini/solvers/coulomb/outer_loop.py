"""One solve of the exact law: a list of ways, each tried from the best iterate so far until one arrives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, finish, starting_impulses, starting_velocity
from signorini.solvers.cone_newton.error_estimate import hides_slips
from signorini.solvers.coulomb.dense import is_dense, solve_dense
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.fixed_point import FixedPoint
from signorini.solvers.coulomb.form import exact_form
from signorini.solvers.coulomb.newton_phase import NewtonPhase
from signorini.solvers.coulomb.rules import EXTRA_STEPS, FOLD_ENTER, FOLD_PATIENCE, FOLD_PATIENCE_LARGE, LIFT
from signorini.solvers.coulomb.search import Budget, Iterate, Search
from signorini.solvers.coulomb.sweep_phase import SweepPhase, Sweeps
from signorini.solvers.coulomb.systems import make_system
from signorini.solvers.first_order import make_dual, make_pair_dual

if TYPE_CHECKING:
    from signorini.solvers.coulomb.solver import Coulomb

INEXACT = 0.05
"""Convex problems are solved to this share of the present error,"""
TIGHTEST, LOOSEST = 0.01, 1e-4
"""but never better than this share of the tolerance, nor worse than this."""
DENSE_STEPS, WARM_STEPS, COLD_STEPS, NEWTON_STEPS, CONVEX_SOLVES = 80, 25, 60, 40, 8
"""Newton steps of the compiled loop, of the first try with and without a guess, of one round, and its convex solves."""
CONVEX_PATIENCE = 3
"""Convex solves of a round that may be without progress in large problems that Newton's method is used for."""
CONVEX_EFFORT = 20
"""Most factorisations that a convex solve counts for: first-order solvers make many more iterations, but cheap ones."""
CONVEX_RESERVE = 40
"""Factorisations that the continuation past folds leaves to the ways after it."""
ROUNDS = 90
"""Proximal Newton steps with sweeps after each."""
LARGE = 2000
"""Contacts from which 300 sweeps take less time than a factorisation (judged by piles of 700 and of 3000 contacts): a
guess is improved by sweeps and proximal steps before the interior path is tried, and ways that need many factorisations
end earlier."""
PROGRESS = 0.7
"""A round that does not shrink the error by this factor is the last."""
AIM = 0.01
"""Every way aims at this share of the tolerance, for which Newton's method usually needs a step or two more; what it
reaches counts as solved from the tolerance on."""
SWEEP_SCALING = "anisotropic"
"""Scaling of the sweeps."""
ROUND_OFF_TOLERANCE = 1e-12
"""No convex problem is solved better than this."""

Way = Callable[[], Status | None]
"""Improves on the best iterate; a reason to stop, or None to let the next way try."""


class OuterLoop:
    """The state of one solve of one problem."""

    def __init__(self, settings: Coulomb, problem: ContactProblem, guess: Guess | Solution | None) -> None:
        self._settings, self._problem, self._guess = settings, problem, guess
        self._monitor = Monitor(AIM * settings.tolerance, settings.max_iterations, settings.time_budget)
        self._start = start = Iterate(*starting_impulses(problem, guess), starting_velocity(problem, guess))
        self._budget = Budget(settings.max_factorisations if settings.newton else sys.maxsize)
        self._search = Search(problem, self._monitor, self._budget, start, settings.tolerance)
        self._outer = FixedPoint(problem, settings.inner, settings.depth)
        self._contradiction, self._dense_steps = False, 0
        self._known = guess is not None and guess.contact_impulse is not None
        self._is_large = problem.contacts >= LARGE

    def run(self) -> Solution:
        """Try the ways in order, then alternate Newton's method and the fixed point, and measure the best iterate."""
        slides = bool(np.any(self._problem.cones.friction > 0))
        newton = self._settings.newton and slides and self._problem.cones.is_plain
        for way in self._ways(newton):
            reason = way()
            if reason is None and self._search.error <= self._settings.tolerance:
                reason = Status.SOLVED
            if reason is not None:
                return self._result(reason)
        return self._result(self._rounds(newton))

    def _ways(self, newton: bool) -> list[Way]:
        """What to try, in order."""
        first: list[Way] = [] if self._problem.joint_rows or not self._problem.cones.is_plain else [self._idle]
        dense = self._settings.newton and is_dense(self._problem) and (newton or not self._problem.cones.is_plain)
        own: list[Way] = [self._dense, self._dense_from_idle] if dense else []
        if newton:
            own += [self._sweeps_from_guess] if self._known and self._is_large else []
            own += [self._newton_from_start, self._sweeps, self._past_folds, self._sweeps]
            own += [] if self._is_large else [self._past_folds_from_inside]
        # Impulses that hide all slips in their round-off, as under extreme ratios of masses, are for the convex solver.
        hidden = self._known and hides_slips(self._problem, self._search.best.contact_impulse, self._settings.tolerance)
        if not own and self._known and not hidden:
            own = [self._fixed_point_from_guess]
        return [*first, self._convex_from_start, *own] if hidden else [*first, *own, self._convex_from_start]

    def _rounds(self, newton: bool) -> Status:
        """Newton's method from the best iterate and the fixed point in turn, while they gain on the error."""
        while True:
            before = self._search.error
            reason = self._newton(NEWTON_STEPS, LIFT) if newton else None
            reason = reason or self._fixed_point(CONVEX_PATIENCE if newton and self._is_large else CONVEX_SOLVES)
            if reason is not None:
                return reason
            if self._search.error <= self._settings.tolerance:
                return Status.SOLVED
            if not self._search.error < PROGRESS * before:
                return Status.INFEASIBLE if self._contradiction else Status.NO_SOLUTION

    # --- ways ----------------------------------------------------------------------------------------------------

    def _idle(self) -> Status | None:
        """No impulses at all, where no contact closes."""
        first = self._problem.cones.start[:-1]
        if not np.all(self._problem.r[first] > 0.0):
            return None
        none = Iterate(np.zeros(self._problem.contact_rows), np.zeros(0))
        error = self._search.measure(none)
        return self._search.see(none, error, counts=False) if error <= self._settings.tolerance else None

    def _dense(self) -> Status | None:
        """The compiled loop of small problems."""
        return self._dense_from(self._search.best.contact_impulse if self._known else None)

    def _dense_from_idle(self) -> Status | None:
        """The same from no impulses: under ratios of masses of 10^6 the free motion is no measure of the impulses."""
        return self._dense_from(np.zeros(self._problem.contact_rows))

    def _dense_from(self, guess: Array | None) -> Status | None:
        settings = self._settings
        most = min(DENSE_STEPS, settings.max_iterations, self._budget.left)
        answer, _, steps = solve_dense(self._problem, guess, self._monitor.tolerance, most, settings.delta)
        self._dense_steps += steps
        self._budget.spent += steps
        self._monitor.iterations = max(self._dense_steps - 1, 0)
        reason = self._search.see(answer, self._search.measure(answer))
        return reason if reason is Status.SOLVED else None

    def _newton_from_start(self) -> Status | None:
        """The interior path on the exact law, from the guess or from nothing."""
        reason = self._see_guess()
        if reason is not None or self._exact is None:
            return reason
        enough = self._settings.tolerance
        if self._known and self._exact.sweeps is not None:
            return self._exact.run_swept(WARM_STEPS, enough)
        return self._exact.run(WARM_STEPS if self._known else COLD_STEPS, enough)

    def _sweeps_from_guess(self) -> Status | None:
        """Sweeps and proximal Newton steps before anything else, where sweeps are cheap beside a factorisation."""
        reason = self._see_guess()
        return reason if reason is not None or self._exact is None or self._exact.sweeps is None else self._sweeps()

    def _see_guess(self) -> Status | None:
        if not self._known:
            return None
        best = Iterate(self._search.best.contact_impulse, self._search.best.joint_impulse)
        return self._search.see(best, self._search.measure(best), counts=False)

    def _sweeps(self) -> Status | None:
        """Sweeps and proximal Newton steps in turn, from the best iterate."""
        if self._exact is None:
            return None
        enough, newton = self._settings.tolerance, self._exact.newton
        sweeps = self._exact.sweeps or Sweeps(newton.form, make_dual(self._problem, SWEEP_SCALING))
        phase = SweepPhase(newton, self._search, sweeps)
        reason = phase.run(ROUNDS, enough)
        if reason is None and self._search.error <= enough:
            reason = self._exact.polish(self._search.best)
            if reason is None and not self._known:
                reason = phase.run(EXTRA_STEPS, self._monitor.tolerance)
        return reason

    def _past_folds(self) -> Status | None:
        """The interior path past its folds, from the guess."""
        return self._continue_from(FOLD_ENTER[0], 0.7 if self._known and not self._is_large else 1.0)

    def _past_folds_from_inside(self) -> Status | None:
        """The same from far inside."""
        return self._continue_from(FOLD_ENTER[1], 1.0) if self._known else None

    def _continue_from(self, share: float, effort: float) -> Status | None:
        """With so much of the budget that is left."""
        if self._exact is None:
            return None
        steps = round(effort * (self._budget.left - CONVEX_RESERVE))
        patience = FOLD_PATIENCE_LARGE if self._is_large else FOLD_PATIENCE
        return self._exact.past_folds(self._start, share, steps, self._settings.tolerance, patience)

    def _newton(self, steps: int, share: float | None = None) -> Status | None:
        return None if self._exact is None else self._exact.run(steps, self._settings.tolerance, share)

    def _convex_from_start(self) -> Status | None:
        """The convex problem, which is the exact law where nothing slides; a contradiction shows here."""
        reason = self._convex(self._guess, TIGHTEST * self._settings.tolerance)
        self._contradiction = self._outer.last.status is Status.INFEASIBLE
        return reason

    def _fixed_point_from_guess(self) -> Status | None:
        """Convex problems shifted by the slips of the guess, which change little from step to step."""
        return self._see_guess() or self._fixed_point(CONVEX_PATIENCE)

    def _fixed_point(self, patience: int) -> Status | None:
        """Convex solves from the best iterate, until so many have not improved on it."""
        self._outer.restart(self._search.best)
        guess: Guess | Solution | None = None
        least = TIGHTEST * self._settings.tolerance
        before, improved = self._search.error, 0
        for k in range(CONVEX_SOLVES):
            reason = self._convex(guess, min(max(INEXACT * self._search.error, least), LOOSEST))
            if reason is not None:
                return reason
            if self._search.error < PROGRESS * before:
                before, improved = self._search.error, k + 1
            elif k + 1 >= improved + patience:
                return None
            guess = self._outer.last
            self._outer.advance()
        return None

    def _convex(self, guess: Guess | Solution | None, tolerance: float) -> Status | None:
        seconds = max(self._settings.time_budget - self._monitor.elapsed, 1e-3)
        iterate = Iterate.of(self._outer.solve(guess, max(tolerance, ROUND_OFF_TOLERANCE), seconds))
        self._budget.spent += min(self._outer.last.iterations, CONVEX_EFFORT)
        return self._search.see(iterate, self._search.measure(iterate))

    @cached_property
    def _exact(self) -> NewtonPhase | None:
        """Newton's method, None for a problem without a form for it; made when it is first needed."""
        form = exact_form(self._problem)
        if form is None:
            return None
        system = make_system(form, self._settings.linear)
        newton = ExactNewton(form, system, self._settings.delta, self._budget)
        # Joints carry impulses too far for a few sweeps.
        pairs = None if self._problem.joint_rows else make_pair_dual(self._problem, SWEEP_SCALING)
        return NewtonPhase(newton, self._search, None if pairs is None else Sweeps(form, pairs), self._known)

    def _result(self, reason: Status) -> Solution:
        # The cached one, if it was made.
        exact: NewtonPhase | None = self.__dict__.get("_exact")
        steps = self._dense_steps + (0 if exact is None else exact.release())
        settings, best, outer = self._settings, self._search.best, self._outer
        self._monitor.tolerance = settings.tolerance
        return finish(
            self._problem, f"{settings.name}({settings.inner.name})", self._monitor, reason,
            best.contact_impulse, best.joint_impulse, best.velocity,
            detail=f"{outer.solves} convex solves of {outer.inner_iterations} iterations, {steps} Newton steps",
            law="coulomb",
        )  # fmt: skip
