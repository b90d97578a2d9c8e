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
from signorini.solvers.first_order.dual import Dual, DualRows
from signorini.solvers.first_order.explicit_dual import ExplicitDual
from signorini.solvers.first_order.judge import Judge, Watch, by_law, ready, unwatched, way_out
from signorini.solvers.first_order.pair_dual import PairDual

__all__ = [
    "Dual",
    "Judge",
    "Watch",
    "by_law",
    "check_law",
    "check_scaling",
    "check_threads",
    "make_dual",
    "make_pair_dual",
    "on_its_threads",
    "ready",
    "unwatched",
    "way_out",
]

SCALINGS = {
    "trace": block_scales.TRACE,
    "isotropic": block_scales.ISOTROPIC,
    "anisotropic": block_scales.ANISOTROPIC,
    "none": block_scales.NONE,
}


def check_scaling(scaling: str, searches: bool = False) -> None:
    """Raise `SolverError` for an unknown rule; `none` is for solvers that search for the length of their steps."""
    choices = [name for name in SCALINGS if searches or name != "none"]
    if scaling not in choices:
        raise SolverError(f"scaling is {scaling!r}, choose one of {', '.join(choices)}")


def check_law(law: str) -> None:
    """Raise `SolverError` for an unknown law of friction."""
    if law not in get_args(Law):
        raise SolverError(f"law is {law!r}, expected one of {', '.join(get_args(Law))}")


def check_threads(threads: int | None) -> None:
    """Raise `SolverError` for a number of threads below 1."""
    if threads is not None and threads < 1:
        raise SolverError(f"threads is {threads}, expected 1 or more (this machine has {largest_threads()})")


def make_dual(problem: ContactProblem, scaling: str) -> Dual:
    """The dual problem of `problem` in the storage that suits it."""
    return make_pair_dual(problem, scaling) or ExplicitDual.build(problem, DualRows.of(problem), SCALINGS[scaling])


def make_pair_dual(problem: ContactProblem, scaling: str) -> Dual | None:
    """The same if all contacts are pairs of rigid bodies: a sweep then takes a small part of a factorisation's time."""
    return PairDual.build(problem, DualRows.of(problem), SCALINGS[scaling])


class Threaded(Protocol):
    """A solver with a number of threads of its own."""

    @property
    def threads(self) -> int | None:
        """None: those that are in use around it."""


AnySolver = TypeVar("AnySolver", bound=Threaded)
Solve = Callable[[AnySolver, ContactProblem, Guess | Solution | None], Solution]


def on_its_threads(solve: Solve[AnySolver]) -> Any:
    """`solve` with the threads of the solver, where it has a number of its own."""

    @wraps(solve)
    def with_its_threads(solver: AnySolver, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        if solver.threads is None:
            return solve(solver, problem, guess)
        with threads(solver.threads):
            return solve(solver, problem, guess)

    return with_its_threads
