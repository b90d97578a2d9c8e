"""Settings as plain data and back."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from signorini.model.model import Model
from signorini.problem.errors import ModelError
from signorini.simulation.solver_choice import SolverChoice
from signorini.solvers import OUTER, SOLVERS, make_solver
from signorini.solvers.base import Solver
from signorini.solvers.saddle import ContactSolverAdapter, Direct, Minres, SaddleSolver
from signorini.stepping.integrators import restored_integrator
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.smooth.penalty import Penalty


def describe(solver: Any) -> dict[str, Any]:
    """Name and settings of a solver; infinite numbers as text, because JSON has none."""
    settings: dict[str, Any] = {}
    plain: Any = solver
    if dataclasses.is_dataclass(plain):
        for field in dataclasses.fields(plain):
            value = getattr(plain, field.name)
            if field.name == "inner":
                value = describe(value)
            settings[field.name] = "inf" if isinstance(value, float) and math.isinf(value) else value
    return {"name": solver.name, "settings": settings}


def restored_solver(described: dict[str, Any]) -> Solver:
    """The solver that `describe` was given."""
    if described["name"] not in SOLVERS | OUTER:
        raise ModelError(f"the record was made with the solver {described['name']!r}, which is not one of Signorini's")
    settings: dict[str, Any] = {
        key: math.inf if value == "inf" else value for key, value in described["settings"].items()
    }
    if "inner" in settings:
        settings["inner"] = restored_solver(settings["inner"])
    return make_solver(described["name"], **settings)


def describe_saddle(solver: SaddleSolver) -> dict[str, Any]:
    """Name and settings of a linear solver; an adapted solver of contact problems as itself."""
    return describe(solver.solver) if isinstance(solver, ContactSolverAdapter) else describe(solver)


def restored_saddle(described: dict[str, Any]) -> Any:
    """The linear solver that `describe_saddle` was given."""
    known: dict[str, Any] = {kind.name: kind for kind in (Direct, Minres)}
    if described["name"] in known:
        return known[described["name"]](**described["settings"])
    return restored_solver(described)


def restored_contact(described: Any) -> Any:
    """The treatment of contacts in smooth dynamics."""
    return described if isinstance(described, str) else Penalty(**described["settings"])


def restored_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `Simulation` that give `Simulation.settings` again."""
    integrator = restored_integrator(settings.get("integrator"))
    smooth = not isinstance(integrator, str | NonsmoothAlpha)
    speed, solver = settings["max_recovery_speed"], (restored_saddle if smooth else restored_solver)(settings["solver"])
    return {
        "step": settings["step"],
        "solver": SolverChoice(solver, settings.get("solver_choice", "")),
        "integrator": integrator,
        "contact": restored_contact(settings["contact"]) if smooth else "refuse",
        "on_failure": settings["on_failure"],
        "warm_start": settings["warm_start"],
        "max_recovery_speed": math.inf if speed is None else speed,
        "seed": settings["seed"],
        "max_failures": _unlimited(settings.get("max_failures", math.inf)),
        "threads": settings["threads"],
        "law": settings.get("law") or "coulomb",
        "gaps": settings.get("gaps") or "linear",
        "device": settings.get("device", "cpu"),
    }


def _unlimited(number: Any) -> Any:
    return math.inf if number is None else number


def smallest_radius(model: Model) -> float | None:
    """Smallest bounding radius of a shape of a movable body [m], None without any."""
    movable = [body for _, _, body in model.bodies.kinds if body.movable]
    known = {id(placed.shape): placed.shape for body in movable for placed in body.shapes}
    radii = [shape.bounding_radius() for shape in known.values()]
    return min((radius for radius in radii if math.isfinite(radius)), default=None)
