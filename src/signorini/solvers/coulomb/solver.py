"""The exact Coulomb law by an outer loop around any solver of the convex problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SolverError
from signorini.problem.solution import Guess, Solution
from signorini.solvers import make_solver
from signorini.solvers.base import Solver, check_settings
from signorini.solvers.coulomb.outer_loop import OuterLoop


@dataclass(frozen=True)
class Coulomb:
    """Exact Coulomb friction: Newton's method on the law itself, a convex solver where that does not arrive.

    The exact law is the convex problem with `mu |u_t|` added to the normal slips u_n (de Saxce). Small problems are one
    compiled call, with joints taken out; large ones follow an interior path with the derivative of that term. Where
    that fails, the outer fixed point `s <- mu |u_t(s)|` around `inner` with Anderson's acceleration takes its turn.
    Mathematics: `README.md` in this folder.
    """

    name: ClassVar[str] = "coulomb"

    inner: Solver = field(default_factory=lambda: make_solver("interior-point"))
    """Solver of the convex problems; its tolerance is set by the outer loop."""
    tolerance: float = 1e-6
    """Largest `Certificate.error` of the exact law of a solved problem [-]."""
    max_iterations: int = 1000
    """Most outer iterations: convex solves and Newton steps."""
    time_budget: float = math.inf
    """Wall time after which the best iterate is returned [s]; looked at between outer iterations."""
    newton: bool = True
    """Whether to use Newton's method; False for problems too large to be factored: then only convex solves are made."""
    depth: int = 5
    """Earlier convex solves that the acceleration combines; 0 for the plain fixed point."""
    linear: str = "auto"
    """Linear back end of Newton's method: `auto`, `pardiso`, `mumps`, `superlu`, `dense`."""
    delta: float = 1e-8
    """Regularisation of its linear systems, in units where the diagonal of N is 1."""
    max_factorisations: int = 300
    """Most factorisations of Newton's method and of the convex solves beside it, about 20 times what most problems
    take; then the best iterate is returned. Unlike a limit in time, it keeps answers independent of the machine."""

    def __post_init__(self) -> None:
        check_settings(self.tolerance, self.max_iterations, self.time_budget)
        if not callable(getattr(self.inner, "solve", None)):
            raise SolverError(f"inner is {self.inner!r}, expected a solver such as InteriorPoint()")
        if isinstance(self.inner, Coulomb):
            raise SolverError("inner is a Coulomb solver itself, expected one of the convex problem, InteriorPoint()")
        if self.max_factorisations < 1:
            raise SolverError(f"max_factorisations is {self.max_factorisations}, expected 1 or more, such as 300")
        if self.depth < 0:
            raise SolverError(f"depth is {self.depth}, expected 0 (no acceleration) or more")
        if not self.delta > 0:
            raise SolverError(f"delta is {self.delta}, expected a small positive number such as 1e-8")

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem` with the exact law, starting from `guess`."""
        return OuterLoop(self, problem, guess).run()
