"""LAPACK on a dense copy: the fastest choice for small matrices, for which sparse solvers are mostly overhead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import lapack

from signorini.math.sparse import Array, Csr, entry_rows
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


@dataclass(frozen=True)
class Dense(BackEnd):
    """Cholesky (potrf), Bunch-Kaufman (sytrf) or LU (getrf) of the matrix as a full one."""

    name: ClassVar[str] = "dense"

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        check_pattern(pattern, kind)
        if pattern.shape[0] == 0:
            return NoUnknowns()
        made: dict[MatrixKind, type[DenseFactors]] = {
            MatrixKind.POSITIVE_DEFINITE: Cholesky,
            MatrixKind.SYMMETRIC: BunchKaufman,
            MatrixKind.GENERAL: PivotedLU,
        }
        return made[kind](pattern)


class DenseFactors(Factors):
    """A preallocated full matrix in Fortran order; values are scattered into it by indices found once."""

    history_free: ClassVar[bool] = True

    def __init__(self, pattern: Csr) -> None:
        n = int(pattern.shape[0])
        self._n = n
        self._flat = np.asarray(pattern.indices.astype(np.int64) * n + entry_rows(pattern))
        self._buffer = np.zeros(n * n)
        self._matrix = self._buffer.reshape((n, n), order="F")
        self._diagonal = self._buffer[:: n + 1]
        self._ready = False

    def factor(self, data: Array) -> FactorReport:
        self._ready = False
        if not check_values(data, len(self._flat)):
            return NOT_FINITE
        self._buffer.fill(0.0)
        self._buffer[self._flat] = data
        report = self._decompose(data)
        self._ready = report.ok
        return report

    def solve(self, b: Array) -> Array:
        if not self._ready:
            raise RuntimeError("there are no factors: call factor() and look at its report first")
        if b.shape[0] != self._n or b.ndim > 2:
            check_right_hand_side(b, self._n)
        if b.ndim == 2 and b.shape[1] == 0:
            return np.empty(b.shape)
        x: Array = self._substitute(b)
        return x

    def _decompose(self, data: Array) -> FactorReport:
        raise NotImplementedError

    def _substitute(self, b: Array) -> Any:
        raise NotImplementedError

    def _lift_pivots(self, data: Array, mine: Any = True) -> int:
        """Replace pivots that are nearly zero, keeping their sign; returns how many there were."""
        floor = NEARLY_ZERO * max(float(data.max()), -float(data.min()))
        floor = floor if floor > 0 else 1.0
        small = (np.abs(self._diagonal) < floor) & mine
        count = int(np.count_nonzero(small))
        if count:
            self._diagonal[small] = np.copysign(floor, self._diagonal[small])
        return count


class Cholesky(DenseFactors):
    """A = U'U."""

    def _decompose(self, data: Array) -> FactorReport:
        before = self._diagonal.copy()
        _, info = lapack.dpotrf(self._matrix, lower=0, clean=0, overwrite_a=1)
        # Rounding can carry a singular matrix past dpotrf with a pivot of rounding size (relative to its own row, since
        # rows may differ by many powers of ten; the diagonal holds the pivots' square roots).
        if info or bool((self._diagonal * self._diagonal <= ROUNDING * before).any()):
            return FactorReport(False, message=NOT_POSITIVE)
        return FactorReport(True)

    def _substitute(self, b: Array) -> Any:
        return lapack.dpotrs(self._matrix, b, lower=0)[0]


class BunchKaufman(DenseFactors):
    """A = U D U' with 1x1 and 2x2 pivots."""

    def __init__(self, pattern: Csr) -> None:
        super().__init__(pattern)
        self._workspace = int(lapack.dsytrf_lwork(self._n, lower=0)[0])

    def _decompose(self, data: Array) -> FactorReport:
        _, self._pivots, _ = lapack.dsytrf(self._matrix, lower=0, lwork=self._workspace, overwrite_a=1)
        # 2x2 pivots (negative entries) are chosen for their large off-diagonal, so only 1x1 pivots can vanish.
        return FactorReport(True, perturbed=self._lift_pivots(data, self._pivots > 0))

    def _substitute(self, b: Array) -> Any:
        return lapack.dsytrs(self._matrix, self._pivots, b, lower=0)[0]


class PivotedLU(DenseFactors):
    """P A = L U."""

    def _decompose(self, data: Array) -> FactorReport:
        _, self._pivots, _ = lapack.dgetrf(self._matrix, overwrite_a=1)
        return FactorReport(True, perturbed=self._lift_pivots(data))

    def _substitute(self, b: Array) -> Any:
        return lapack.dgetrs(self._matrix, self._pivots, b)[0]
