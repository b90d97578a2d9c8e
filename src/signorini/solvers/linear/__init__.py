"""Direct linear solvers behind one interface, chosen by name or automatically."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.math.sparse import Csr
from signorini.problem.errors import SolverError
from signorini.solvers.linear import mumps, pardiso
from signorini.solvers.linear.dense import Dense
from signorini.solvers.linear.interface import BackEnd, FactorReport, Factors, MatrixKind
from signorini.solvers.linear.mumps import Mumps
from signorini.solvers.linear.pardiso import Pardiso
from signorini.solvers.linear.superlu import SuperLU

__all__ = ["BackEnd", "FactorReport", "Factors", "MatrixKind", "available", "back_end"]

BACK_ENDS: dict[str, type[BackEnd]] = {"pardiso": Pardiso, "mumps": Mumps, "superlu": SuperLU, "dense": Dense}
SMALL = 100
"""Up to this many unknowns the dense back end is the fastest, counting one analysis per ten factorisations; above it
LAPACK starts threads as well, which costs milliseconds on a busy machine."""


@dataclass(frozen=True)
class Automatic:
    """Dense for small matrices, else the fastest sparse back end that is installed."""

    name: ClassVar[str] = "auto"

    sparse: BackEnd
    blocks: bool = False
    """Whether condensed systems of rigid bodies are factored in blocks of six by six even where `sparse` may be faster
    on several threads."""

    def analyse(self, pattern: Csr, kind: MatrixKind) -> Factors:
        return (Dense() if pattern.shape[0] <= SMALL else self.sparse).analyse(pattern, kind)


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
        sparse = Pardiso() if pardiso.available() == "available" else SuperLU()
        return Automatic(sparse, blocks=name == "block")
    if name not in BACK_ENDS:
        names = ", ".join(("auto", "block", *BACK_ENDS))
        raise SolverError(f"there is no linear back end called {name!r}; choose one of {names}")
    if name == "pardiso":
        pardiso.load_library()
    if name == "mumps":
        mumps.load_module()
    return BACK_ENDS[name]()
