"""Integrators by name. A new one is one file and one line here."""

from __future__ import annotations

import dataclasses
from typing import Any

from signorini.problem.errors import SolverError, suggestion
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.smooth.euler import ImplicitEuler
from signorini.stepping.smooth.explicit import ExplicitIntegrator, Heun, RungeKutta45, SymplecticEuler
from signorini.stepping.smooth.hht import HHT
from signorini.stepping.smooth.newmark import Newmark
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.scheme import Integrator
from signorini.stepping.smooth.step_size import StepSize
from signorini.stepping.smooth.trapezoidal import Trapezoidal

DVI = "dvi"
"""Linearised implicit Euler with hard contact; no integrator of smooth dynamics."""
SMOOTH: dict[str, Any] = {
    kind.name: kind for kind in (HHT, Newmark, Trapezoidal, ImplicitEuler, SymplecticEuler, Heun, RungeKutta45)
}
HARD: dict[str, Any] = {NonsmoothAlpha.name: NonsmoothAlpha}
"""With hard contact, beside `dvi`."""
EVERY = SMOOTH | HARD
NESTED: dict[str, Any] = {"newton": NewtonSettings, "step_size": StepSize}


Smooth = Integrator | ExplicitIntegrator
"""Of smooth dynamics."""


def make_integrator(choice: Smooth | NonsmoothAlpha | str) -> Smooth | NonsmoothAlpha | None:
    """The integrator itself, or by its name; None stands for `dvi`."""
    if isinstance(choice, str):
        if choice == DVI:
            return None
        if choice not in EVERY:
            advice = suggestion(choice, [DVI, *EVERY], "choose one of")
            raise SolverError(f"there is no integrator called {choice!r}{advice}")
        made: Smooth | NonsmoothAlpha = EVERY[choice]()
        return made
    if isinstance(choice, NonsmoothAlpha):
        return choice
    if not any(callable(getattr(choice, name, None)) for name in ("scheme", "increment")):
        raise SolverError(f"integrator is {choice!r}, expected one such as HHT(alpha=-0.2), or a name such as 'hht'")
    return choice


def describe_integrator(integrator: Smooth | NonsmoothAlpha | None) -> dict[str, Any]:
    """Name and settings, ready for JSON."""
    if integrator is None:
        return {"name": DVI, "settings": {}}
    plain: Any = integrator
    return {"name": integrator.name, "settings": dataclasses.asdict(plain)}


def restored_integrator(described: dict[str, Any] | None) -> Smooth | NonsmoothAlpha | str:
    """The inverse of `describe_integrator`; None, as in older records, stands for `dvi`."""
    if described is None:
        return DVI
    name, settings = described["name"], dict(described["settings"])
    if name == DVI:
        return DVI
    if name not in EVERY:
        raise SolverError(f"the record was made with the integrator {name!r}, which is not one of Signorini's")
    if "control" in settings:  # in older records
        settings["step_size"] = settings.pop("control")
    for key, kind in NESTED.items():
        if settings.get(key) is not None:
            settings[key] = kind(**settings[key])
    made: Smooth | NonsmoothAlpha = EVERY[name](**settings)
    return made
