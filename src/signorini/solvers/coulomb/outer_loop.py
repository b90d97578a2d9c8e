"""One solve: a convex answer first, then rounds of Newton's method and of the fixed point until one of them arrives."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, finish, starting_impulses, starting_velocity
from signorini.solvers.coulomb.exact_newton import ExactNewton
from signorini.solvers.coulomb.fixed_point import FixedPoint
from signorini.solvers.coulomb.form import exact_form
from signorini.solvers.coulomb.newton_phase import ENTER, LIFT, NewtonPhase
from signorini.solvers.coulomb.search import Iterate, Search
from signorini.solvers.coulomb.systems import make_system

if TYPE_CHECKING:
    from signorini.solvers.coulomb.solver import Coulomb

INEXACT = 0.05
"""Convex problems are solved to this share of the present error,"""
TIGHTEST, LOOSEST = 0.1, 1e-4
"""but never better than this share of the tolerance, nor worse than this."""
NEWTON_STEPS = 40
CONVEX_SOLVES = 8
"""Newton steps and convex solves of one round."""
PROGRESS = 0.7
"""A round that does not shrink the error by this factor is the last."""
FAMILIAR = 0.3
"""A guess with an error below this is tried before any convex problem is solved."""


class OuterLoop:
    """The state of one solve of one problem."""

    def __init__(self, settings: Coulomb, problem: ContactProblem, guess: Guess | Solution | None) -> None:
        self._settings, self._problem, self._guess = settings, problem, guess
        self._monitor = Monitor(settings.tolerance, settings.max_iterations, settings.time_budget)
        start = Iterate(*starting_impulses(problem, guess), starting_velocity(problem, guess))
        self._search = Search(problem, self._monitor, start)
        self._outer = FixedPoint(problem, settings.inner, settings.depth)
        self._contradiction = False

    def run(self) -> Solution:
        """Begin, go round, and hand the best iterate to the judge."""
        reason, share = self._begin(), ENTER
        while reason is None:
            before = self._search.error
            if self._exact is not None:
                reason, share = self._exact.run(NEWTON_STEPS, share), LIFT
            if reason is None:
                reason = self._fixed_point()
            if reason is None and not self._search.error < PROGRESS * before:
                reason = Status.INFEASIBLE if self._contradiction else Status.NO_SOLUTION
        return self._result(reason)

    @cached_property
    def _exact(self) -> NewtonPhase | None:
        """Newton's method, where it is wanted, of use and possible; made when it is first needed."""
        cones = self._problem.cones
        if not self._settings.newton or not cones.is_plain or not np.any(cones.friction > 0):
            return None
        form = exact_form(self._problem)
        if form is None:
            return None
        system = make_system(form, self._settings.linear, self._settings.delta)
        return NewtonPhase(ExactNewton(form, system), self._search)

    def _begin(self) -> Status | None:
        """From the guess if that is near, else from the convex problem."""
        if self._guess is not None and self._guess.contact_impulse is not None:
            best = self._search.best
            start = Iterate(best.contact_impulse, best.joint_impulse)
            if self._search.measure(start) < FAMILIAR:
                reason = None if self._exact is None else self._exact.polish(start)
                if reason is not None:
                    return reason
                self._outer.restart(start)
        reason = self._convex(self._guess, TIGHTEST * self._settings.tolerance)
        self._contradiction = self._outer.last.status is Status.INFEASIBLE
        return reason

    def _fixed_point(self) -> Status | None:
        """Convex solves from the best iterate."""
        self._outer.restart(self._search.best)
        guess: Guess | Solution | None = None
        least = TIGHTEST * self._settings.tolerance
        for _ in range(CONVEX_SOLVES):
            reason = self._convex(guess, min(max(INEXACT * self._search.error, least), LOOSEST))
            if reason is not None:
                return reason
            guess = self._outer.last
            self._outer.advance()
        return None

    def _convex(self, guess: Guess | Solution | None, tolerance: float) -> Status | None:
        seconds = max(self._settings.time_budget - self._monitor.elapsed, 1e-3)
        iterate = Iterate.of(self._outer.solve(guess, tolerance, seconds))
        return self._search.see(iterate, self._search.measure(iterate))

    def _result(self, reason: Status) -> Solution:
        # The cached one, if it was made.
        exact: NewtonPhase | None = self.__dict__.get("_exact")
        steps = 0 if exact is None else exact.release()
        settings, best, outer = self._settings, self._search.best, self._outer
        return finish(
            self._problem, f"{settings.name}({settings.inner.name})", self._monitor, reason,
            best.contact_impulse, best.joint_impulse, best.velocity,
            detail=f"{outer.solves} convex solves of {outer.inner_iterations} iterations, {steps} Newton steps",
            law="coulomb",
        )  # fmt: skip
