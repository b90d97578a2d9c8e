"""Projected Jacobi [Tasora2011]: every contact from the old impulses of all others; slower than Gauss-Seidel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.sweeps import gradient_steps as kernels
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor
from signorini.solvers.first_order import (
    Dual,
    ErrorEstimator,
    InfeasibilityTest,
    check_first_order,
    check_relaxation,
    initial_point,
    make_dual,
    on_its_threads,
    solution_of,
)

POWER_STEPS = 20
MARGIN = 1.05
"""A power iteration approaches the largest eigenvalue from below."""


@dataclass(frozen=True)
class ProjectedJacobi:
    """The fixed point `x <- mixing * P_K(x - omega / L * (N x + b)) + (1 - mixing) * x` for all contacts at once.

    In variables scaled per contact, with L an estimate of the largest eigenvalue of the scaled N. The convergence
    theorem [Anitescu2007, A3 with K = 0] asks for `omega * mixing < 2`; where L turns out too small, it grows.
    """

    name: ClassVar[str] = "projected-jacobi"

    tolerance: float = 1e-6
    """On `Certificate.error`, unit-free."""
    max_iterations: int = 200_000
    """Products with N."""
    time_budget: float = math.inf
    """[s]."""
    relaxation: float = 1.8
    """omega, below 2."""
    mixing: float = 1.0
    """lambda of the literature, in (0, 1]: share of the new impulse that is taken."""
    scaling: str = "anisotropic"
    """Steps per contact: trace, isotropic or anisotropic (normal and tangents separately)."""
    check_every: int = 10
    """Iterations between two evaluations of the error."""
    threads: int | None = None
    """Threads of loops over rigid bodies; None takes those of the simulation, one outside of it. Results do not depend
    on it."""

    def __post_init__(self) -> None:
        check_first_order(self)
        check_relaxation(self.relaxation, self.mixing)

    @on_its_threads
    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Iterate until the error is below the tolerance or a limit is reached; returns the best checked iterate."""
        monitor = Monitor(self.tolerance, self.max_iterations, self.time_budget)
        dual = make_dual(problem, self.scaling)
        estimator = ErrorEstimator.of(problem, dual)
        x = initial_point(problem, dual, guess)
        g, d, q, best = np.empty_like(x), np.empty_like(x), np.empty_like(x), x.copy()
        infeasibility = InfeasibilityTest(dual, x.copy())
        dual.gradient(x, g)
        largest, done, steps = _largest_eigenvalue(dual, len(x)), 0, 0
        while True:
            if steps % self.check_every == 0 or done >= self.max_iterations:
                if monitor.record(done, estimator.error(x, g)):
                    best[:] = x
                reason = monitor.verdict()
                if reason is None and infeasibility.detected(done, x):
                    reason = Status.INFEASIBLE
                if reason is not None:
                    break
            _, square = dual.direction(self.relaxation / largest, x, g, d)
            dual.gradient(x + self.mixing * d, q)
            bend = kernels.slope_change(d, q, g) / self.mixing
            done, steps = done + 1, steps + 1
            if bend > MARGIN * largest * square:
                largest = MARGIN * bend / square
                continue
            kernels.replace(self.mixing, d, q, x, g)
        return solution_of(problem, self.name, monitor, reason, dual, best)


def _largest_eigenvalue(dual: Dual, size: int) -> float:
    """Of N, by a power iteration from a fixed start."""
    x: Array = np.random.default_rng(0).standard_normal(size)
    y = np.empty_like(x)
    value = 0.0
    for _ in range(POWER_STEPS):
        norm = float(np.linalg.norm(x))
        if not norm > 0.0:
            break
        x /= norm
        dual.product(x, y)
        value = max(value, float(x @ y), float(np.linalg.norm(y)))
        x, y = y, x
    return MARGIN * value if 0.0 < value < math.inf else 1.0
