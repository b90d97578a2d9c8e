"""The simulation of a model in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from signorini.assembly.masses import Masses
from signorini.io.checkpoint import Checkpoint
from signorini.io.hdf5 import words_for
from signorini.io.record_reader import RecordReader
from signorini.io.recorder import Recorder
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.errors import ModelError, SimulationError
from signorini.simulation import argument_checks as checks
from signorini.simulation.argument_checks import Device, sound_state
from signorini.simulation.control.wrenches import Wrenches, model_with_wrenches
from signorini.simulation.drivers import ContactChoice
from signorini.simulation.failure_policy import OnFailure
from signorini.simulation.keeper import Keeper, opened
from signorini.simulation.make_driver import DriverChoice
from signorini.simulation.memory import MemoryFrames
from signorini.simulation.progress import Progress
from signorini.simulation.run import Run
from signorini.simulation.settings import restored_settings, smallest_radius
from signorini.simulation.solver_choice import AUTO, AnySolver
from signorini.simulation.start_overlap import slow_recovery
from signorini.simulation.step_loop import StepLoop
from signorini.simulation.step_watch import StepWatch
from signorini.simulation.threads import check_threads
from signorini.stepping.compiled.worlds import Start
from signorini.stepping.dvi import Gaps
from signorini.stepping.integrators import Smooth, make_integrator
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.step import Step
from signorini.stepping.warm_start import Memory, WarmStart

Callback = Callable[[Step], object]
Stop = Callable[[Step], bool]


class Simulation(StepLoop):
    """Steps a model through time.

    >>> sim = Simulation(model, step=0.005, solver=InteriorPoint(tolerance=1e-8))
    >>> run = sim.run(2.0, record="run.h5", progress=True)
    >>> for step in sim: ...  # or step by step, without end

    Parameters
    ----------
    step
        Time step h [s].
    solver
        A solver, its name, or `auto` (see `Auto`): `InteriorPoint(tolerance=1e-8)` unless bodies are many or on a GPU.
        Integrators of smooth dynamics take a linear solver: `Direct()` (the default), `Minres()`, names such as
        `superlu`, `pardiso`, `mumps`, `minres`, or a solver of contact problems.
    on_failure
        When the solver misses its tolerance: `warn` goes on with its answer, `fallback` asks other solvers (the
        interior point, the same on the augmented system, then projected SOR), `raise` stops with a `SimulationError`.
        Steps of smooth dynamics that fail are halved up to ten times; what then still fails ends the run, with the last
        good state as its end and the reason in `Run.message` (`raise`: in the `SimulationError`).
    warm_start
        `full` starts each solve from the impulses of the last step, by contact identity; `partial` from its
        velocities; `none` from scratch.
    max_recovery_speed
        Penetrating bodies are pushed apart at this speed at most [m/s]. None: without bound, unless bodies overlap at
        the start; these are reported, and pushed apart slowly (see `start_overlap`).
    max_failures
        The run ends after so many steps in a row that fail by far (errors above 1e-2, iteration limits apart).
    seed
        Of `Simulation.random`.
    law
        Of friction in hard contact. `coulomb`: the exact law (see `Coulomb`). `convex`: the relaxation of the
        documents, in which a sliding contact parts at `mu |u_t|`: it brakes bodies that pass one another at a distance,
        jams slots and lets sliding bodies hop.
    gaps
        Of hard contact on the CPU. `curved`: gaps and joints to second order in the step, joints shut at its end;
        rolling bodies and mechanisms keep their energy, overlaps throw nothing apart. `linear`: to first order, as in
        the documents, and all there is on a GPU. None: `curved` with the exact law, `linear` with the convex one.
    threads
        Of loops and factorisations in the steps of this simulation; None: as many as there are. Bits do not change.
    integrator
        With hard contact: `dvi` (linearised implicit Euler), `NonsmoothAlpha(spectral_radius=0.8)` (generalised-alpha,
        second order between impacts). Of smooth dynamics: `HHT(alpha=-0.2)`, `Newmark(...)`,
        `Trapezoidal()`, `ImplicitEuler()`, or its name.
    contact
        In smooth dynamics: `Penalty(...)`; `refuse` stops when bodies touch; `none` lets them pass through one another.
    state
        Where to start, such as that of `assemble_positions`; None takes that of the model. Its time counts as 0.
    device
        `cpu`, or `cuda`: contacts of many rigid bodies by `ProjectedSOR` on a GPU (extra `gpu`); states
        and contacts stay there until they are read.
    """

    def __init__(
        self,
        model: Model,
        *,
        step: float = 0.005,
        solver: AnySolver = AUTO,
        on_failure: OnFailure = "warn",
        warm_start: WarmStart = "full",
        max_recovery_speed: float | None = None,
        max_failures: float = 100,
        seed: int = 0,
        threads: int | None = None,
        law: Law = "coulomb",
        gaps: Gaps | None = None,
        integrator: Smooth | NonsmoothAlpha | str = "dvi",
        contact: ContactChoice = "refuse",
        state: State | None = None,
        device: Device = "cpu",
    ) -> None:
        checks.check_arguments(model, step, warm_start, max_recovery_speed, seed, gaps, max_failures)
        threads = check_threads(threads)
        self._chosen = {
            "step": step, "solver": solver, "on_failure": on_failure, "warm_start": warm_start, "law": law,
            "seed": seed, "max_recovery_speed": max_recovery_speed, "threads": threads, "gaps": gaps,
            "contact": contact, "integrator": integrator, "device": device, "max_failures": max_failures,
        }  # fmt: skip
        self.model, self.threads, self.max_failures = model, threads, max_failures
        self.seed, self.random = int(seed), np.random.default_rng(seed)
        chosen, h = make_integrator(integrator), float(step)
        start = checks.starting_state(state, model)
        self.device = checks.checked_device(device, chosen, gaps, warm_start, on_failure, model)
        self.wrenches = Wrenches(model)
        model = model_with_wrenches(model, self.wrenches)
        self._radius = cache(lambda _bodies: smallest_radius(self.model))  # looked for again when bodies were added
        hard = (solver, on_failure, warm_start, threads, law, checks.chosen_gaps(gaps, law))
        self._choice = DriverChoice(model, h, chosen, *hard, contact, self.device)
        self._driver = self._choice.driver(start, float(max_recovery_speed or math.inf))
        self._looks_for_overlap = max_recovery_speed is None
        self._now = (0, start, None)
        self._first, self._first_setpoints, self._step = start, self.motors.settings(), None
        self._watch = StepWatch(model, h, self._driver.energy, max_failures)
        self._failure = None
        self._resumed: RecordReader | None = None

    def __repr__(self) -> str:
        what = f"h = {self.step:g} s, {self.settings()['solver']['name']}; step {self.number} at {self.time:g} s"
        return f"Simulation({self.model!r}, {what})"

    @property
    def state(self) -> State:
        """Now."""
        return self._now[1]

    @property
    def time(self) -> float:
        """Now [s]."""
        return self._now[1].time

    @property
    def number(self) -> int:
        """Steps done."""
        return self._now[0]

    @property
    def failed(self) -> bool:
        """Whether it has ended because a step could not be taken."""
        return self._failure is not None

    @property
    def step(self) -> float:
        """Time step h [s]; `advance` takes a step."""
        return self._driver.h

    @property
    def solver(self) -> Any:
        """Of the contact problems, or of the linear systems of smooth dynamics."""
        return self._driver.solver

    def settings(self) -> dict[str, Any]:
        """All that was chosen, ready for JSON."""
        return {
            **self._driver.settings(),
            "solver_choice": self._choice.picked.why,
            "seed": self.seed,
            "max_failures": self.max_failures if math.isfinite(self.max_failures) else None,
            "threads": self.threads,
            "smallest_radius": self._radius(len(self.model.bodies)),
        }

    def checkpoint(self) -> Checkpoint:
        """All that the next step depends on."""
        number, state, memory = self._now
        memory = memory.plain() if isinstance(memory, Memory) else memory
        return Checkpoint(number, state, memory, dict(self.random.bit_generator.state))

    def _start_from(self, checkpoint: Checkpoint) -> None:
        self._now = (checkpoint.number, sound_state(checkpoint.state, self.model), checkpoint.memory)
        self.random.bit_generator.state = checkpoint.random
        self._failure = None

    def _restart(self, state: State | None) -> None:
        start = self._first if state is None else replace(state, time=0.0)
        self._now = (0, sound_state(start.copy(), self.model), None)
        self.random = np.random.default_rng(self.seed)
        self._watch, self._failure = self._watch.restarted(), None

    def advance(self) -> Step:
        """Take one step.

        A step of smooth dynamics that cannot be taken, not even in small parts, ends the simulation: it is returned
        with its `failure` and the state it began with; later calls raise `SimulationError`. So does a step with hard
        contact that diverges: the state stays the one before it.
        """
        if self._failure is not None:
            raise SimulationError(self._failure.message)
        self._look_for_overlap()
        number, state, memory = self._now
        step, kept = self._driver.step(number + 1, state, memory)
        self._failure = step.failure or self._watched(state, step)
        if self._failure is not None:
            return step
        trusted = self.device == "cuda" or step.is_finite
        self._took(step, step.state if trusted else sound_state(step.state, self.model), kept)
        self.wrenches.after_step()
        return step

    def _look_for_overlap(self) -> None:
        """Before the first step: warn of bodies that overlap, and push them apart slowly from then on."""
        looks, self._looks_for_overlap = self._looks_for_overlap and not self.number, False
        if not looks:
            return
        quick = self._driver.compiled
        if quick is not None and quick.general.detector.is_idle:
            return
        # A compiled step changes its tables, so that a separate one is used.
        own = self._driver if quick is None else self._choice.driver(self.state, math.inf)
        speed = slow_recovery(self.model, self.state, own.contacts_at(self.state), self._choice.throws)
        if speed is not None:
            self._driver, self._chosen["max_recovery_speed"] = self._choice.driver(self.state, speed), speed
            # Energy from the overlap has been reported.
            self._watch = StepWatch(self._choice.model, self.step, None, self.max_failures)

    @property
    def start(self) -> Start | None:
        """Where steps of many worlds in one call start from; None where these are not compiled."""
        self._look_for_overlap()
        quick = self._driver.compiled
        return None if quick is None or self.failed else Start(quick, *self._now)

    def run(
        self,
        duration: float,
        record: str | Path | Recorder | None = None,
        progress: bool | None = None,
        callbacks: Iterable[Callback] = (),
        stop: Stop | None = None,
    ) -> Run:
        """Go on for `duration` [s].

        Parameters
        ----------
        record
            File to write (HDF5), or a `Recorder` with settings of its own. None keeps the frames in memory.
        progress
            Whether a line on the terminal shows how it is getting on.
        callbacks, stop
            Called with every `Step`; the run ends after the first one for which `stop` is true.
        """
        steps, callbacks = checks.steps_in(duration, self.step), checks.listeners(record, callbacks, stop)
        if steps:
            self._look_for_overlap()
        nodes = {body.name: body.nodes for body in self.model.flexibles}
        frames = MemoryFrames(self.settings(), self.model.bodies.names, self.state, self._driver.layout, nodes)
        recorder = None if record is None else opened(self, record, self._resumed)
        keeper = Keeper(frames, recorder, self.checkpoint)
        aborted = True
        if recorder is None and not (callbacks or stop or progress):
            self._take_unheard(steps, frames)
            frames.failure = self._failure
            return Run(frames, self.model)
        try:
            with Progress(bool(progress), self.time, self.time + steps * self.step) as bar:
                for step in self._steps(steps, alone=not callbacks and stop is None):
                    if self._failure is not None:
                        break
                    keeper.add(step)
                    bar.show(step)
                    for callback in callbacks:
                        callback(step)
                    if stop is not None and stop(step):
                        break
            aborted = False
        finally:
            keeper.close(self._failure, aborted)
        return Run(frames, self.model) if recorder is None else Run.load(recorder.path, self.model)

    @classmethod
    def resume(cls, path: str | Path, model: Model | None = None, **changes: Any) -> Simulation:
        """The simulation of a record, where the record ends; it goes on as if it had never been stopped.

        `changes` are settings to go on with instead, such as `solver=`; the run is then recorded in another file.

        Run it with `record=path` to append to the same file. A model with functions (motions, forces, motors that
        follow Python code) cannot be kept in a file: build it again and pass it.
        """
        record = RecordReader(path)
        if model is None:
            model = record.model()
        elif model.bodies.names != record.names or not record.is_of(model):
            raise ModelError(f"the model has other bodies than {path}; build it with the same parameters")
        with words_for(record.path, "has settings that cannot be used"):
            sim = cls(model, **{**restored_settings(record.settings), **changes})
        checkpoint = record.checkpoint(Masses.of(model).velocities)
        with words_for(record.path, "has a random state that cannot be used"):
            sim._start_from(checkpoint)
        sim._resumed = None if changes else record
        return sim
