"""Run a scene from what a user typed: by name or from a file, with settings as text, new or resumed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from signorini.io.record_reader import RecordReader
from signorini.io.recorder import Recorder
from signorini.model.model import Model
from signorini.problem.certificate import Law
from signorini.problem.errors import FileError, ModelError, SolverError
from signorini.scenes import Scene, find_scene
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.solvers import SOLVERS, solver_class
from signorini.solvers.base import Solver
from signorini.stepping.integrators import DVI
from signorini.stepping.step import Step


@dataclass(frozen=True)
class Order:
    """What is to be run; None leaves a default."""

    scene: str | None = None
    """Name, or path of a Python file; None when resuming."""
    settings: tuple[str, ...] = ()
    """`name=value` of the scene's parameters."""
    end: float | None = None
    """Simulated time at which the run ends [s]."""
    step: float | None = None
    """[s]."""
    integrator: str | None = None
    solver: str | None = None
    tolerance: float | None = None
    max_iterations: int | None = None
    law: Law | None = None
    """None: convex."""
    on_failure: Literal["raise", "warn", "fallback"] = "warn"
    seed: int | None = None
    """Of the scene and of the simulation."""
    threads: int | None = None
    record: Path | None = None
    resume: Path | None = None


@dataclass(frozen=True, eq=False)
class Prepared:
    """A simulation that is ready to run."""

    title: str
    simulation: Simulation
    duration: float
    """Still to be simulated [s]."""
    recorder: Recorder | None

    @property
    def model(self) -> Model:
        """What is simulated."""
        return self.simulation.model

    def run(self, progress: bool, first_step: Callable[[], None], every_step: Callable[[], None]) -> Run:
        """Run it; `first_step` is called once, when the first step is done, `every_step` after each."""
        waiting = [first_step]

        def tell(_: Step) -> None:
            if waiting:
                waiting.pop()()
            every_step()

        return self.simulation.run(self.duration, record=self.recorder, progress=progress, callbacks=(tell,))


def prepare(order: Order) -> Prepared:
    """Build the model and the simulation; raises a `SignoriniError` on anything wrong before time is spent."""
    if order.resume is not None:
        return _resumed(order, order.resume)
    if order.scene is None:
        raise ModelError("no scene is named; type signorini scenes for a list, or give the path of a Python file")
    scene = find_scene(order.scene)
    values = _values(scene, order)
    simulation = Simulation(
        scene.build(**values),
        step=scene.step if order.step is None else order.step,
        solver=_solver(order, scene),
        integrator=order.integrator or scene.integrator,
        on_failure=order.on_failure,
        seed=order.seed or 0,
        threads=order.threads,
        law=order.law or "coulomb",
    )
    duration = scene.duration if order.end is None else order.end
    _check_end(duration)
    place = str(Path(order.scene).resolve()) if scene.name != order.scene else order.scene
    notes = {"scene": place, "parameters": values, "duration": duration}
    recorder = None if order.record is None else Recorder(order.record, notes=notes)
    return Prepared(scene.name, simulation, duration, recorder)


def make_solver(name: str, tolerance: float | None, max_iterations: int | None) -> Solver:
    """The solver called `name`; raises `SolverError` if it does not know a setting that was given."""
    found = solver_class(name)
    given = {"tolerance": tolerance, "max_iterations": max_iterations}
    settings = {key: value for key, value in given.items() if value is not None}
    unknown = settings.keys() - inspect.signature(found).parameters.keys()
    if unknown:
        raise SolverError(f"{name} has no setting {min(unknown)}; leave --{min(unknown).replace('_', '-')} out")
    return found(**settings)


def _solver(order: Order, scene: Scene) -> Any:
    """The solver of contact problems, or the name of a linear one for smooth dynamics and problems without contacts."""
    smooth = (order.integrator or scene.integrator) != DVI
    if not smooth and (order.solver is None or order.solver in SOLVERS):
        return make_solver(order.solver or "interior-point", order.tolerance, order.max_iterations)
    for name, value in (("tolerance", order.tolerance), ("max-iterations", order.max_iterations)):
        if value is not None:
            raise SolverError(f"--{name} is of solvers of contact problems; leave it out")
    return order.solver


def _values(scene: Scene, order: Order) -> dict[str, Any]:
    values: dict[str, Any] = scene.parse(order.settings)
    if order.seed is not None and order.seed < 0:
        raise ModelError(f"seed is {order.seed}, expected an integer >= 0")
    if order.seed is not None and "seed" in scene.parameters:
        values["seed"] = order.seed
    return values


def _resumed(order: Order, path: Path) -> Prepared:
    """The rest of a recorded run, up to the end that was asked for then or now."""
    changed = {"settings": order.settings, "step": order.step, "solver": order.solver, "tolerance": order.tolerance}
    changed |= {"max_iterations": order.max_iterations, "law": order.law, "integrator": order.integrator}
    for name, value in {**changed, "seed": order.seed}.items():
        if value not in (None, ()):
            option = "set" if name == "settings" else name.replace("_", "-")
            raise ModelError(f"--{option} cannot be changed when a run is resumed; leave it out, or start a new run")
    notes = RecordReader(path).notes
    place = order.scene or notes.get("scene")
    model = None if place is None else find_scene(str(place)).build(**notes.get("parameters", {}))
    simulation = Simulation.resume(path, model)
    end = order.end if order.end is not None else notes.get("duration")
    if end is None:
        raise FileError(f"{path} does not say when the run was to end; add --time, the end in simulated seconds")
    _check_end(float(end))
    if float(end) <= simulation.time:
        raise ModelError(f"{path} has reached t = {simulation.time:g} s already; to go on, add --time with a later end")
    recorder = Recorder(order.record or path, notes={**notes, "duration": float(end)})
    return Prepared(Path(str(place or path)).stem, simulation, float(end) - simulation.time, recorder)


def _check_end(end: float) -> None:
    if not (math.isfinite(end) and end > 0):
        raise ModelError(f"time is {end:g}, expected the end of the run in seconds > 0")
