"""One solver's attempt at one problem, and the row of numbers that it becomes in a CSV or JSON file."""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import MissingExtraError, ProblemError, SolverError
from signorini.problem.solution import Solution
from signorini.solvers.base import Solver

REFUSED = "refused"
"""The solver says that it is not made for this problem."""
BAD_PROBLEM = "bad problem"
"""The problem turned out to be unsound while it was being solved."""
CRASHED = "crashed"
"""The solver raised where it should have returned a status: a bug worth a report."""

Value = str | int | float | None


@dataclass(frozen=True, eq=False)
class Attempt:
    """What came of giving one problem to one solver."""

    problem: ContactProblem
    solver: str
    outcome: str
    """`Status` in words, or one of REFUSED, BAD_PROBLEM and CRASHED."""
    seconds: float
    """Wall time of the solve, median of the repeats [s]; NaN without a solution."""
    solution: Solution | None = None
    message: str = ""
    """Why there is no solution."""

    @property
    def solved(self) -> bool:
        """Whether the solver reached the tolerance it was given."""
        return self.solution is not None and self.solution.status.ok

    @property
    def scaled(self) -> float:
        """Scaled error of the answer, infinite without one."""
        error = math.inf if self.solution is None else self.solution.certificate.scaled
        return math.inf if math.isnan(error) else error


def attempt(problem: ContactProblem, name: str, solver: Solver, repeat: int = 1) -> Attempt:
    """Let `solver` solve `problem`, each time from scratch; what it raises becomes an outcome.

    A missing optional dependency is raised: no problem will change it.
    """
    seconds: list[float] = []
    solution: Solution | None = None
    try:
        for _ in range(repeat):
            untouched = _untouched(problem)
            started = time.perf_counter()
            answer = solver.solve(untouched)
            seconds.append(time.perf_counter() - started)
            solution = answer if solution is None else solution
    except MissingExtraError:
        raise
    except SolverError as error:
        return Attempt(problem, name, REFUSED, math.nan, message=str(error))
    except ProblemError as error:
        return Attempt(problem, name, BAD_PROBLEM, math.nan, message=str(error))
    except Exception as error:  # one crash must not cost the other rows of a long table
        return Attempt(problem, name, CRASHED, math.nan, message=f"{type(error).__name__}: {error}")
    if solution is None:
        raise SolverError(f"repeat is {repeat}, expected 1 or more")
    return Attempt(problem, name, solution.status.name.lower().replace("_", " "), statistics.median(seconds), solution)


def _untouched(problem: ContactProblem) -> ContactProblem:
    """The same problem without what earlier solves derived from it and left for the next: all start alike."""
    p = problem
    return ContactProblem(p.H, p.c, p.C, p.b_gamma, p.D, p.b_lambda, p.cones, p.E, p.name, p.skew)


def row(attempt: Attempt) -> dict[str, Value]:
    """The attempt as one flat record; None for what is not known."""
    problem, solution = attempt.problem, attempt.solution
    dims = set(problem.cones.dims.tolist())
    record: dict[str, Value] = dict.fromkeys(COLUMNS)
    record |= {
        "problem": problem.name,
        "contacts": problem.contacts,
        "dimension": dims.pop() if len(dims) == 1 else None,
        "form": "local" if problem.is_dual_only else "global",
        "velocities": problem.velocities,
        "joint_rows": problem.joint_rows,
        "solver": attempt.solver,
        "status": attempt.outcome,
        "message": attempt.message,
    }
    if solution is None:
        return record
    certificate = solution.certificate
    record |= {name: _finite(getattr(certificate, name)) for name in CERTIFICATE_COLUMNS}
    return record | {
        "iterations": solution.iterations,
        "seconds": _finite(attempt.seconds),
        "scaled": _finite(certificate.convex.scaled),
        "abh": _finite(certificate.convex.abh),
        "coulomb_scaled": _finite(certificate.coulomb.scaled),
        "coulomb_abh": _finite(certificate.coulomb.abh),
        "detail": solution.detail,
    }


def _finite(value: float) -> float | int | None:
    """`value`, or None where JSON has no word for it."""
    return value if math.isfinite(value) else None


CERTIFICATE_COLUMNS = (
    "stationarity_relative",
    "joint_error_relative",
    "natural_map",
    "natural_map_relative",
    "complementarity",
    "complementarity_relative",
    "cone_violation",
    "dual_violation",
    "objective_primal",
    "objective_dual",
    "gap",
    "worst_contact",
)
COLUMNS = (
    *("problem", "contacts", "dimension", "form", "velocities", "joint_rows", "solver", "status", "iterations"),
    *("seconds", "scaled", "abh", "coulomb_scaled", "coulomb_abh"),
    *CERTIFICATE_COLUMNS,
    *("detail", "message"),
)
