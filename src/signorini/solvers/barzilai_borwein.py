"""Spectral projected gradient with Barzilai-Borwein steps and fall-back, P-SPG-FB [ChronoSlides003, Heyn2013]."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.sweeps import gradient_steps as kernels
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor
from signorini.solvers.first_order import (
    Dual,
    ErrorEstimator,
    InfeasibilityTest,
    check_first_order,
    initial_point,
    make_dual,
    on_its_threads,
    solution_of,
)

SUFFICIENT_DECREASE = 1e-4
SHORTEST_CUT, LONGEST_CUT = 0.1, 0.5
"""A rejected step is cut to a length between these shares of it."""
REFRESH = 50
"""Iterations after which the gradient is recomputed, so that increments cannot drift away from it."""


@dataclass(frozen=True)
class BarzilaiBorwein:
    """Projected gradient whose step lengths alternate between the two of Barzilai and Borwein.

    In variables scaled per contact (the diagonal preconditioner of the literature, which leaves cones cones)::

        d = P_K(x - alpha g) - x,     x <- x + t d,     alpha <- s's / s'y  or  s'y / y'y,    s = t d, y = t N d

    t = 1 unless the objective rises above the largest of the last `memory` values. The objective is quadratic, so the
    search needs no product of its own: one product with N per iteration. The best iterate is returned.
    """

    name: ClassVar[str] = "barzilai-borwein"

    tolerance: float = 1e-6
    """On `Certificate.error`, unit-free."""
    max_iterations: int = 50_000
    """Products with N."""
    time_budget: float = math.inf
    """[s]."""
    memory: int = 10
    """Objective values that the line search looks back on; 1 makes it monotone."""
    scaling: str = "anisotropic"
    """Preconditioner per contact: trace, isotropic or anisotropic (normal and tangents separately), or none."""
    smallest_step: float = 1e-6
    """Lower bound of alpha [-]; 1 is about a Jacobi step."""
    largest_step: float = 1e6
    """Upper bound of alpha [-]."""
    check_every: int = 5
    """Iterations between two evaluations of the error."""
    threads: int | None = None
    """Threads of loops over rigid bodies; None takes those of the simulation, one outside of it. Results do not depend
    on it."""

    def __post_init__(self) -> None:
        check_first_order(self, searches=True)
        if self.memory < 1:
            raise SolverError(f"memory is {self.memory}, expected 1 or more")
        if not 0.0 < self.smallest_step <= self.largest_step < math.inf:
            raise SolverError(
                f"steps from {self.smallest_step} to {self.largest_step}, expected 0 < smallest_step <= largest_step"
            )

    @on_its_threads
    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Iterate until the error is below the tolerance or a limit is reached."""
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        dual = make_dual(problem, self.scaling)
        estimator = ErrorEstimator.of(problem, dual)
        state = _State.start(dual, initial_point(problem, dual, guess), self.memory)
        best, infeasibility = state.x.copy(), InfeasibilityTest(dual, state.x.copy())
        done = 0
        while True:
            if done % self.check_every == 0 or done >= self.max_iterations:
                if monitor.record(done, estimator.error(state.x, state.g)):
                    best[:] = state.x
                reason = monitor.verdict()
                if reason is None and infeasibility.detected(done, state.x):
                    reason = Status.INFEASIBLE
                if reason is not None:
                    break
            self._iterate(state, done)
            done += 1
        return solution_of(problem, self.name, monitor, reason, dual, best)

    def _iterate(self, state: _State, done: int) -> None:
        """One step along the projected arc's chord."""
        dual, x, g, d, q = state.dual, state.x, state.g, state.d, state.q
        slope, square = dual.direction(state.alpha, x, g, d)
        if not square > 0.0:
            state.alpha = min(max(1.0, self.smallest_step), self.largest_step)
            return
        # Projection from inside K guarantees this descent. Round-off may put x slightly outside and turn the sign.
        slope = min(slope, -square / state.alpha)
        dual.product(d, q)
        bend, stretch = kernels.two_dots(d, q)
        length = step_length(max(state.values) - state.f, slope, bend)
        kernels.advance(length, d, q, x, g)
        state.f += length * (slope + 0.5 * length * bend)
        if done % REFRESH == REFRESH - 1:
            dual.gradient(x, g)
            state.f = kernels.objective(x, g, dual.b)
        state.values.append(state.f)
        # Odd and even iterations alternate; along a direction without curvature the longest step is the right one.
        above, below = (square, bend) if done % 2 else (bend, stretch)
        alpha = above / below if below > 0.0 else self.largest_step
        state.alpha = min(max(alpha, self.smallest_step), self.largest_step)


@dataclass
class _State:
    """Iterate, gradient, and work space."""

    dual: Dual
    x: Array
    g: Array
    d: Array
    q: Array
    f: float
    alpha: float
    values: deque[float]

    @classmethod
    def start(cls, dual: Dual, x: Array, memory: int) -> _State:
        g = np.empty_like(x)
        dual.gradient(x, g)
        f = float(kernels.objective(x, g, dual.b))
        return cls(dual, x, g, np.empty_like(x), np.empty_like(x), f, 1.0, deque([f], maxlen=memory))


def step_length(slack: float, slope: float, bend: float) -> float:
    """Largest of 1 and its successive cuts with f(x + t d) <= f + slack + decrease * t * slope."""
    length = 1.0
    for _ in range(30):
        if length * (slope + 0.5 * length * bend) <= slack + SUFFICIENT_DECREASE * length * slope:
            break
        # The minimiser along d is known exactly: the objective is quadratic.
        wanted = -slope / bend if bend > 0.0 else LONGEST_CUT * length
        length = min(max(wanted, SHORTEST_CUT * length), LONGEST_CUT * length)
    return length
