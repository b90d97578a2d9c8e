"""The dual problem as first-order solvers see it: scaled variables, products and sweeps, in one of two storages.

With `A = [D; C] G`, `G G' = H^-1`, the impulses `(lambda, gamma) = s * x` and z the whitened velocities `G^-1 v`::

    minimise 1/2 x'N x + b'x   over K',     N = s (A A' + E) s,     gradient  g = N x + b = s * (slip, joint error)

A joint row is a block of one free impulse. K' is K in the scaled variables, a product of cones again.
`PairDual` keeps one record per contact of two rigid bodies; `ExplicitDual` keeps an explicit sparse N and takes the
rest: dual-only problems, general H, blocks of more than three rows, intervals, rows that touch three bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar, get_args

from signorini.kernels.compile import largest_threads
from signorini.kernels.cones import block_scales
from signorini.kernels.threads.team import threads
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution
from signorini.solvers.base import check_settings
from signorini.solvers.first_order.dual import Dual, DualRows
from signorini.solvers.first_order.error_estimator import (
    ErrorEstimator,
    InfeasibilityTest,
    by_law,
    initial_point,
    solution_of,
    unmonitored_solution,
)
from signorini.solvers.first_order.explicit_dual import ExplicitDual
from signorini.solvers.first_order.pair_dual import PairDual

__all__ = [
    "Dual",
    "ErrorEstimator",
    "InfeasibilityTest",
    "by_law",
    "check_first_order",
    "check_relaxation",
    "make_dual",
    "make_pair_dual",
    "on_its_threads",
    "initial_point",
    "unmonitored_solution",
    "solution_of",
]

SCALINGS = {
    "trace": block_scales.TRACE,
    "isotropic": block_scales.ISOTROPIC,
    "anisotropic": block_scales.ANISOTROPIC,
    "none": block_scales.NONE,
}


class FirstOrder(Protocol):
    """Settings that all first-order solvers have."""

    @property
    def tolerance(self) -> float: ...
    @property
    def max_iterations(self) -> int: ...
    @property
    def time_budget(self) -> float: ...
    @property
    def scaling(self) -> str: ...
    @property
    def check_every(self) -> int: ...
    @property
    def threads(self) -> int | None: ...


def check_first_order(settings: FirstOrder, law: str = "convex", searches: bool = False) -> None:
    """Raise `SolverError` for settings that make no sense.

    The scaling `none` is for solvers that search for the length of their steps.
    """
    check_settings(settings.tolerance, settings.max_iterations, settings.time_budget)
    if law not in get_args(Law):
        raise SolverError(f"law is {law!r}, expected one of {', '.join(get_args(Law))}")
    choices = [name for name in SCALINGS if searches or name != "none"]
    if settings.scaling not in choices:
        raise SolverError(f"scaling is {settings.scaling!r}, choose one of {', '.join(choices)}")
    threads = settings.threads
    if threads is not None and threads < 1:
        raise SolverError(f"threads is {threads}, expected 1 or more (this machine has {largest_threads()})")
    if settings.check_every < 1:
        raise SolverError(f"check_every is {settings.check_every}, expected 1 or more")


def check_relaxation(relaxation: float, mixing: float) -> None:
    """Raise `SolverError` for numbers outside (0, 2) and (0, 1]."""
    if not 0.0 < relaxation < 2.0:
        raise SolverError(f"relaxation is {relaxation}, expected a number between 0 and 2 such as 1.0")
    if not 0.0 < mixing <= 1.0:
        raise SolverError(f"mixing is {mixing}, expected a number in (0, 1] such as 1.0")


def make_dual(problem: ContactProblem, scaling: str) -> Dual:
    """The dual problem of `problem` in the storage that suits it."""
    return make_pair_dual(problem, scaling) or ExplicitDual.build(problem, DualRows.of(problem), SCALINGS[scaling])


def make_pair_dual(problem: ContactProblem, scaling: str) -> Dual | None:
    """The same if all contacts are pairs of rigid bodies: a sweep then costs a fraction of a factorisation."""
    return PairDual.build(problem, DualRows.of(problem), SCALINGS[scaling])


class Threaded(Protocol):
    """A solver with its own number of threads."""

    @property
    def threads(self) -> int | None:
        """None keeps the current number."""


AnySolver = TypeVar("AnySolver", bound=Threaded)
Solve = Callable[[AnySolver, ContactProblem, Guess | Solution | None], Solution]


def on_its_threads(solve: Solve[AnySolver]) -> Any:
    """`solve` with the threads of the solver, if it sets them."""

    @wraps(solve)
    def with_its_threads(solver: AnySolver, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        if solver.threads is None:
            return solve(solver, problem, guess)
        with threads(solver.threads):
            return solve(solver, problem, guess)

    return with_its_threads
