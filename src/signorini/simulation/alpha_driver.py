"""Steps of second order with hard contact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from signorini.collision.contacts import Contacts
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.simulation.drivers import AnyMemory, hard_contact_solver
from signorini.simulation.energy_watch import Energy
from signorini.simulation.failure_policy import FailurePolicy, OnFailure
from signorini.simulation.fallback import Fallback
from signorini.simulation.relaxation_watch import RelaxationWatch
from signorini.simulation.settings import describe
from signorini.simulation.threads import ThreadCount
from signorini.solvers.base import Solver
from signorini.stepping.integrators import describe_integrator
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.nonsmooth_alpha.stepper import AlphaStep, AlphaStepper
from signorini.stepping.smooth_memory import SmoothMemory
from signorini.stepping.warm_start import Memory, WarmStart


@dataclass(frozen=True, eq=False)
class AlphaDriver:
    """Steps of the non-smooth generalised-alpha method."""

    stepper: AlphaStepper
    solver: Solver
    """That was chosen."""
    fallback: Fallback | None
    """The chain that begins with it, asked instead of it where that was chosen."""
    policy: FailurePolicy
    law: Law
    watch: RelaxationWatch | None = None
    """Of the convex law, which is wrong in places; None for the exact law."""
    compiled: None = None
    threads: int | None = None
    """As in `ThreadCount`."""

    @classmethod
    def of(
        cls, model: Model, h: float, integrator: NonsmoothAlpha, solver: Any, on_failure: OnFailure,
        warm_start: WarmStart, recovery: float, threads: int | None, law: Law,
    ) -> AlphaDriver:  # fmt: skip
        """From what the user chose."""
        chosen, law = hard_contact_solver(solver, law)
        stepper = AlphaStepper(model, h, integrator, warm_start, recovery, law)
        policy = FailurePolicy(on_failure, stepper.base.explain, model)
        fallback = Fallback.after(chosen, law) if on_failure == "fallback" else None
        watch = RelaxationWatch(model) if law == "convex" else None
        return cls(stepper, chosen, fallback, policy, law, watch, threads=threads)

    @property
    def h(self) -> float:
        """Time step [s]."""
        return self.stepper.h

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
        with ThreadCount(self.threads):
            step = self.stepper.step(number, state, memory, self.fallback or self.solver)
        self.policy.apply(step)
        if self.watch is not None:
            self.watch.look(step)
        assert step.memory is not None
        return step, step.memory

    def contacts_at(self, state: State) -> Contacts:
        """For a look at the start."""
        return self.stepper.base.detector.detect(state, self.h)

    def settings(self) -> dict[str, Any]:
        """Ready for JSON."""
        speed = self.stepper.settings.max_recovery_speed
        return {
            "step": self.h,
            "integrator": describe_integrator(self.stepper.integrator),
            "solver": describe(self.solver),
            "law": self.law,
            "on_failure": self.policy.on_failure,
            "fallbacks": [describe(solver) for solver in (self.fallback.solvers[1:] if self.fallback else ())],
            "warm_start": self.stepper.settings.warm_start,
            "max_recovery_speed": speed if math.isfinite(speed) else None,
            "contact": None,
        }
