"""A chain of solvers as one solver: where one misses its tolerance, the next is tried."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution
from signorini.solvers import make_solver, with_law
from signorini.solvers.base import Solver

LAST_RESORT_SWEEPS = 5000


@dataclass(frozen=True)
class Fallback:
    """Tries solvers in turn until one reaches its tolerance; otherwise returns the answer with the least error.

    `Solution.rank` is the place of the solver that answered. Solvers that do not support a problem are skipped.
    """

    name: ClassVar[str] = "fallback"

    solvers: tuple[Solver, ...]
    """In order; one at least."""

    @classmethod
    def after(cls, solver: Solver, law: Law = "convex") -> Fallback:
        """The solver, the interior point with default settings, then on its largest system, then plain sweeps.

        The default interior point includes a system for extreme ratios of masses.
        """
        tolerance = float(getattr(solver, "tolerance", 1e-8))
        others = (
            make_solver("interior-point", tolerance=tolerance, warm_start="none"),
            make_solver("interior-point", tolerance=tolerance, system="augmented", warm_start="none"),
            make_solver("projected-sor", tolerance=tolerance, max_iterations=LAST_RESORT_SWEEPS),
        )
        return cls((solver, *(with_law(other, law) for other in others)))

    @property
    def tolerance(self) -> float:
        """Of the first solver."""
        return float(getattr(self.solvers[0], "tolerance", 1e-8))

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """The first answer that is solved, else the best; raises `SolverError` where no solver takes the problem."""
        best: Solution | None = None
        for rank, solver in enumerate(self.solvers):
            try:
                found = solver.solve(problem, guess)
            except SolverError as refusal:
                if solver is self.solvers[-1] and best is None:
                    raise SolverError(
                        f"{problem.name}: no solver of the chain takes this problem; choose another solver"
                    ) from refusal
                continue
            if best is None or found.status.ok or _error(found) < _error(best):
                best = replace(found, rank=rank) if rank else found
            if best.status.ok:
                break
        assert best is not None
        return best


def _error(solution: Solution) -> float:
    error = solution.certificate.error
    return error if math.isfinite(error) else math.inf
