"""Accelerated projected gradient descent of Nesterov with adaptive step and restart [Heyn2013, Mazhar2015]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.sweeps import gradient_steps as kernels
from signorini.math.sparse import Array
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor
from signorini.solvers.first_order import (
    Dual,
    ErrorEstimator,
    InfeasibilityTest,
    by_law,
    check_first_order,
    initial_point,
    make_dual,
    on_its_threads,
    solution_of,
)

SHORTEST_STEP, LONGEST_STEP = 1e-12, 1e3
"""In units of a Jacobi step. Without the upper bound, impulses of an infeasible problem grow until their round-off
hides every slip."""


@dataclass(frozen=True)
class APGD:
    """Nesterov's method on the dual problem.

    In variables scaled per contact, with y the extrapolated point::

        x+ = P_K(y - t g(y)),    t shortened until (x+ - y)'N(x+ - y) <= |x+ - y|^2 / t
        y  = x+ + beta (x+ - x),  beta from theta; theta starts again when the momentum points uphill

    Gradients at y are combinations of those at x, so an accepted step costs one product with N, a rejected one another.
    The best iterate is returned.
    """

    name: ClassVar[str] = "apgd"

    tolerance: float = 1e-6
    """On `Certificate.error`, unit-free."""
    max_iterations: int = 50_000
    """Products with N."""
    time_budget: float = math.inf
    """[s]."""
    growth: float = 1.02
    """Factor by which the step is lengthened every iteration, at least 1. With 1.1, nearly every third step is too long
    and costs a second product."""
    restart: bool = True
    """Drop the momentum when it points uphill."""
    scaling: str = "anisotropic"
    """Preconditioner per contact: trace, isotropic or anisotropic (normal and tangents separately), or none."""
    check_every: int = 5
    """Iterations between two evaluations of the error."""
    threads: int | None = None
    """Threads of loops over rigid bodies; None takes those of the simulation, one outside of it. Results do not depend
    on it."""
    law: Law = "convex"
    """Of friction: `convex` (the relaxation), or `coulomb`, the exact law: the de Saxce term is part of every step."""

    def __post_init__(self) -> None:
        check_first_order(self, self.law, searches=True)
        if not 1.0 <= self.growth <= 10.0:
            raise SolverError(f"growth is {self.growth}, expected a number between 1 and 10 such as 1.02")

    @on_its_threads
    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Iterate until the error is below the tolerance or a limit is reached."""
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        dual = make_dual(problem, self.scaling)
        estimator = ErrorEstimator.of(problem, dual, self.law)
        state = _State.start(dual, self.law, initial_point(problem, dual, guess))
        best, infeasibility = state.x.copy(), InfeasibilityTest(dual, state.x.copy())
        steps = 0
        while True:
            if steps % self.check_every == 0 or state.products >= self.max_iterations:
                if monitor.record(state.products, estimator.error(state.x, state.g)):
                    best[:] = state.x
                reason = monitor.verdict()
                if reason is None and infeasibility.detected(state.products, state.x):
                    reason = Status.INFEASIBLE
                if reason is not None:
                    break
            self._iterate(state)
            steps += 1
        return solution_of(problem, self.name, monitor, reason, dual, best, self.law)

    def _iterate(self, state: _State) -> None:
        """One accelerated step."""
        state.step = min(self.growth * state.step, LONGEST_STEP)
        state.find_step(self.max_iterations)
        if self.restart and kernels.turned(state.x, state.new, state.y) > 0.0:
            state.theta, beta = 1.0, 0.0
        else:
            state.theta, beta = momentum(state.theta)
        kernels.extrapolate(beta, state.x, state.new, state.g, state.g_new, state.y, state.gy)


def momentum(theta: float) -> tuple[float, float]:
    """theta of the next step, by theta+^2 = (1 - theta+) theta^2, and beta."""
    after = 0.5 * theta * (math.sqrt(theta * theta + 4.0) - theta)
    return after, theta * (1.0 - theta) / (theta * theta + after)


@dataclass
class _State:
    """Iterate x, extrapolated point y, their gradients, and the step length."""

    dual: Dual
    law: Law
    x: Array
    g: Array
    y: Array
    gy: Array
    new: Array
    g_new: Array
    step: float
    theta: float = 1.0
    products: int = 0

    @classmethod
    def start(cls, dual: Dual, law: Law, x: Array) -> _State:
        g = np.empty_like(x)
        dual.gradient(x, g)
        return cls(dual, law, x, g, x.copy(), g.copy(), np.empty_like(x), np.empty_like(x), step=1.0)

    def find_step(self, max_products: int) -> None:
        """Shorten the step until the quadratic model with curvature 1/step lies above the objective."""
        dual, downhill = self.dual, by_law(self.dual, self.gy, self.law)
        while True:
            dual.forward(self.step, self.y, downhill, self.new)
            dual.gradient(self.new, self.g_new)
            self.products += 1
            square, bend = kernels.curvature(self.new, self.y, self.g_new, self.gy)
            # Written so that NaN ends the search too.
            if not bend * self.step > square or self.step <= SHORTEST_STEP or self.products >= max_products:
                return
            # The curvature along the rejected step is the best estimate there is; 0.9 leaves room for a larger one.
            self.step = max(0.9 * square / bend, 0.1 * self.step)
