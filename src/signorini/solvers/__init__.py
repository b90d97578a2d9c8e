"""Solvers of the contact problem, found by name. A new solver is one file and one line here."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib import import_module
from typing import Any, cast, get_args

from signorini.problem.certificate import Law
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

# Laws that are solved by an outer loop around one of the solvers above. They solve another problem than these, so they
# are not listed among them: see `with_law`.
OUTER = {"coulomb": ("signorini.solvers.coulomb", "Coulomb")}


# Linear solvers of smooth dynamics that have settings; elsewhere a name such as "superlu" is enough.
LINEAR = {
    "Direct": "signorini.solvers.saddle.direct",
    "Minres": "signorini.solvers.saddle.minres",
}

# Not a solver: asks the simulation to pick one.
PICKED = {"Auto": "signorini.solvers.auto"}

# Everyday solvers have their public path at the top: `signorini.InteriorPoint`. All others are public here.
AT_THE_TOP = {
    "InteriorPoint", "PrimalDualBarrier", "ProjectedSOR", "ProjectedJacobi", "BarzilaiBorwein", "APGD", "Coulomb",
}  # fmt: skip
_CLASSES = {attribute: module for module, attribute in (SOLVERS | OUTER).values()} | LINEAR | PICKED
__all__ = sorted(_CLASSES.keys() - AT_THE_TOP)


def __getattr__(name: str) -> Any:
    """Classes of solvers, loaded on first use."""
    if name not in _CLASSES:
        raise AttributeError(f"module 'signorini.solvers' has no attribute {name!r}; it has {', '.join(_CLASSES)}")
    return getattr(import_module(_CLASSES[name]), name)


WITH_LAW = ("projected-sor", "apgd")
"""Solvers that apply the exact law in their own steps."""


def solver_class(name: str) -> type[Solver]:
    """The solver class called `name` on the command line."""
    known = SOLVERS | OUTER
    if name not in known:
        raise SolverError(f"there is no solver called {name!r}{suggestion(name, SOLVERS, 'choose one of')}")
    module, attribute = known[name]
    found: type[Solver] = getattr(import_module(module), attribute)
    return found


def make_solver(name: str, **settings: Any) -> Solver:
    """The solver called `name` with these settings, defaults for the rest."""
    return solver_class(name)(**settings)


def is_decisive(solver: Solver) -> bool:
    """Whether a problem that the solver misses is a hard one: Newton's method on the exact law ends only there, other
    methods at the end of their iterations as well."""
    return solver.name in OUTER and bool(getattr(solver, "newton", False))


def with_law(solver: Solver, law: Law, **settings: Any) -> Solver:
    """The solver of that law: `solver` with the law as its setting where it has one, else `Coulomb` around it.

    `Coulomb` is asked for 1e-6, or less where `solver` is, within the time budget of `solver`, unless `settings` say
    otherwise. Around the interior point it uses Newton's method on the law itself; around others, the fixed point of
    their convex answers.
    """
    if law not in get_args(Law):
        raise SolverError(f"law is {law!r}, expected one of {', '.join(get_args(Law))}")
    if solver.name in OUTER:
        return solver
    if solver.name in WITH_LAW:
        own: Any = solver
        known = {field.name for field in fields(own)}
        given = {key: value for key, value in settings.items() if key in known}
        return cast(Solver, replace(own, law=law, **given))
    if law == "convex":
        return solver
    outer: Any = solver_class(law)
    tolerance = max(float(getattr(solver, "tolerance", 0.0)), outer.tolerance)
    budget = float(getattr(solver, "time_budget", outer.time_budget))
    usual = {
        "inner": solver, "tolerance": tolerance, "newton": solver.name == "interior-point", "time_budget": budget,
    }  # fmt: skip
    found: Solver = outer(**(usual | settings))
    return found
