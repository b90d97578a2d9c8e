"""Steps on a GPU, behind the interface of the other drivers."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.motion import velocity_between
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.errors import ModelError, SimulationError, SolverError
from signorini.problem.solution import Status
from signorini.simulation.failure_policy import OnFailure, check_on_failure
from signorini.simulation.settings import describe
from signorini.solvers import make_solver, with_law
from signorini.solvers.apgd import APGD
from signorini.solvers.barzilai_borwein import BarzilaiBorwein
from signorini.solvers.projected_jacobi import ProjectedJacobi
from signorini.solvers.projected_sor import ProjectedSOR
from signorini.stepping.device.tables import DeviceTables
from signorini.stepping.integrators import describe_integrator
from signorini.stepping.step import Reactions

NOTHING = Reactions(np.zeros(0), np.zeros(0), np.zeros(0))


class DeviceDriver:
    """Steps on the device; the state is read from there on access."""

    compiled = None

    def __init__(
        self, model: Model, h: float, solver: Any, on_failure: OnFailure, recovery: float, law: Law, state: State
    ) -> None:
        check_on_failure(on_failure)
        self.solver, self.law, self.h, self.on_failure = _chosen(solver, law), law, h, on_failure
        self.layout, self._recovery, self._warned = Layout(), recovery, False
        self._motions = model.motions
        if any(np.any(body.surface_velocity) for _, _, body in model.bodies.kinds):
            raise ModelError("device='cuda' knows no running surfaces yet; device='cpu' (the default) can")
        tables = DeviceTables.of(model)
        if tables.resists_rolling and not isinstance(self.solver, ProjectedSOR):
            raise SolverError(f"device='cuda' solves rolling friction by projected-sor, not by {self.solver.name}")
        device, self._lazy = _modules(int((tables.weight[:, 0] > 0).sum()))
        self._stepper = device.DeviceStepper(tables, state, h, self.solver, recovery)
        self._here: tuple[Any, Any] = (state, None)
        self.energy = None  # not watched: states stay on the device
        self._readings: Any = None

    def step(self, number: int, state: State, memory: Any) -> tuple[Any, Any]:
        """The next step; a state and impulses that did not come from the last one are put on the device first."""
        watch = [time.perf_counter()]
        if self._here[0] is not state or self._here[1] is not memory:
            self._stepper.put(state)
            self._stepper.recall(memory)
        elif self._readings is not None:
            self._readings.is_over = True
        self._drive(number)
        answer = self._stepper.step()
        self._place(number)
        if not self._stepper.is_sound():
            raise ModelError(f"a body has a pose or velocity that is not finite after step {number}")
        watch.append(time.perf_counter())
        kinetic, potential = self._stepper.energy()
        self._readings = readings = self._lazy.Readings(self._stepper, answer.contacts)
        count = len(answer.contacts.identity)
        solved = answer.error <= self.solver.tolerance
        outcome = self._lazy.made(
            self._lazy.DeviceStepOutcome, {"impulses": readings.impulses}, iterations=answer.iterations,
            residual=answer.error, status=Status.SOLVED if solved else Status.ITERATION_LIMIT, rank=0,
            reactions=NOTHING, _law=readings.law, contact_energy=answer.energy,
        )  # fmt: skip
        step = self._lazy.DeviceStep(
            number, readings.state(number * self.h), readings.contacts(count, answer.deepest), outcome, kinetic,
            potential, {"solve": watch[1] - watch[0]}, self.layout,
        )  # fmt: skip
        self._judge(step)
        self._here = step.state, readings.memory()
        return step, self._here[1]

    def _drive(self, number: int) -> None:
        """Kinematic bodies at the constant velocity that takes them through the step."""
        for i, motion in self._motions:
            velocity, spin = velocity_between(motion, (number - 1) * self.h, number * self.h)
            self._stepper.set_rows(i, velocity=velocity, angular_velocity=spin)

    def _place(self, number: int) -> None:
        """Kinematic bodies where their motions are after the step."""
        for i, motion in self._motions:
            position, orientation = motion(number * self.h)
            self._stepper.set_rows(i, position=position, orientation=orientation)

    def _judge(self, step: Any) -> None:
        if step.status.ok or (self._warned and self.on_failure != "raise"):
            return
        story = (
            f"step {step.number}: {self.solver.name} {step.status.value} (error {step.residual:.1e}, "
            f"{step.contacts.count} contacts)"
        )
        if self.on_failure == "raise":
            raise SimulationError(story)
        self._warned = True
        warnings.warn(f"{story}; later ones are counted in summary()", stacklevel=2)

    def contacts_at(self, state: State) -> Contacts:
        """None: reading them costs more than a step."""
        return Contacts.empty()

    def settings(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "step": self.h,
            "integrator": describe_integrator(None),
            "solver": describe(self.solver),
            "law": self.law,
            "on_failure": self.on_failure,
            "fallbacks": [],
            "warm_start": "full",
            "max_recovery_speed": self._recovery if math.isfinite(self._recovery) else None,
            "contact": None,
            "gaps": "linear",
            "device": "cuda",
        }


def _chosen(solver: Any, law: Law) -> Any:
    """The solver, if the device has it."""
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    if not isinstance(chosen, ProjectedSOR | ProjectedJacobi | APGD | BarzilaiBorwein):
        name = getattr(chosen, "name", repr(chosen))
        raise SolverError(
            f"device='cuda' has the solvers projected-sor, projected-jacobi, apgd and barzilai-borwein, not {name}; "
            "pass ProjectedSOR(...)"
        )
    if chosen.scaling != "anisotropic":
        raise SolverError(f"device='cuda' scales contacts by 'anisotropic' alone, not by {chosen.scaling!r}")
    with_the_law = with_law(chosen, law)
    if type(with_the_law) is not type(chosen):
        raise SolverError(
            f"device='cuda' solves the exact law by projected-sor and apgd; {chosen.name} wants law='convex'"
        )
    return with_the_law


def _modules(bodies: int) -> tuple[Any, Any]:
    """The modules that need a GPU; raises an error that names what is missing for so many movable bodies."""
    try:
        from signorini.stepping.device import step, stepper  # needs numba-cuda and cupy
    except ImportError as error:
        raise SimulationError(
            f"device='cuda' needs numba-cuda and cupy ({error}); install them with: pip install 'signorini[gpu]'"
        ) from error
    stepper.require_gpu(bodies)
    return stepper, step
