"""Saddle-point systems by MINRES."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array, Csr
from signorini.problem.errors import SolverError
from signorini.solvers.saddle.interface import SaddleSolution
from signorini.solvers.saddle.system import SaddleMatrix, dependent, least_norm, row_scales, scaled_rows

RESTARTS = 8
"""MINRES estimates its residual by a recurrence; it is restarted from its answer until the true residual is small."""


@dataclass(frozen=True)
class Minres:
    """MINRES with a diagonal preconditioner, on the symmetric part of H.

    It starts from zero: in Newton's method its unknowns are corrections of the accelerations and joint forces of the
    last step, which is the warm start. Redundant rows are harmless: the iterates stay in the range of the matrix, so y
    has least norm.
    """

    name: ClassVar[str] = "minres"
    exact: ClassVar[bool] = False

    tolerance: float = 1e-10
    """Relative residual in the norm of the preconditioner [-]."""
    max_iterations: int = 20000
    """In all, per solve."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tolerance) and self.tolerance > 0):
            raise SolverError(f"tolerance is {self.tolerance}, expected a number > 0 such as 1e-10")
        if self.max_iterations < 1:
            raise SolverError(f"max_iterations is {self.max_iterations}, expected 1 or more")

    def session(self) -> MinresSession:
        return MinresSession(self)


class MinresSession:
    """The matrix taken last."""

    def __init__(self, settings: Minres) -> None:
        self._settings = settings
        self._saddle: SaddleMatrix | None = None
        self._redundant = False

    def factor(self, H: Csr, C: Csr) -> str:
        fresh = self._saddle is None or not self._saddle.fits(H, C)
        if self._saddle is None or fresh:
            self._saddle = SaddleMatrix(H, C, upper=False)
        self._n, self._scale = H.shape[0], row_scales(H, C)
        diagonal = H.diagonal()
        if not (np.isfinite(H.data).all() and np.isfinite(C.data).all()):
            return "minres: the matrix holds entries that are not finite numbers"
        self._plain, self._C = C, scaled_rows(C, self._scale)
        self._saddle.fill(H, self._C.data, 0.0)
        self._matrix = self._saddle.matrix
        inverse = 1.0 / np.where(diagonal != 0.0, np.abs(diagonal), 1.0)
        self._diagonal = np.concatenate((inverse, np.ones(C.shape[0])))
        if fresh:
            self._redundant = dependent(self._C)
        return ""

    def solve(self, r: Array, p: Array) -> SaddleSolution:
        settings, b = self._settings, np.concatenate((r, self._scale * p))
        size = self._norm(b)
        z = np.zeros_like(b)
        count, goal = 0, settings.tolerance * size
        preconditioner: Any = sp.diags_array(self._diagonal)
        before = np.inf
        for _ in range(RESTARTS):
            left = b - self._matrix @ z
            error = self._norm(left)
            if error <= goal or error > 0.5 * before or count >= settings.max_iterations:
                break
            before = error
            counter = _Counter()
            step, _ = spla.minres(
                self._matrix, left, rtol=max(0.1 * goal / error, 1e-14), maxiter=settings.max_iterations - count,
                M=preconditioner, callback=counter,
            )  # fmt: skip
            z, count = z + step, count + counter.count
        error = self._norm(b - self._matrix @ z)
        # Newton's method needs a direction, not full accuracy: any answer better than zero is useful.
        ok = bool(np.isfinite(z).all()) and error <= max(goal, 0.5 * size)
        return SaddleSolution(
            z[: self._n], self._scale * z[self._n :], count, ok, "" if ok else self._story(error, size, count)
        )

    def trim(self, y: Array) -> Array:
        return self.least(y)

    def least(self, y: Array) -> Array:
        return least_norm(self._plain, y) if self._redundant else y

    def _norm(self, residual: Array) -> float:
        return float(np.sqrt(residual @ (self._diagonal * residual)))

    def _story(self, error: float, size: float, count: int) -> str:
        return (
            f"minres: a relative residual of {error / max(size, 1e-300):.1e} is left after {count} iterations: the "
            "joints contradict one another, or the system is ill-conditioned; raise max_iterations or take a direct one"
        )


class _Counter:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _: Array) -> None:
        self.count += 1
