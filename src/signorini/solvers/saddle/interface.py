"""The interface of linear solvers of saddle-point systems.

::

    [ H  C' ] [ x ]   [ r ]
    [ C  0  ] [ y ] = [ p ]

H is square, nearly symmetric and definite on the null space of C; rows of C may repeat or depend on one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from signorini.math.sparse import Array, Csr


@dataclass(frozen=True, eq=False)
class SaddleSolution:
    """Result of one solve."""

    x: Array
    """Shape (n,)."""
    y: Array
    """Shape (rows of C,)."""
    iterations: int = 1
    """Steps of refinement or of an iteration."""
    ok: bool = True
    """Whether x and y can be used."""
    message: str = ""
    """What went wrong, for the user."""


class SaddleSession(Protocol):
    """State of one solver over a series of similar systems: analysis of the pattern, factors, last answer."""

    def factor(self, H: Csr, C: Csr) -> str:
        """Set new matrices; returns what went wrong, empty if nothing did."""

    def solve(self, r: Array, p: Array) -> SaddleSolution:
        """x and y for the matrices taken last."""

    def trim(self, y: Array) -> Array:
        """y without what does no work (the null space of C'), cheaply: with redundant rows that part may be huge."""

    def least(self, y: Array) -> Array:
        """The multipliers of least norm with the same `C' y`, forces in N and torques in N m counted alike."""


class SaddleSolver(Protocol):
    """A solver is a frozen dataclass of its settings; `session` begins a series of systems."""

    name: ClassVar[str]
    exact: ClassVar[bool]
    """Whether it accepts an unsymmetric H; others get its symmetric part."""

    def session(self) -> SaddleSession:
        """A fresh session."""
