"""Projected successive over-relaxation [Tasora2011, Anitescu2010]: cheap sweeps, robust, slow at high precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor
from signorini.solvers.first_order import (
    ErrorEstimator,
    InfeasibilityTest,
    check_first_order,
    check_relaxation,
    initial_point,
    make_dual,
    on_its_threads,
    solution_of,
    unmonitored_solution,
)


@dataclass(frozen=True)
class ProjectedSOR:
    """Gauss-Seidel over the contacts, each step followed by a projection on the contact's cone.

    One sweep visits every contact i once, with the newest impulses of all others::

        delta = x_i - omega * (N x + b)_i          in variables scaled so that N_ii is about 1
        x_i  <- mixing * P_K(delta) + (1 - mixing) * x_i

    `scaling="trace"` is `eta_i = 3 / trace(g_i)` of the literature. The convergence theorem [Anitescu2007, A3] asks for
    `eta_i < 2 / (omega * mixing * largest eigenvalue of g_i)`, which that rule breaks when one eigenvalue of g_i is
    larger than two thirds of its trace; the other two rules never do for `relaxation * mixing <= 1`.
    """

    name: ClassVar[str] = "projected-sor"

    tolerance: float = 1e-6
    """On `Certificate.error`, unit-free."""
    max_iterations: int = 100_000
    """Sweeps."""
    time_budget: float = math.inf
    """[s]."""
    relaxation: float = 1.0
    """omega; 1 is Gauss-Seidel, above 1 over-relaxation."""
    mixing: float = 1.0
    """lambda of the literature ("sharpness"), in (0, 1]: share of the new impulse that is taken."""
    symmetric: bool = False
    """Every second sweep backwards."""
    scaling: str = "anisotropic"
    """Steps per contact: trace, isotropic or anisotropic (normal and tangents separately)."""
    check_every: int = 10
    """Sweeps between two evaluations of the error; one costs about as much as a sweep."""
    threads: int | None = None
    """Threads of loops over rigid bodies; None takes those of the simulation, one outside of it. Results do not depend
    on it."""
    law: Law = "convex"
    """Of friction: `convex` (the relaxation), or `coulomb`, the exact law: the de Saxce term is part of every step."""

    def __post_init__(self) -> None:
        check_first_order(self, self.law)
        check_relaxation(self.relaxation, self.mixing)

    @on_its_threads
    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Sweep until the error is below the tolerance or a limit is reached; the best checked iterate is returned.

        With at most `check_every` sweeps the error is not evaluated in between: all sweeps are done, and the
        certificate measures the result.
        """
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        dual = make_dual(problem, self.scaling)
        x = initial_point(problem, dual, guess)
        if self.max_iterations <= self.check_every:
            dual.sweep(0, self.max_iterations, self.symmetric, self.relaxation, self.mixing, x, self.law == "coulomb")
            return unmonitored_solution(problem, self.name, monitor, dual, x, self.law)
        estimator = ErrorEstimator.of(problem, dual, self.law)
        g, best, infeasibility = np.empty_like(x), x.copy(), InfeasibilityTest(dual, x.copy())
        done = 0
        while True:
            dual.gradient(x, g)
            if monitor.record(done, estimator.error(x, g)):
                best[:] = x
            reason = monitor.verdict()
            if reason is None and infeasibility.detected(done, x):
                reason = Status.INFEASIBLE
            if reason is not None:
                break
            count = min(self.check_every, self.max_iterations - done)
            dual.sweep(done, count, self.symmetric, self.relaxation, self.mixing, x, self.law == "coulomb")
            done += count
        return solution_of(problem, self.name, monitor, reason, dual, best, self.law)
