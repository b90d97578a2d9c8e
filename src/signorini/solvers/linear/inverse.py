"""H^-1 of a large sparse H by a direct solver, whose analysis serves all matrices of one pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Csr, Indices, entry_rows
from signorini.problem.errors import ProblemError
from signorini.problem.mass_matrix import MassMatrix
from signorini.solvers.linear import back_end
from signorini.solvers.linear.interface import Factors, MatrixKind

EXACT_ROWS = 96
"""Up to this many rows the diagonal of A H^-1 A' is computed, above it is estimated."""
PROBES = 4


class SharedFactors:
    """The factors of one pattern at a time, owned by the inverse that used them last."""

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
            self._upper = np.flatnonzero(entry_rows(H) <= H.indices)
            upper = sp.triu(H, format="csr")
            upper.sort_indices()
            self._factors = self._back_end.analyse(sp.csr_array(upper), MatrixKind.POSITIVE_DEFINITE)
        self._pattern = (H.indptr, H.indices)


class SparseInverse(MassMatrix):
    """A sparse H, factored when its inverse is first used."""

    def __init__(self, H: Csr, shared: SharedFactors) -> None:
        self.csr, self._shared = H, shared

    def solve(self, x: Array) -> Array:
        """H^-1 x for a vector or the columns of a matrix."""
        return self._shared.factored(self.csr, self).solve(x)

    def congruence_diagonal(self, A: Csr) -> Array:
        """The diagonal of A H^-1 A'.

        It sets scales only. For many rows it is that of `A diag(H)^-1 A'`, multiplied so that its sum is the trace,
        which a few fixed random vectors estimate.
        """
        rows = A.shape[0]
        if rows <= EXACT_ROWS:
            return np.asarray(self.congruence(A).diagonal())
        squares = A.multiply(A) @ (1.0 / self.csr.diagonal())
        signs = np.random.default_rng(0).choice((-1.0, 1.0), (rows, PROBES))
        pushed = np.asfortranarray(A.T @ signs)
        trace = float((pushed * self.solve(pushed)).sum()) / PROBES
        return np.asarray(squares * (trace / squares.sum()))
