"""The least displacement that meets equations and inequalities, by an active-set method.

With S = A H^-1 A' over the rows A of all conditions, the multipliers mu of the active ones solve `S mu = r`, and `dq =
H^-1 A' mu`. Inequalities with negative multipliers leave the active set, violated ones enter it, until neither happens.
A little compliance on each row makes S regular where rows depend on one another: consistent equations are met after
further Newton iterations, contradictory ones in the sense of least squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.step.take_back import MET, MOST_CHANGES, SOFT
from signorini.math.sparse import Array, Csr
from signorini.problem.joined_motion import balanced
from signorini.problem.mass_matrix import MassMatrix
from signorini.problem.products import add_transposed_product, multiply

DENSE_ROWS = 300
"""Up to this many rows, velocities per impulse are a dense matrix."""
COMPLIANCE = (1e-12, SOFT)
"""Of equations and of inequalities, over the diagonal of S."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """`A dq = r` in the first rows, `A dq >= r` in the others."""

    A: Csr
    r: Array
    """[m or rad], shape (rows,)."""
    equations: int

    def least(self, mass: MassMatrix, compliance: float = COMPLIANCE[1]) -> Array:
        """dq [m or rad], shape (n,); `compliance` is that of inequalities, over the diagonal of S."""
        A, r, m = self.A, self.r, self.equations
        S = mass.congruence(A)
        soft = S.diagonal() * np.where(np.arange(len(r)) < m, COMPLIANCE[0], compliance)
        active = (np.arange(len(r)) < m) | (r > 0.0)
        mu, slack = np.zeros(len(r)), MET * float(np.abs(r).max(initial=0.0))
        for _ in range(MOST_CHANGES):
            rows = np.flatnonzero(active)
            mu[:] = 0.0
            mu[rows] = _solved(S, soft, r, rows)
            wrong = active & (mu < 0.0)
            wrong[:m] = False
            if not wrong.any():
                wrong = ~active & (multiply(S, mu) < r - slack)
            if not wrong.any():
                break
            active ^= wrong
        mu[m:] = np.maximum(mu[m:], 0.0)
        return mass.solve(add_transposed_product(A, mu, np.zeros(A.shape[1])))


def impulsive(mass: MassMatrix, closing: Csr, acting: Csr, rate: Array) -> Array:
    """Change of velocities `H^-1 A' mu` by impulses along the `acting` rows A that gives the `closing` rows a rate."""
    if acting.shape[0] > DENSE_ROWS:
        effect = mass.inverse_times(acting.T)
        size = mass.congruence_diagonal(acting)
    else:
        pushes = acting.toarray().T
        effect = mass.inverse_times(pushes)
        size = (pushes * effect).sum(axis=0)
    mu = balanced(closing @ effect, COMPLIANCE[0] * size, size, rate)
    return np.asarray(effect @ mu)


def _solved(S: Csr, soft: Array, r: Array, rows: NDArray[np.int64]) -> Array:
    """Multipliers of these rows."""
    if not len(rows):
        return np.zeros(0)
    return balanced(S[rows][:, rows], soft[rows], S.diagonal()[rows], r[rows])
