"""What all back ends share: checks of the pattern and of the values, and the factors of an empty matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from signorini.math.sparse import Array, Csr
from signorini.problem.errors import MissingExtraError, SolverError
from signorini.solvers.linear.interface import FactorReport, Factors, MatrixKind

NEARLY_ZERO = 1e-13
"""A pivot below this times the largest entry of the matrix counts as zero (PARDISO's iparm(10) = 13)."""
ROUNDING = 1.1e-16
"""A pivot of a positive definite matrix below this times its diagonal entry is round-off."""
NOT_FINITE = FactorReport(False, message="the matrix holds entries that are not finite numbers")
NOT_POSITIVE = "the matrix is not positive definite: a pivot is zero or negative"


@dataclass(frozen=True)
class NoUnknowns(Factors):
    """The factors of a matrix without rows."""

    history_free: ClassVar[bool] = True

    def factor(self, data: Array) -> FactorReport:
        return FactorReport(ok=True)

    def solve(self, b: Array) -> Array:
        return np.array(b, dtype=np.float64)


def check_pattern(pattern: Csr, kind: MatrixKind) -> None:
    """Raise `SolverError` unless `pattern` meets the conditions of `BackEnd.analyse`."""
    n = pattern.shape[0]
    if pattern.shape != (n, n):
        raise SolverError(f"the matrix has shape {pattern.shape}, expected a square one")
    if not pattern.has_sorted_indices:
        raise SolverError("the rows of the matrix are not sorted; call sort_indices() first")
    if kind is MatrixKind.GENERAL or n == 0:
        return
    first = pattern.indptr[:-1]
    empty = np.flatnonzero(np.diff(pattern.indptr) == 0)
    wrong = empty if len(empty) else np.flatnonzero(pattern.indices[first] != np.arange(n))
    if len(wrong):
        raise SolverError(
            f"row {wrong[0]} of the {kind.value} matrix does not begin with its diagonal; "
            "pass the upper triangle with every diagonal entry stored, zeros included"
        )


def check_values(data: Array, entries: int) -> bool:
    """Whether `data` are finite; raises `SolverError` when they do not fit the pattern."""
    if len(data) != entries:
        raise SolverError(f"{len(data)} values were given for a pattern of {entries} entries")
    # The sum finds NaN and infinity in one pass; since it may overflow, every entry is checked before refusing.
    return math.isfinite(data.sum()) or bool(np.isfinite(data).all())


def check_right_hand_side(b: Array, n: int) -> None:
    """Raise `SolverError` unless `b` has n rows."""
    if b.shape[0] != n or b.ndim > 2:
        raise SolverError(f"the right-hand side has shape {b.shape}, expected ({n},) or ({n}, k)")


def availability(load: Callable[[], Any]) -> str:
    """`available`, or the reason why a library cannot be loaded."""
    try:
        load()
    except MissingExtraError as error:
        return str(error)
    return "available"
