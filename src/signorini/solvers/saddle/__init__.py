"""Linear solvers of saddle-point systems, found by name. A new one is one file and one line here."""

from __future__ import annotations

from typing import Any

from signorini.problem.errors import SolverError, suggestion
from signorini.solvers import SOLVERS, make_solver
from signorini.solvers.linear import BACK_ENDS
from signorini.solvers.saddle.contact_adapter import ContactSolverAdapter
from signorini.solvers.saddle.direct import Direct
from signorini.solvers.saddle.interface import SaddleSession, SaddleSolution, SaddleSolver
from signorini.solvers.saddle.minres import Minres

__all__ = [
    "SaddleSolution",
    "ContactSolverAdapter",
    "Direct",
    "Minres",
    "SaddleSession",
    "SaddleSolver",
    "make_saddle_solver",
]

DIRECT = {"direct": "auto"} | {name: name for name in BACK_ENDS}
"""Names of factorisations and the back end that each uses."""


def make_saddle_solver(name: str, **settings: Any) -> SaddleSolver:
    """The linear solver called `name`: a factorisation, `minres`, or a solver of contact problems through an
    adapter."""
    if name in DIRECT:
        return Direct(**{"back_end": DIRECT[name], **settings})
    if name == Minres.name:
        return Minres(**settings)
    if name in SOLVERS:
        return ContactSolverAdapter(make_solver(name, **settings))
    known = [*DIRECT, Minres.name, *SOLVERS]
    raise SolverError(f"there is no linear solver called {name!r}{suggestion(name, known, 'choose one of')}")
