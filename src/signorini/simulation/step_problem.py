"""The contact problem of a step of a run, for files."""

from __future__ import annotations

import math
from pathlib import Path

from signorini.io.fclib import save_problem
from signorini.model.model import Model
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ModelError
from signorini.problem.solution import Solution
from signorini.simulation.drivers import DviDriver
from signorini.simulation.run import Run
from signorini.stepping.dvi import Gaps
from signorini.stepping.warm_start import Memory


def step_problem(model: Model, run: Run, frame: int = -1) -> tuple[ContactProblem, Solution]:
    """The problem of the step that begins at a frame of a run, by default the last one, and an answer to it.

    The step is taken again from the recorded state, with the run's step size and law, by the default solver; contact
    laws with a memory (bonds, dents, sticking) remember what the run recorded.
    """
    settings = run.settings
    if settings["integrator"]["name"] != "dvi":
        raise ModelError(f"the run is one of {settings['integrator']['name']}, without contact problems; expected dvi")
    h, speed = float(settings["step"]), settings["max_recovery_speed"]
    state = run.state(frame)
    recovery = math.inf if speed is None else float(speed)
    gaps: Gaps = settings.get("gaps") or "linear"
    driver = DviDriver.of(model, h, None, "warn", "none", recovery, None, settings["law"], gaps)
    found = run.contacts(frame)
    order = found.contacts.identity.argsort(kind="stable")
    memory = Memory(found.contacts.identity[order], found.impulse[order], run.frames.reactions("joints")[frame])
    if not all(body.material.plain for _, _, body in model.bodies.kinds) or model.pair_materials:
        memory = Memory(memory.identity, memory.impulse, memory.joint_impulse, law=found.memory)
    step, _ = driver.step(round(state.time / h) + 1, state, memory)
    return step.problem, step.solution


def save_step_problem(path: str | Path, model: Model, run: Run, frame: int = -1) -> ContactProblem:
    """Write the problem of the step that begins at a frame of a run, with an answer, to an FCLIB file (.hdf5)."""
    problem, solution = step_problem(model, run, frame)
    time = float(run.times[frame])
    save_problem(problem, path, solution, title=f"step at t = {time:g} s", description="written by signorini")
    return problem
