"""The full Newton system of the barrier by conjugate gradients."""

from __future__ import annotations

import numpy as np
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array
from signorini.solvers.primal_dual_barrier.iterate import Iterate, Target
from signorini.solvers.primal_dual_barrier.kkt import KktMatrix
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem
from signorini.solvers.primal_dual_barrier.schur import CG_ITERATIONS, SchurCG


class KktCG:
    """[P + M  B'; B  C] by conjugate gradients with the preconditioner [F + M  B'; B  C], F = diag(P) or 0.

    The matrix is indefinite, yet from a start that meets the second row of equations all iterates do, and there both
    matrices are positive definite: such a constraint preconditioner makes CG work [Dollar2006].
    """

    def __init__(self, scaled: ScaledProblem, preconditioner: str, tolerance: float) -> None:
        self._kkt, self._blocks, self._tolerance = (
            KktMatrix(scaled),
            SchurCG(scaled, preconditioner, tolerance),
            tolerance,
        )
        self.products = 0

    def factor(self, at: Iterate) -> bool:
        """The matrix and the blocks of the preconditioner."""
        n = len(at.x)
        self._matrix = self._kkt.whole(self._kkt.values(at))
        self._B, self._C = self._matrix[n:, :n], self._matrix.diagonal()[n:]
        return self._blocks.factor(at)

    def direction(self, at: Iterate, target: Target) -> tuple[Array, Array] | None:
        """(dx, dz)."""
        right, n = self._kkt.right_hand_side(at, target), len(at.x)
        size = len(right)
        start = np.concatenate((np.zeros(n), right[n:] / self._C))
        matrix = spla.LinearOperator((size, size), matvec=self._multiply, dtype=np.float64)
        inverse = spla.LinearOperator((size, size), matvec=self._precondition, dtype=np.float64)
        first = right - self._matrix @ start
        with np.errstate(all="ignore"):  # a singular system (joints that contradict one another) ends in NaN
            step, _ = spla.cg(matrix, first, rtol=self._tolerance, maxiter=CG_ITERATIONS, M=inverse)
        return self._kkt.split(at, target, start + step)

    def release(self) -> None:
        """Nothing to keep."""

    def _multiply(self, step: Array) -> Array:
        self.products += 1
        return np.asarray(self._matrix @ step)

    def _precondition(self, right: Array) -> Array:
        n = len(right) - len(self._C)
        dx = self._blocks.precondition(right[:n] - self._B.T @ (right[n:] / self._C))
        return np.concatenate((dx, (right[n:] - self._B @ dx) / self._C))
