"""Which solver a simulation takes where none was named, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from signorini.model.model import Model
from signorini.problem.errors import SolverError
from signorini.solvers import make_solver
from signorini.solvers.auto import Auto
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.solvers.saddle import Direct

AUTO = "auto"
MANY = 20_000
"""Movable rigid bodies above which the factors of the interior point take minutes and gigabytes (see
`docs/solvers/choice.md`)."""
SWEEPS = ProjectedSOR(tolerance=1e-4, max_iterations=1000)
"""Of so many bodies on the CPU."""
ON_DEVICE = ProjectedSOR(tolerance=1e-3, max_iterations=200, check_every=50)
"""Of the device."""
LOOSEST_PROMISE = 1e-5
"""Smaller tolerances than this are out of reach of sweeps over many bodies."""


@dataclass(frozen=True)
class SolverChoice:
    """A solver and the reason why it was taken."""

    solver: Any
    """A solver, or the name of one."""
    why: str
    """A sentence for the user."""


def choose_solver(asked: Any, model: Model, device: str, smooth: bool) -> SolverChoice:
    """The solver that was `asked` for, or the one for this model where that is "auto", `Auto(...)` or None."""
    if isinstance(asked, SolverChoice):
        return asked
    if asked is not None and asked != AUTO and not isinstance(asked, Auto):
        return SolverChoice(asked, "named by the user")
    auto = asked if isinstance(asked, Auto) else Auto()
    if smooth:
        if auto.given:
            raise SolverError(f"{min(auto.given)} is of solvers of contact problems; smooth dynamics has none")
        return SolverChoice(Direct(), "auto: every step of smooth dynamics is a linear system")
    if device == "cuda":
        return SolverChoice(_with(ON_DEVICE, auto), "auto: the sweeps that the device has")
    name, why = _kind(model, auto.tolerance)
    chosen = _with(SWEEPS, auto) if name == ProjectedSOR.name else make_solver(name, **auto.given)
    return SolverChoice(chosen, f"auto: {why}")


def _with(solver: ProjectedSOR, auto: Auto) -> ProjectedSOR:
    """These sweeps with the settings that were given."""
    return ProjectedSOR(
        tolerance=auto.tolerance or solver.tolerance, max_iterations=auto.max_iterations or solver.max_iterations,
        check_every=solver.check_every,
    )  # fmt: skip


def _kind(model: Model, tolerance: float | None) -> tuple[str, str]:
    """The name of a solver of contact problems on the CPU, and why."""
    bodies = sum(count for _, count, body in model.bodies.kinds if body.movable)
    exact = "interior-point"
    if model.flexibles:
        return exact, "flexible bodies are too stiff for sweeps"
    if model.joints or model.limits or model.dry_frictions:
        return exact, "joints hold exactly in a factorisation"
    if bodies <= MANY:
        return exact, f"{bodies} movable bodies are few enough to factorise (up to {MANY})"
    if tolerance is not None and tolerance < LOOSEST_PROMISE:
        return exact, f"a tolerance of {tolerance:g} is out of reach of sweeps (down to {LOOSEST_PROMISE:g})"
    return ProjectedSOR.name, f"{bodies} movable bodies are too many to factorise (up to {MANY})"
