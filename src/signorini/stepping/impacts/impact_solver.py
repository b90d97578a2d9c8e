"""The solver of impacts."""

from __future__ import annotations

from dataclasses import dataclass, field

from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.solvers import with_law
from signorini.solvers.base import Solver
from signorini.stepping.contact_model import solve

TOLERANCE = 1e-8
"""Of impacts, where the solver of the steps has none of its own."""


@dataclass(frozen=True, eq=False)
class ImpactSolver:
    """Solves the problems of impacts with the exact Coulomb law, and keeps the solutions.

    The convex law lets a sliding contact part at `mu |u_t|`. In a step that is a small gap, in an impact it would be a
    speed that does not vanish with the step.
    """

    solver: Solver
    solutions: list[Solution] = field(default_factory=list)

    @classmethod
    def of(cls, solver: Solver, law: Law) -> ImpactSolver:
        """By the solver of the steps, which answers with `law`; to the same tolerance."""
        tolerance = float(getattr(solver, "tolerance", TOLERANCE))
        return cls(solver if law == "coulomb" else with_law(solver, "coulomb", tolerance=tolerance))

    def solve(self, problem: ContactProblem) -> Solution:
        """The answer, which is kept; its status says whether friction met the exact law."""
        self.solutions.append(solve(self.solver, problem))
        return self.solutions[-1]
