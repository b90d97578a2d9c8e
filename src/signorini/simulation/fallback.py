"""What to do when a solver does not reach its tolerance."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SimulationError, SolverError
from signorini.problem.solution import Guess, Solution
from signorini.solvers import make_solver, with_law
from signorini.solvers.base import Solver

OnFailure = Literal["raise", "warn", "fallback"]
LAST_RESORT_SWEEPS = 5000


def default_chain(solver: Solver, law: Law = "convex") -> tuple[Solver, ...]:
    """The solver, the interior point as it comes, then on its largest system, then plain sweeps.

    The interior point as it comes also has a system for extreme ratios of masses.
    """
    tolerance = float(getattr(solver, "tolerance", 1e-8))
    others = (
        make_solver("interior-point", tolerance=tolerance, warm_start="none"),
        make_solver("interior-point", tolerance=tolerance, system="augmented", warm_start="none"),
        make_solver("projected-sor", tolerance=tolerance, max_iterations=LAST_RESORT_SWEEPS),
    )
    return (solver, *(with_law(other, law) for other in others))


def check_on_failure(choice: str) -> None:
    """Raise `SolverError` unless it is one of the choices."""
    if choice not in get_args(OnFailure):
        raise SolverError(f"on_failure is {choice!r}, expected one of {', '.join(get_args(OnFailure))}")


@dataclass
class Chain:
    """Solves the problem of a step by the chosen solver and, if told so, by the next ones of a chain.

    `raise` stops the simulation with a `SimulationError`; `warn` takes the answer as it is and warns once; `fallback`
    asks the next solver and ends with the best answer of all. Nothing is lost: every step keeps its status.
    """

    solvers: tuple[Solver, ...]
    on_failure: OnFailure = "warn"
    warned: bool = field(default=False)
    explain: Callable[[ContactProblem, Solution], str] = field(default=lambda problem, solution: "")
    """What else there is to say about an answer that misses its tolerance, such as the name of a joint."""

    def __post_init__(self) -> None:
        check_on_failure(self.on_failure)

    def solve(self, problem: ContactProblem, guess: Guess | None) -> tuple[Solution, int]:
        """The answer and the rank of the solver that gave it."""
        best, rank = self._ask(0, problem, guess), 0
        if self.on_failure == "fallback":
            for k in range(1, len(self.solvers)):
                if _ok(best):
                    break
                answer = self._ask(k, problem, guess)
                if _error(answer) < _error(best) or _ok(answer):
                    best, rank = answer, k
        return self._judged(problem, best), rank

    def _ask(self, rank: int, problem: ContactProblem, guess: Guess | None) -> Solution | None:
        try:
            return self.solvers[rank].solve(problem, guess)
        except SolverError:
            if self.on_failure != "fallback":
                raise
            return None  # it does not solve such problems; the next one is asked

    def _judged(self, problem: ContactProblem, solution: Solution | None) -> Solution:
        if solution is None:
            raise SimulationError(f"{problem.name}: no solver of the chain takes this problem; choose another solver")
        if not (math.isfinite(solution.velocity.sum()) or np.all(np.isfinite(solution.velocity))):
            raise SimulationError(f"{self._story(problem, solution)}, and its velocities are not finite numbers")
        if not solution.status.ok:
            if self.on_failure == "raise":
                story = self._story(problem, solution)
                raise SimulationError(f"{story}; on_failure='fallback' would ask other solvers")
            if not self.warned:
                self.warned = True
                warnings.warn(f"{self._story(problem, solution)}; later ones are counted in summary()", stacklevel=2)
        return solution

    def _story(self, problem: ContactProblem, solution: Solution) -> str:
        return (
            f"{problem.name}: {solution.solver} {solution.status.value} (error {solution.certificate.error:.1e}, "
            f"{problem.contacts} contacts, worst contact {solution.certificate.worst_contact})"
            f"{self.explain(problem, solution)}"
        )


def _ok(solution: Solution | None) -> bool:
    return solution is not None and solution.status.ok


def _error(solution: Solution | None) -> float:
    error = float("inf") if solution is None else solution.certificate.error
    return error if np.isfinite(error) else float("inf")
