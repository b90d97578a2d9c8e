"""Steps of second order with hard contact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from signorini.collision.contacts import Contacts
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.simulation.drivers import AnyMemory, hard_contact_solver
from signorini.simulation.energy_watch import Energy
from signorini.simulation.failure_policy import OnFailure
from signorini.simulation.hard_contact import HardContact
from signorini.solvers.base import Solver
from signorini.stepping.integrators import describe_integrator
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.nonsmooth_alpha.stepper import AlphaStep, AlphaStepper
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.warm_start import Memory, WarmStart


@dataclass(frozen=True, eq=False)
class AlphaDriver:
    """Steps of the non-smooth generalised-alpha method."""

    stepper: AlphaStepper
    hard: HardContact
    compiled: None = None

    @classmethod
    def of(
        cls, model: Model, h: float, integrator: NonsmoothAlpha, solver: Any, on_failure: OnFailure,
        warm_start: WarmStart, recovery: float, threads: int | None, law: Law,
    ) -> AlphaDriver:  # fmt: skip
        """From what the user chose."""
        chosen, law = hard_contact_solver(solver, law)
        stepper = AlphaStepper(model, h, integrator, warm_start, recovery, law)
        return cls(stepper, HardContact.of(model, chosen, law, on_failure, stepper.base.explain, threads))

    @property
    def h(self) -> float:
        """Time step [s]."""
        return self.stepper.h

    @property
    def solver(self) -> Solver:
        """The solver that was chosen."""
        return self.hard.solver

    @property
    def layout(self) -> Layout:
        """Joint, limit and friction that each row belongs to."""
        return self.stepper.assembler.layout

    @property
    def energy(self) -> Energy:
        """Kinetic and potential energy of a state [J]."""
        return self.stepper.energy

    def step(self, number: int, state: State, memory: AnyMemory | None) -> tuple[AlphaStep, Memory]:
        """The next step and what the one after it depends on."""
        assert not isinstance(memory, SmoothMemory)
        step = self.hard.take(partial(self.stepper.step, number, state, memory))
        assert step.memory is not None
        return step, step.memory

    def contacts_at(self, state: State) -> Contacts:
        """Contacts of a state."""
        return self.stepper.base.detector.detect(state, self.h)

    def settings(self) -> dict[str, Any]:
        """Ready for JSON."""
        return self.hard.settings(self.stepper.settings, describe_integrator(self.stepper.integrator))
