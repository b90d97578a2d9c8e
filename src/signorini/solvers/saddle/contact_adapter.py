"""Adapter: a solver of contact problems as a solver of saddle-point systems, which are problems without contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array, Csr
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError
from signorini.solvers.base import Solver
from signorini.solvers.saddle.interface import SaddleSolution
from signorini.solvers.saddle.system import dependent, least_norm, row_scales, scaled_rows


@dataclass(frozen=True)
class ContactSolverAdapter:
    """`H v + c - C' gamma = 0`, `C v = b_gamma` with `c = -r`, `gamma = -y`, on the symmetric part of H."""

    name: ClassVar[str] = "borrowed"
    exact: ClassVar[bool] = False

    solver: Solver

    def session(self) -> ContactSolverSession:
        return ContactSolverSession(self.solver)


class ContactSolverSession:
    """The matrices taken last."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._C: Csr | None = None

    def factor(self, H: Csr, C: Csr) -> str:
        if self._C is None or C.shape != self._C.shape:
            self._redundant = dependent(scaled_rows(C, row_scales(H, C)))
        self._H, self._C = H, C
        return ""

    def solve(self, r: Array, p: Array) -> SaddleSolution:
        try:
            problem = ContactProblem(H=self._H, c=-r, C=self._C, b_gamma=p)
        except ProblemError as error:
            return SaddleSolution(np.zeros(len(r)), np.zeros(len(p)), 0, False, f"{self._solver.name}: {error}")
        solution = self._solver.solve(problem)
        ok = bool(np.isfinite(solution.velocity).all() and np.isfinite(solution.joint_impulse).all())
        message = "" if ok else f"{self._solver.name}: {solution.status.value}"
        return SaddleSolution(np.array(solution.velocity), -solution.joint_impulse, solution.iterations, ok, message)

    def trim(self, y: Array) -> Array:
        return self.least(y)

    def least(self, y: Array) -> Array:
        if not self._redundant or self._C is None:
            return y
        return least_norm(self._C, y)
