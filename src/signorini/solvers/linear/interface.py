"""One interface for all direct linear solvers: analyse a pattern once, factor values often, solve.

A back end is stateless; `analyse` returns the `Factors` that own the memory.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        """Whether a factorisation is bitwise that of a fresh analysis, independent of earlier ones."""

    def factor(self, data: Array) -> FactorReport:
        """Numeric factorisation; `data` are the values in the order of the analysed pattern."""

    def solve(self, b: Array) -> Array:
        """x with A x = b, for a vector or a matrix (n, k) of right-hand sides."""

    def analysis(self) -> Mapping[str, float]:
        """Errors and condition numbers of the last solve, by name, where the back end was told to measure them."""
        return {}


class BodyBlocks(Enum):
    """When condensed systems of rigid bodies are factored in blocks of six by six instead of by a back end."""

    NEVER = "never"
    SMALL = "up to the size from which the back end is faster on several threads"
    ALWAYS = "at any size that such a factorisation is made for"


class BackEnd(Protocol):
    """A direct solver."""

    name: ClassVar[str]

    @property
    def body_blocks(self) -> BodyBlocks:
        """When blocks of bodies take its place."""
        return BodyBlocks.NEVER

    def factoring(self, unknowns: int) -> BackEnd:
        """The back end that factors a matrix of so many rows."""
        return self

    def without_matching(self) -> BackEnd:
        """For general matrices with a sound diagonal: their patterns are analysed without values."""
        return self

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        """Symbolic analysis of `pattern`.

        Symmetric kinds give the **upper triangle** (row <= column) with every diagonal entry stored,
        `GENERAL` the whole matrix. Rows are sorted.
        """
