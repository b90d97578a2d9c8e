"""Estimates of the certificate's error, starting points and results of first-order solvers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.certificate import IDLE_JOINTS, IDLE_ROW, Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, finish, starting_impulses
from signorini.solvers.first_order.dual import Dual

FIRST_TEST = 512
"""Iterations before the first test for infeasibility."""
RAY = 1e-8
"""Tolerance within which a direction of zero cost inside the cones counts as a ray."""


@dataclass(frozen=True, eq=False)
class ErrorEstimator:
    """Estimates `Certificate.error` of an iterate: the unit-free natural-map error and the relative joint error."""

    problem: ContactProblem
    dual: Dual
    joint_floor: Array
    """What joint rows in which nothing moves are measured against [m/s], shape (joint rows,)."""
    law: Law = "convex"

    @classmethod
    def of(cls, problem: ContactProblem, dual: Dual, law: Law = "convex") -> ErrorEstimator:
        """The estimator of one solve."""
        root = np.sqrt(problem.H.diagonal())
        idle = IDLE_JOINTS * IDLE_ROW * float((np.abs(problem.c) / root).max(initial=0.0)) / root
        return cls(problem, dual, abs(problem.C) @ idle, law)

    def error(self, x: Array, g: Array) -> float:
        """Of the iterate x with gradient g."""
        error = self.dual.natural_error(x, by_law(self.dual, g, self.law))
        if self.problem.joint_rows:
            error = max(error, self._joint_error(x))
        return error if np.isfinite(error) else np.inf

    def _joint_error(self, x: Array) -> float:
        """max over joint rows of |C v - b_gamma| over the size of the row, as the certificate has it."""
        p = self.problem
        impulses = self.dual.impulses(x)
        v = p.velocity_of(impulses[: p.contact_rows], impulses[p.contact_rows :])
        pushed = np.abs(v - p.velocity_of(np.zeros(p.contact_rows), impulses[p.contact_rows :]))
        size = abs(p.C) @ (np.abs(v) + pushed) + np.abs(p.b_gamma) + p.joint_size + self.joint_floor
        error = np.abs(p.C @ v - p.b_gamma)
        return float((error[size > 0] / size[size > 0]).max(initial=0.0))


@dataclass
class InfeasibilityTest:
    """Detects an infeasible problem: the impulses grow without bound along a ray of no cost.

    With `delta` the change of x since half as many iterations: `N delta = 0`, `b'delta < 0`, delta in K make the dual
    problem unbounded, so the constraints contradict one another.
    """

    dual: Dual
    snapshot: Array
    next: int = FIRST_TEST

    def detected(self, iterations: int, x: Array) -> bool:
        """Test whenever the number of iterations has doubled; cheap otherwise."""
        if iterations < self.next:
            return False
        self.next = 2 * iterations
        delta = x - self.snapshot
        self.snapshot = x.copy()
        size = float(np.linalg.norm(delta))
        if not 0.0 < size < np.inf:
            return False
        image = np.empty_like(delta)
        self.dual.product(delta, image)
        outside = self.dual.recede(delta)
        downhill = -float(self.dual.b @ delta)
        return (
            float(np.linalg.norm(image)) <= RAY * size
            and float(np.linalg.norm(outside - delta)) <= RAY * size
            and downhill > 1e-3 * size * float(np.linalg.norm(self.dual.b)) / np.sqrt(len(delta))
        )


def by_law(dual: Dual, g: Array, law: Law) -> Array:
    """The gradient, with the de Saxce term for the exact law."""
    return g if law == "convex" else dual.with_de_saxce(g)


def initial_point(problem: ContactProblem, dual: Dual, guess: Guess | Solution | None) -> Array:
    """The guess in scaled variables, projected on the cones."""
    lam, gamma = starting_impulses(problem, guess, copied=False)
    return dual.begin(np.concatenate((lam, gamma)) if len(gamma) else lam)


def solution_of(
    problem: ContactProblem, solver: str, monitor: Monitor, reason: Status, dual: Dual, x: Array, law: Law = "convex"
) -> Solution:
    """The `Solution` of the best iterate."""
    impulses = dual.impulses(x)
    lam, gamma = impulses[: problem.contact_rows], impulses[problem.contact_rows :]
    return finish(problem, solver, monitor, reason, lam, gamma, detail=dual.detail, law=law)


def unmonitored_solution(
    problem: ContactProblem, solver: str, monitor: Monitor, dual: Dual, x: Array, law: Law = "convex"
) -> Solution:
    """The `Solution` of a loop that does all its iterations, regardless of the error."""
    monitor.iterations = monitor.max_iterations
    return solution_of(problem, solver, monitor, Status.ITERATION_LIMIT, dual, x, law)
