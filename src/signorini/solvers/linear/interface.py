"""One interface for all direct linear solvers: analyse a pattern once, factor values often, solve.

A back end is stateless; `analyse` returns the `Factors` that own the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Protocol

from signorini.math.sparse import Array, Csr


class MatrixKind(Enum):
    """What the caller guarantees about the matrix."""

    POSITIVE_DEFINITE = "symmetric positive definite"
    SYMMETRIC = "symmetric indefinite"
    GENERAL = "general"


@dataclass(frozen=True)
class FactorReport:
    """Result of a numeric factorisation."""

    ok: bool
    """Whether `solve` may be called."""
    perturbed: int = 0
    """Pivots that were replaced because they were (nearly) zero: the matrix is singular if this is not 0."""
    message: str = ""
    """What went wrong, for the user."""


class Factors(Protocol):
    """The factors of one sparsity pattern."""

    @property
    def history_free(self) -> bool:
        """Whether later factorisations are bitwise those of a fresh analysis, whatever was factored before."""

    def factor(self, data: Array) -> FactorReport:
        """Numeric factorisation; `data` are the values in the order of the analysed pattern."""

    def solve(self, b: Array) -> Array:
        """x with A x = b, for a vector or a matrix (n, k) of right-hand sides."""


class BackEnd(Protocol):
    """A direct solver."""

    name: ClassVar[str]

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        """Symbolic analysis of `pattern`.

        Symmetric kinds give the **upper triangle** (row <= column) with every diagonal entry stored,
        `GENERAL` the whole matrix. Rows are sorted.
        """
