"""SuperLU of scipy: always available, slower than PARDISO.

scipy orders the columns anew in every call, so the permutation of the first factorisation is kept, and later values
go straight into the permuted matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array, Csr, Indices, entry_rows
from signorini.solvers.linear.common import (
    NEARLY_ZERO,
    NOT_FINITE,
    NOT_POSITIVE,
    ROUNDING,
    NoUnknowns,
    check_pattern,
    check_right_hand_side,
    check_values,
)
from signorini.solvers.linear.interface import BackEnd, FactorReport, Factors, MatrixKind

DIAGONAL_THRESHOLD = 1e-6
"""Diagonal pivots of a symmetric indefinite matrix are taken down to this share of their column."""
SHIFT = 1e-10
"""Added to the diagonal of a singular matrix, relative to its largest entry: SuperLU cannot replace single pivots."""
BAD_PIVOTS = 1e-8
"""Relative residual of a probe above which diagonal pivots are given up for partial pivoting."""


@dataclass(frozen=True)
class SuperLU(BackEnd):
    """scipy's SuperLU: symmetric mode with diagonal pivots for symmetric kinds, partial pivoting otherwise."""

    name: ClassVar[str] = "superlu"

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        check_pattern(pattern, kind)
        return SuperLUFactors(pattern, kind) if pattern.shape[0] else NoUnknowns()


class SuperLUFactors(Factors):
    """The factors of one pattern; the ordering is found in the first factorisation and kept."""

    history_free: ClassVar[bool] = False
    """Diagonal pivots are never tried again once given up."""

    def __init__(self, pattern: Csr, kind: MatrixKind) -> None:
        self._pattern = pattern
        self._kind = kind
        self._diagonal_pivots = kind is not MatrixKind.GENERAL
        self._columns = _Columns(pattern, kind, np.arange(pattern.shape[0]))
        self._ordered = False
        self._order = self._columns.order
        self._lu: spla.SuperLU | None = None

    def factor(self, data: Array) -> FactorReport:
        self._lu = None
        if not check_values(data, self._pattern.nnz):
            return NOT_FINITE
        matrix = self._columns.matrix(data)
        lu = self._decompose(matrix)
        if self._kind is MatrixKind.POSITIVE_DEFINITE:
            if lu is None or not _positive(lu, matrix):
                return FactorReport(False, message=NOT_POSITIVE)
            self._lu = lu
            return FactorReport(True)
        if self._diagonal_pivots and (lu is None or not _accurate(lu, matrix)):
            self._pivot_freely()
            lu = self._decompose(self._columns.matrix(data))
        return self._accept(lu, data)

    def solve(self, b: Array) -> Array:
        if self._lu is None:
            raise RuntimeError("SuperLU has no factors: call factor() and look at its report first")
        check_right_hand_side(b, self._pattern.shape[0])
        if b.ndim == 2 and b.shape[1] == 0:
            return np.empty(b.shape)
        x = np.empty(b.shape)
        x[self._order] = self._lu.solve(np.asarray(b[self._order], dtype=np.float64))
        return x

    def _decompose(self, matrix: sp.csc_array) -> spla.SuperLU | None:
        """LU factors, None when the matrix is exactly singular. The first ordering is kept for later values."""
        self._order = self._columns.order
        symmetric = self._diagonal_pivots
        threshold = 0.0 if self._kind is MatrixKind.POSITIVE_DEFINITE else DIAGONAL_THRESHOLD
        try:
            lu = spla.splu(
                matrix,
                permc_spec="NATURAL" if self._ordered else "MMD_AT_PLUS_A" if symmetric else "COLAMD",
                diag_pivot_thresh=threshold if symmetric else 1.0,
                options={"SymmetricMode": symmetric},
            )
        except RuntimeError:
            return None
        if not self._ordered:
            # Rows and columns in this order, the natural ordering gives the same factors again.
            self._columns = _Columns(self._pattern, self._kind, self._order[np.argsort(lu.perm_c)])
            self._ordered = True
        return lu

    def _pivot_freely(self) -> None:
        """Give up diagonal pivots for good, and the ordering that was made for them."""
        self._diagonal_pivots = False
        self._ordered = False
        self._columns = _Columns(self._pattern, self._kind, np.arange(self._pattern.shape[0]))

    def _accept(self, lu: spla.SuperLU | None, data: Array) -> FactorReport:
        """Take the factors; a (nearly) singular matrix is factored again with a tiny diagonal added."""
        largest = float(np.abs(data).max(initial=0.0))
        small = 1
        if lu is not None:
            small = int(np.count_nonzero(np.abs(lu.U.diagonal()) < NEARLY_ZERO * largest))
        if small:
            shift = SHIFT * largest if largest > 0 else 1.0
            matrix = self._columns.matrix(data)
            lu = self._decompose(sp.csc_array(matrix + sp.diags_array(np.where(matrix.diagonal() > 0, shift, -shift))))
        if lu is None:
            return FactorReport(False, message="the matrix is singular")
        self._lu = lu
        return FactorReport(True, perturbed=small)


class _Columns:
    """Where each value of the pattern goes in the compressed columns of the (mirrored and permuted) matrix."""

    def __init__(self, pattern: Csr, kind: MatrixKind, order: Indices) -> None:
        self.order = order
        """Row and column `order[k]` of the matrix stand in place k."""
        n = pattern.shape[0]
        row, column = entry_rows(pattern), pattern.indices.astype(np.int64)
        entry = np.arange(pattern.nnz)
        if kind is not MatrixKind.GENERAL:
            above = row < column
            row, column = np.concatenate((row, column[above])), np.concatenate((column, row[above]))
            entry = np.concatenate((entry, entry[above]))
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        row, column = place[row], place[column]
        sort = np.lexsort((row, column))
        self._entry = entry[sort]
        self._indices = row[sort].astype(np.int32)
        self._indptr = np.concatenate(([0], np.cumsum(np.bincount(column, minlength=n)))).astype(np.int32)
        self._shape = (n, n)

    def matrix(self, data: Array) -> sp.csc_array:
        """The matrix with these values."""
        return sp.csc_array((data[self._entry], self._indices, self._indptr), shape=self._shape)


def _positive(lu: spla.SuperLU, matrix: sp.csc_array) -> bool:
    """With diagonal pivots in symmetric order LU is LDL': all pivots above rounding means positive definite."""
    before = np.empty(matrix.shape[0])
    before[lu.perm_c] = matrix.diagonal()
    return bool((lu.U.diagonal() > ROUNDING * before).all())


def _accurate(lu: spla.SuperLU, matrix: sp.csc_array) -> bool:
    """Whether a probe is solved well; it is not when diagonal pivots were too small."""
    b = np.asarray(matrix @ np.ones(matrix.shape[0]))
    x = lu.solve(b)
    size = float(np.abs(b).max()) + float(np.abs(matrix.data).max()) * float(np.abs(x).max())
    return bool(np.isfinite(size)) and float(np.abs(matrix @ x - b).max()) <= BAD_PIVOTS * size
