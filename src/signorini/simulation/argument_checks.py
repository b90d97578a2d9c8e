"""Checks of the arguments of `Simulation`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from signorini.io.recorder import Recorder
from signorini.kernels.bodies.momentum import first_unsound
from signorini.kernels.threads.team import team
from signorini.model.model import Model
from signorini.model.state import ARRAYS, State
from signorini.problem.certificate import Law
from signorini.problem.errors import ModelError, SimulationError
from signorini.stepping.dvi import Gaps
from signorini.stepping.integrators import Smooth
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.step import Step
from signorini.stepping.warm_start import WarmStart

Device = Literal["cpu", "cuda"]

MOST_STEPS = 1e12
"""Of one run: more would take years at a microsecond each."""


def check_arguments(
    model: Any, step: Any, warm_start: Any, max_recovery_speed: Any, seed: Any, gaps: Any, max_failures: Any
) -> None:
    """Raise `ModelError` for an invalid argument."""
    if not isinstance(model, Model):
        raise ModelError(f"model is {model!r}, expected a signorini.Model")
    if not is_number(step) or not (math.isfinite(step) and step > 0):
        raise ModelError(f"step is {step!r}, expected a time step in seconds > 0 such as 0.005")
    if warm_start not in get_args(WarmStart):
        raise ModelError(f"warm_start is {warm_start!r}, expected one of {', '.join(get_args(WarmStart))}")
    if max_recovery_speed is not None and (not is_number(max_recovery_speed) or not max_recovery_speed > 0):
        raise ModelError(
            f"max_recovery_speed is {max_recovery_speed!r}, expected a speed in m/s > 0 (math.inf: no cap)"
        )
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ModelError(f"seed is {seed!r}, expected an integer >= 0")
    if gaps is not None and gaps not in get_args(Gaps):
        raise ModelError(f"gaps is {gaps!r}, expected one of {', '.join(get_args(Gaps))}, or None")
    if not is_number(max_failures) or not max_failures >= 1:
        raise ModelError(f"max_failures is {max_failures!r}, expected a number of steps >= 1 (math.inf: never stop)")
    if not any(body.movable for _, _, body in model.bodies.kinds) and not model.flexibles:
        what = "has no bodies: add them with add_body" if not len(model.bodies) else "has no body that moves freely"
        warnings.warn(f"the model {what}; nothing will happen but what motions prescribe", stacklevel=4)


def is_number(value: Any) -> bool:
    """Whether it is a number of Python or numpy."""
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)


def starting_state(state: State | None, model: Model) -> State:
    """A copy of the state that a user named, at time 0; None takes that of the model."""
    if state is None:
        return sound_state(model.initial_state(), model)
    if not isinstance(state, State):
        raise ModelError(f"state is {state!r}, expected one such as run.state() or model.initial_state()")
    if len(state.position) != len(model.bodies):
        raise ModelError(f"state has {len(state.position)} bodies, expected {len(model.bodies)} as in the model")
    return sound_state(replace(state.copy(), time=0.0), model)


def sound_state(state: State, model: Model) -> State:
    """The state, if all of it is finite."""
    wrong = first_unsound(team(len(state.position)), *(getattr(state, name) for name in ARRAYS[:4]))
    if wrong >= 0:
        name = model.bodies[wrong].name
        raise ModelError(f"body {name!r} has a pose or velocity that is not finite at t = {state.time} s")
    for body in model.flexibles:
        if not np.isfinite(state.node_position[body.nodes].sum() + state.node_velocity[body.nodes].sum()):
            raise ModelError(f"flexible body {body.name!r} has nodes that are not finite at t = {state.time} s")
    return state


def checked_device(
    device: str, other: Smooth | NonsmoothAlpha | None, gaps: str | None, warm_start: str, on_failure: str,
    model: Model,
) -> Device:  # fmt: skip
    """The device, if it supports all settings; none is ignored silently."""
    if device not in get_args(Device):
        raise SimulationError(f"device is {device!r}, expected one of {', '.join(get_args(Device))}")
    if gaps == "curved" and (device == "cuda" or other is not None):
        where = "device='cuda'" if device == "cuda" or other is None else f"integrator {other.name!r}"
        raise SimulationError(f"gaps='curved' is for integrator='dvi' on the CPU; {where} has gaps of its own")
    if device == "cuda" or other is not None:
        _refuse_regions(model, "device='cuda'" if other is None else f"integrator {other.name!r}")
    if device == "cpu":
        return "cpu"
    if other is not None:
        raise SimulationError(f"device='cuda' takes steps of hard contact alone, not {other.name}; drop integrator=")
    if warm_start != "full" or on_failure == "fallback":
        raise SimulationError("device='cuda' has warm_start='full' and on_failure='warn' or 'raise' alone")
    return "cuda"


def _refuse_regions(model: Model, where: str) -> None:
    """Of steps without emitters, removal of bodies or periods."""
    for present, what in (
        (bool(model.emitters), "add_emitter"),
        (model.region is not None, "remove_outside"),
        (model.periods is not None, "set_periodic"),
    ):
        if present:
            raise SimulationError(f"Model.{what} is for integrator='dvi' on the CPU alone, not for {where}")


def chosen_gaps(gaps: Gaps | None, law: Law) -> Gaps:
    """Gaps of `integrator="dvi"` on the CPU; without a choice the relaxed law goes with the scheme of the documents."""
    return gaps or ("linear" if law == "convex" else "curved")


def steps_in(duration: float, h: float) -> int:
    """Number of steps of h in a duration [s]."""
    if not is_number(duration) or not (math.isfinite(duration) and duration >= 0):
        raise ModelError(f"duration is {duration!r}, expected a finite number of seconds >= 0")
    if not duration / h < MOST_STEPS:
        raise ModelError(f"duration is {duration!r} s, more than {MOST_STEPS:.0e} steps of {h:.3g} s")
    # The last step may be cut by round-off only: 2 s of 5 ms are 400 steps.
    return math.ceil(float(duration) / h - 1e-6)


def listeners(record: Any, callbacks: Any, stop: Any) -> tuple[Callable[[Step], Any], ...]:
    """The callbacks of a run, where they, `record` and `stop` are what `Simulation.run` expects."""
    if not (record is None or isinstance(record, str | Path | Recorder)):
        raise ModelError(f"record is {record!r}, expected the name of a file such as 'run.h5', a Recorder or None")
    if callable(callbacks) or not isinstance(callbacks, Iterable):
        raise ModelError(f"callbacks is {callbacks!r}, expected a list of functions: callbacks=[show]")
    called = tuple(callbacks)
    wrong = next((each for each in called if not callable(each)), None)
    if wrong is not None:
        raise ModelError(f"callbacks contain {wrong!r}, expected functions of a Step")
    if stop is not None and not callable(stop):
        raise ModelError(f"stop is {stop!r}, expected a function of a Step that says whether to end")
    return called
