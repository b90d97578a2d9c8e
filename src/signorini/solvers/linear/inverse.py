"""H^-1 of a large sparse H by a direct solver, whose analysis serves all matrices of one pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, Indices, canonical
from signorini.problem.errors import ProblemError
from signorini.solvers.linear import back_end
from signorini.solvers.linear.common import rows_of
from signorini.solvers.linear.interface import Factors, MatrixKind

COLUMNS_AT_ONCE = 128
EXACT_ROWS = 96
"""Up to this many rows the diagonal of D H^-1 D' is computed, above it is estimated."""
PROBES = 4


class SharedFactors:
    """The factors of one pattern at a time, lent to the inverse that used them last."""

    def __init__(self, linear: str = "auto") -> None:
        self._back_end = back_end(linear)
        self._pattern: tuple[Any, Any] | None = None
        self._factors: Factors | None = None
        self._upper: Indices = np.zeros(0, dtype=np.int64)
        self._owner: object = None

    def factored(self, H: Csr, owner: object) -> Factors:
        """The factors of H; nothing is done while their owner stays the same."""
        if self._owner is not owner or self._factors is None:
            self._owner = None
            self._analyse(H)
            assert self._factors is not None
            report = self._factors.factor(H.data[self._upper])
            if not report.ok:
                raise ProblemError(f"H is not positive definite: {report.message}")
            self._owner = owner
        return self._factors

    def _analyse(self, H: Csr) -> None:
        known = self._pattern
        same = known is not None and (
            (known[0] is H.indptr and known[1] is H.indices)
            or (np.array_equal(known[0], H.indptr) and np.array_equal(known[1], H.indices))
        )
        if not same:
            self._upper = np.flatnonzero(rows_of(H) <= H.indices)
            upper = sp.triu(H, format="csr")
            upper.sort_indices()
            self._factors = self._back_end.analyse(sp.csr_array(upper), MatrixKind.POSITIVE_DEFINITE)
        self._pattern = (H.indptr, H.indices)


class SparseInverse:
    """H^-1 as an operator (`problem.inverse.Inverse`); factored when first used."""

    def __init__(self, H: Csr, shared: SharedFactors) -> None:
        self._H, self._shared = H, shared

    def solve(self, x: Array) -> Array:
        """H^-1 x for a vector or the columns of a matrix."""
        return self._shared.factored(self._H, self).solve(x)

    def congruence(self, D: Csr) -> Csr:
        """D H^-1 D' as a sparse matrix."""
        columns = D.T.tocsc()
        parts = []
        for first in range(0, D.shape[0], COLUMNS_AT_ONCE):
            block = np.asfortranarray(columns[:, first : first + COLUMNS_AT_ONCE].toarray(order="F"))
            parts.append(D @ self.solve(block))
        if not parts:
            return canonical(sp.csr_array((0, 0)))
        N = np.hstack(parts)
        return canonical(0.5 * (N + N.T))

    def congruence_diagonal(self, D: Csr) -> Array:
        """The diagonal of D H^-1 D'.

        It sets scales only. For many rows it is that of `D diag(H)^-1 D'`, multiplied so that its sum is the trace,
        which a few fixed random vectors estimate.
        """
        rows = D.shape[0]
        if rows <= EXACT_ROWS:
            return np.asarray(self.congruence(D).diagonal())
        squares = D.multiply(D) @ (1.0 / self._H.diagonal())
        signs = np.random.default_rng(0).choice((-1.0, 1.0), (rows, PROBES))
        pushed = np.asfortranarray(D.T @ signs)
        trace = float((pushed * self.solve(pushed)).sum()) / PROBES
        return np.asarray(squares * (trace / squares.sum()))
