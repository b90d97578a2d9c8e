"""Solvers of the contact problem, found by name. A new solver is one file and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from signorini.problem.errors import SolverError, suggestion
from signorini.solvers.base import Solver

# name on the command line -> (module, class). Imported on demand, so that `--help` stays fast.
SOLVERS: dict[str, tuple[str, str]] = {
    "interior-point": ("signorini.solvers.interior_point", "InteriorPoint"),
    "primal-dual-barrier": ("signorini.solvers.primal_dual_barrier", "PrimalDualBarrier"),
    "projected-sor": ("signorini.solvers.projected_sor", "ProjectedSOR"),
    "projected-jacobi": ("signorini.solvers.projected_jacobi", "ProjectedJacobi"),
    "barzilai-borwein": ("signorini.solvers.barzilai_borwein", "BarzilaiBorwein"),
    "apgd": ("signorini.solvers.apgd", "APGD"),
    "linear": ("signorini.solvers.linear_only", "Linear"),
    "clarabel": ("signorini.solvers.clarabel_adapter", "Clarabel"),
}


def solver_class(name: str) -> type[Solver]:
    """The solver class called `name` on the command line."""
    if name not in SOLVERS:
        raise SolverError(f"there is no solver called {name!r}{suggestion(name, SOLVERS, 'choose one of')}")
    module, attribute = SOLVERS[name]
    found: type[Solver] = getattr(import_module(module), attribute)
    return found


def make_solver(name: str, **settings: Any) -> Solver:
    """The solver called `name` with these settings, defaults for the rest."""
    return solver_class(name)(**settings)
