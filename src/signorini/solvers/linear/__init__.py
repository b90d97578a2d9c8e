"""Direct linear solvers behind one interface, chosen by name or automatically."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from signorini.math.sparse import Csr
from signorini.problem.errors import SolverError
from signorini.solvers.linear import mumps, pardiso
from signorini.solvers.linear.dense import Dense
from signorini.solvers.linear.interface import BackEnd, BodyBlocks, FactorReport, Factors, MatrixKind
from signorini.solvers.linear.mumps import Mumps
from signorini.solvers.linear.pardiso import Pardiso
from signorini.solvers.linear.superlu import SuperLU

__all__ = ["BackEnd", "BodyBlocks", "FactorReport", "Factors", "MatrixKind", "available", "back_end"]

BACK_ENDS: dict[str, type[BackEnd]] = {"pardiso": Pardiso, "mumps": Mumps, "superlu": SuperLU, "dense": Dense}
SMALL = 100
"""Up to this many unknowns the dense back end is the fastest, counting one analysis per ten factorisations; above it
LAPACK starts threads as well, which costs milliseconds on a busy machine."""


@dataclass(frozen=True)
class Automatic(BackEnd):
    """Dense for small matrices, else the fastest sparse back end that is installed."""

    name: ClassVar[str] = "auto"

    sparse: BackEnd
    """For matrices that are not small."""
    body_blocks: BodyBlocks = BodyBlocks.ALWAYS

    def factoring(self, unknowns: int) -> BackEnd:
        return Dense() if unknowns <= SMALL else self.sparse

    def without_matching(self) -> Automatic:
        return replace(self, sparse=self.sparse.without_matching())

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        return self.factoring(pattern.shape[0]).analyse(pattern, kind)


def available() -> dict[str, str]:
    """Each back end's name with `available` or the reason why it is not."""
    return {
        "pardiso": pardiso.available(),
        "mumps": mumps.available(),
        "superlu": "available",
        "dense": "available",
    }


def back_end(name: str = "auto") -> BackEnd:
    """The back end called `name`; `block` is `auto` with blocks of bodies at any size.

    Raises `MissingExtraError` when it is not installed.
    """
    if name in ("auto", "block"):
        if pardiso.available() != "available":
            return Automatic(SuperLU())
        return Automatic(Pardiso(), BodyBlocks.ALWAYS if name == "block" else BodyBlocks.SMALL)
    if name not in BACK_ENDS:
        names = ", ".join(("auto", "block", *BACK_ENDS))
        raise SolverError(f"there is no linear back end called {name!r}; choose one of {names}")
    if name == "pardiso":
        pardiso.load_library()
    if name == "mumps":
        mumps.load_module()
    return BACK_ENDS[name]()
