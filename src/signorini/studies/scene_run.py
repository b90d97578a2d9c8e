"""Run a scene from what a user typed: by name or from a file, with settings as text, new or resumed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from signorini.io.record_reader import RecordReader
from signorini.io.record_target import RecordTarget
from signorini.io.recorder import Recorder
from signorini.model.model import Model
from signorini.problem.certificate import Law
from signorini.problem.errors import FileError, ModelError, SolverError
from signorini.scenes import SCENES, Scene, find_scene
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.simulation.solver_choice import AUTO
from signorini.solvers import SOLVERS, solver_class
from signorini.solvers.auto import Auto
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
    """None: coulomb."""
    on_failure: Literal["raise", "warn", "fallback"] = "warn"
    seed: int | None = None
    """Of the scene and of the simulation."""
    threads: int | None = None
    device: str = "cpu"
    record: Path | None = None
    force: bool = False
    """Whether `record` may replace an old record."""
    every: int = 1
    """States of every n-th step are recorded; diagnostics are of all."""
    contacts: bool = True
    """Whether contacts are recorded."""
    single: bool = False
    """Whether states and contacts are recorded with single precision."""
    resume: Path | None = None

    def recorder(self, path: Path, notes: dict[str, Any]) -> Recorder:
        """A file for the run."""
        return Recorder(path, self.every, self.contacts, notes=notes, overwrite=self.force, single=self.single)


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

    def run(
        self,
        progress: bool,
        first_step: Callable[[], None],
        every_step: Callable[[], None],
        watchers: tuple[Callable[[Step], None], ...] = (),
    ) -> Run:
        """Run it; `first_step` is called once, when the first step is done, `every_step` and `watchers` after each."""
        waiting = [first_step]

        def tell(_: Step) -> None:
            if waiting:
                waiting.pop()()
            every_step()

        return self.simulation.run(self.duration, record=self.recorder, progress=progress, callbacks=(*watchers, tell))


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
        device=order.device,  # type: ignore[arg-type]  # checked there
    )
    duration = scene.duration if order.end is None else order.end
    _check_end(duration)
    place = str(Path(order.scene).resolve()) if scene.name != order.scene else order.scene
    notes = {"scene": place, "parameters": values, "duration": duration}
    recorder = None if order.record is None else order.recorder(order.record, notes)
    if order.record is not None:
        RecordTarget.of(order.record).check_new(order.force)
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
    if not smooth and order.solver in (None, AUTO):
        return Auto(order.tolerance, order.max_iterations)
    if not smooth and order.solver in SOLVERS:
        return make_solver(order.solver, order.tolerance, order.max_iterations)
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
    target = order.record or path
    record = RecordReader(path)
    changes = _changes(order, record, forks=target.resolve() != path.resolve())
    simulation = Simulation.resume(path, _model(order, record), **changes)
    notes = record.notes
    end = order.end if order.end is not None else notes.get("duration")
    if not isinstance(end, float | int):
        raise FileError(f"{path} does not say when the run was to end; add --duration, the end in simulated seconds")
    _check_end(float(end))
    if float(end) <= simulation.time:
        raise ModelError(
            f"{path} has reached t = {simulation.time:g} s already; to go on, add --duration with a later end"
        )
    recorder = order.recorder(target, {**notes, "duration": float(end)})
    if target.resolve() != path.resolve():
        RecordTarget.of(target).check_new(order.force)
    title = Path(str(notes.get("scene") or path)).stem
    return Prepared(title, simulation, float(end) - simulation.time, recorder)


def _changes(order: Order, record: RecordReader, forks: bool) -> dict[str, Any]:
    """Settings that a resumed run has anew: solver and law, where it goes on in a file of its own.

    The step, the scene's parameters and the integrator stay: what a record knows depends on them.
    """
    never = {"settings": order.settings, "step": order.step, "integrator": order.integrator, "seed": order.seed}
    never["device"] = None if order.device == "cpu" else order.device
    forking = {"solver": order.solver, "tolerance": order.tolerance, "max_iterations": order.max_iterations}
    for name, value in {**never, **({} if forks else {**forking, "law": order.law})}.items():
        if value not in (None, ()):
            option = "set" if name == "settings" else name.replace("_", "-")
            cure = "leave it out, or start a new run" if name in never else "add --record NEW.h5 to go on in a new file"
            raise ModelError(f"--{option} cannot be changed when a run is resumed; {cure}")
    changes: dict[str, Any] = {} if order.law is None else {"law": order.law}
    if any(value is not None for value in forking.values()):
        before = str(record.settings["solver"]["name"])
        name = order.solver or (before if before in SOLVERS else "interior-point")
        changes["solver"] = make_solver(name, order.tolerance, order.max_iterations)
    return changes


def _model(order: Order, record: RecordReader) -> Model | None:
    """The model of a resumed run, None where the record holds all of it.

    A record never names code that is run: functions come from the scenes of this package, or from the file that the
    user types.
    """
    scene, parameters = record.notes.get("scene"), record.notes.get("parameters")
    values: dict[str, Any] = parameters if isinstance(parameters, dict) else {}
    if order.scene is not None:
        return find_scene(order.scene).build(**values)
    functions = record.functions()
    if not functions:
        return None
    if isinstance(scene, str) and scene in SCENES:
        return SCENES[scene].build(**values)
    raise ModelError(
        f"{record.path} has a model with functions ({functions[0]}), which a file cannot hold; name the Python file "
        f"that builds it: signorini run --resume {record.path} --scene "
        f"{scene if isinstance(scene, str) else 'my_scene.py'}"
    )


def _check_end(end: float) -> None:
    if not (math.isfinite(end) and end > 0):
        raise ModelError(f"duration is {end:g}, expected the end of the run in seconds > 0")
