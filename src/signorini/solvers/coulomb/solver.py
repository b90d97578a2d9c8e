"""The exact Coulomb law by an outer loop around any solver of the convex problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers import make_solver
from signorini.solvers.base import Monitor, Solver, check_settings, finish, starting_impulses, starting_velocity
from signorini.solvers.coulomb.exact import Exact
from signorini.solvers.coulomb.fixed_point import FixedPoint
from signorini.solvers.coulomb.make_form import make_form
from signorini.solvers.coulomb.newton import Newton
from signorini.solvers.coulomb.search import Iterate, Search
from signorini.solvers.coulomb.systems import make_system

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
"""A guess with an error below this is tried before the convex problem is solved."""


@dataclass(frozen=True)
class Coulomb:
    """Exact Coulomb friction: a convex solver, the de Saxce term on top of it, Newton's method to end it.

    The exact law is the convex problem with `mu |u_t|` added to the normal slips u_n. It is solved for the first time
    without the term; then Newton's method on the exact law takes over, and where that fails the outer fixed point
    `s <- mu |u_t(s)|` with Anderson's acceleration, in turn. Mathematics: `README.md` in this folder.
    """

    name: ClassVar[str] = "coulomb"

    inner: Solver = field(default_factory=lambda: make_solver("interior-point"))
    """Solver of the convex problems; its tolerance is set by the outer loop."""
    tolerance: float = 1e-6
    """Largest `Certificate.error` of the exact law of a solved problem [-]; the loop asks for it in `abh` too."""
    max_iterations: int = 300
    """Most outer iterations: convex solves and Newton steps."""
    time_budget: float = math.inf
    """Wall time after which the best iterate is returned [s]; looked at between outer iterations."""
    newton: bool = True
    """Whether to use Newton's method; False for problems too large to be factored: then only convex solves are made."""
    depth: int = 5
    """Earlier convex solves that the acceleration combines; 0 for the plain fixed point."""
    linear: str = "auto"
    """Linear back end of Newton's method: `auto`, `pardiso`, `mumps`, `superlu`, `dense`."""
    delta: float = 1e-8
    """Regularisation of its linear systems, in units where the diagonal of N is 1."""

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)
        if not callable(getattr(self.inner, "solve", None)):
            raise SolverError(f"inner is {self.inner!r}, expected a solver such as InteriorPoint()")
        if isinstance(self.inner, Coulomb):
            raise SolverError("inner is a Coulomb solver itself, expected one of the convex problem, InteriorPoint()")
        if self.depth < 0:
            raise SolverError(f"depth is {self.depth}, expected 0 (no acceleration) or more")
        if not self.delta > 0:
            raise SolverError(f"delta is {self.delta}, expected a small positive number such as 1e-8")

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem` with the exact law, starting from `guess`."""
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        search = Search(problem, monitor, Iterate(*starting_impulses(problem, guess), starting_velocity(problem, guess)))
        outer = FixedPoint(problem, self.inner, self.depth)
        newton = self._newton(problem)
        exact = None if newton is None else Exact(newton, search)
        reason = self._begin(search, outer, exact, guess)
        while reason is None:
            before = search.error
            if exact is not None:
                reason = exact.run(NEWTON_STEPS)
            if reason is None:
                reason = self._fixed_point(search, outer)
            if reason is None and not search.error < PROGRESS * before:
                reason = Status.NO_SOLUTION
        steps = 0 if newton is None else newton.release()
        best, name = search.best, f"{self.name}({self.inner.name})"
        detail = f"{outer.solves} convex solves of {outer.inner_iterations} iterations, {steps} Newton steps"
        return finish(
            problem, name, monitor, reason, best.contact_impulse, best.joint_impulse, best.velocity, detail, "coulomb"
        )

    def _newton(self, problem: ContactProblem) -> Newton | None:
        """Newton's method, where it is wanted, possible and of use."""
        if not self.newton or not np.any(problem.cones.friction > 0):
            return None
        form = make_form(problem)
        return None if form is None else Newton(form, lambda form: make_system(form, self.linear, self.delta))

    def _begin(
        self, search: Search, outer: FixedPoint, exact: Exact | None, guess: Guess | Solution | None
    ) -> Status | None:
        """From the guess if that is near, else from the convex problem."""
        if guess is not None and guess.contact_impulse is not None:
            start = Iterate(search.best.contact_impulse, search.best.joint_impulse)
            if search.measure(start) < FAMILIAR:
                reason = None if exact is None else exact.polish(start)
                if reason is not None:
                    return reason
                outer.restart(start)
        return self._convex(search, outer, guess, TIGHTEST * self.tolerance)

    def _fixed_point(self, search: Search, outer: FixedPoint) -> Status | None:
        """Convex solves from the best iterate."""
        outer.restart(search.best)
        guess: Guess | Solution | None = None
        for _ in range(CONVEX_SOLVES):
            tolerance = min(max(INEXACT * search.error, TIGHTEST * self.tolerance), LOOSEST)
            reason = self._convex(search, outer, guess, tolerance)
            if reason is not None:
                return reason
            guess = outer.last
            outer.advance()
        return None

    @staticmethod
    def _convex(
        search: Search, outer: FixedPoint, guess: Guess | Solution | None, tolerance: float
    ) -> Status | None:
        iterate = Iterate.of(outer.solve(guess, tolerance))
        return search.see(iterate, search.measure(iterate))
