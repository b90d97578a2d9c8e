"""The automatic choice of a solver, and its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from signorini.model.model import Model
from signorini.problem.certificate import Law
from signorini.problem.errors import SolverError
from signorini.solvers import make_solver
from signorini.solvers.apgd import APGD
from signorini.solvers.auto import Auto
from signorini.solvers.base import Solver
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.solvers.saddle import Direct, SaddleSolver
from signorini.stepping.integrators import Smooth
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha

AUTO = "auto"
MANY = 20_000
"""Movable rigid bodies above which the factors of the interior point take minutes and gigabytes."""
SWEEPS = ProjectedSOR(tolerance=1e-3, max_iterations=200, check_every=50)
"""Of many bodies under the exact law, and of the device."""
GRADIENTS = APGD(tolerance=1e-4, max_iterations=1000)
"""Of many bodies under the convex law (iterations: `docs/solvers/first-order.md`)."""
SMALLEST = 1e-4
"""Tolerances below this are out of reach of first-order solvers."""


@dataclass(frozen=True)
class SolverChoice:
    """A solver and the reason why it was taken."""

    solver: Any
    """A solver, or the name of one."""
    why: str
    """A sentence for the user."""


AnySolver = Solver | SaddleSolver | Auto | SolverChoice | str | None
"""Accepted solvers."""


def choose_solver(
    asked: AnySolver, model: Model, device: str, integrator: Smooth | NonsmoothAlpha | None, law: Law
) -> SolverChoice:
    """The solver that was `asked` for, or the one for this model where that is "auto", `Auto(...)` or None.

    An integrator of None is the default of hard contact.
    """
    if isinstance(asked, SolverChoice):
        return asked
    if asked is not None and asked != AUTO and not isinstance(asked, Auto):
        return SolverChoice(asked, "named by the user")
    auto = asked if isinstance(asked, Auto) else Auto()
    if not (integrator is None or isinstance(integrator, NonsmoothAlpha)):
        if auto.given:
            raise SolverError(f"{min(auto.given)} is of solvers of contact problems; smooth dynamics has none")
        return SolverChoice(Direct(), "auto: every step of smooth dynamics is a linear system")
    if device == "cuda":
        return SolverChoice(replace(SWEEPS, **auto.given), "auto: the sweeps that the device has")
    reason = _against_sweeps(model, auto.tolerance)
    if reason is not None:
        return SolverChoice(make_solver("interior-point", **auto.given), f"auto: {reason}")
    first_order: Any = SWEEPS if law == "coulomb" else GRADIENTS
    why = f"auto: {_movable(model)} movable bodies are too many to factorise (up to {MANY})"
    return SolverChoice(replace(first_order, **auto.given), why)


def _against_sweeps(model: Model, tolerance: float | None) -> str | None:
    """Why a model takes the interior point on the CPU; None where it does not."""
    if model.flexibles:
        return "flexible bodies are too stiff for sweeps"
    if model.joints or model.limits or model.dry_frictions:
        return "joints hold exactly in a factorisation"
    if _movable(model) <= MANY:
        return f"{_movable(model)} movable bodies are few enough to factorise (up to {MANY})"
    if tolerance is not None and tolerance < SMALLEST:
        return f"a tolerance of {tolerance:g} is out of reach of sweeps (down to {SMALLEST:g})"
    return None


def _movable(model: Model) -> int:
    return sum(count for _, count, body in model.bodies.kinds if body.movable)
