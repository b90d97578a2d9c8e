"""What takes the steps of a simulation: hard contact (DVI) or smooth dynamics, behind one interface."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from signorini.collision.contacts import Contacts
from signorini.math.cached import cached_property
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.errors import SimulationError, SolverError
from signorini.simulation.energy_watch import Energy
from signorini.simulation.failure_policy import OnFailure, check_on_failure
from signorini.simulation.hard_contact import HardContact
from signorini.simulation.settings import describe, describe_saddle
from signorini.simulation.threads import ThreadCount
from signorini.simulation.vibration_watch import VibrationWatch
from signorini.solvers import OUTER, is_decisive, make_solver, with_law
from signorini.solvers.base import Solver
from signorini.solvers.linear_only import Linear
from signorini.solvers.saddle import DIRECT, ContactSolverAdapter, Direct, Minres, SaddleSolver, make_saddle_solver
from signorini.stepping.compiled.stepper import CompiledStepper
from signorini.stepping.compiled.way import compiled_way
from signorini.stepping.dvi import DviStepper, Gaps
from signorini.stepping.integrators import Smooth, describe_integrator
from signorini.stepping.servos import MOST_ROUNDS, Servos
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.smooth.penalty import Penalty
from signorini.stepping.smooth.stepper import SmoothDynamicsStep, SmoothStepper
from signorini.stepping.step import DviStep, Step
from signorini.stepping.warm_start import Memory, WarmStart

AnyMemory = Memory | SmoothMemory
ContactChoice = Penalty | Literal["refuse", "none"]
HALVINGS = 10
"""A step of smooth dynamics that fails is halved up to this often."""


class Driver(Protocol):
    """Takes steps and keeps the data carried between them."""

    @property
    def h(self) -> float:
        """Time step [s]."""

    @property
    def solver(self) -> Any:
        """The solver that was chosen."""

    @property
    def layout(self) -> Layout:
        """Joint, limit and friction that each row belongs to."""

    @property
    def compiled(self) -> CompiledStepper | None:
        """Takes most steps of small models in one compiled call; None without such a way."""

    def step(self, number: int, state: State, memory: AnyMemory | None) -> tuple[Step, AnyMemory]:
        """The next step and what the one after it depends on."""

    @property
    def energy(self) -> Energy | None:
        """Kinetic and potential energy of a state [J]; None where contacts store energy that is not counted."""

    def settings(self) -> dict[str, Any]:
        """What was chosen, ready for JSON."""

    def contacts_at(self, state: State) -> Contacts:
        """Contacts of a state, to check the start; none where overlaps do not concern hard contact."""


@dataclass(frozen=True, eq=False)
class DviDriver:
    """Steps with hard contact."""

    stepper: DviStepper
    hard: HardContact
    servos: Servos
    """Their limits take more than one solve at times."""
    compiled: CompiledStepper | None = None
    """The same steps in one compiled call each; None for models that have no such way."""
    why_general: str = ""
    """Why there is no compiled way."""
    vibrations: VibrationWatch | None = None

    @classmethod
    def of(
        cls, model: Model, h: float, solver: Any, on_failure: OnFailure, warm_start: WarmStart, recovery: float,
        threads: int | None, law: Law, gaps: Gaps = "linear",
    ) -> DviDriver:  # fmt: skip
        """From what the user chose."""
        chosen, law = hard_contact_solver(solver, law)
        stepper = DviStepper.of(model, h, warm_start, recovery, law, gaps)
        compiled, why = compiled_way(stepper, chosen)
        if compiled is not None and compiled.finds_contacts:
            recheck = replace(stepper.contact_recheck, look=compiled.is_complete)
            stepper = replace(stepper, contact_recheck=recheck)
        if not is_decisive(chosen):
            stepper = replace(stepper, retry=None)
        servos = Servos.of(model, stepper.assembler.masses, h)
        hard = HardContact.of(model, chosen, law, on_failure, stepper.explain, threads)
        return cls(stepper, hard, servos, compiled, why, VibrationWatch.of(model))

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

    def step(self, number: int, state: State, memory: AnyMemory | None) -> tuple[DviStep, Memory]:
        """The next step and its impulses."""
        assert not isinstance(memory, SmoothMemory)
        if not len(self.servos):
            return self._solved(number, state, memory)
        quick = None if self.compiled is None else self.compiled.step_with_servos(number, state, memory)
        if quick is not None:
            return quick
        jacobian = self.servos.start(state)
        try:
            for _ in range(MOST_ROUNDS):
                step, kept = self._solved(number, state, memory)
                if self.servos.agree(jacobian, step.state):
                    break
        finally:
            self.servos.finish()
        return step, kept

    def _solved(self, number: int, state: State, memory: Memory | None) -> tuple[DviStep, Memory]:
        """The step, by the compiled way where it can be taken."""
        quick = None if self.compiled is None else self.compiled.step(number, state, memory)
        if quick is not None:
            return quick
        why = self.why_general if self.compiled is None else self.compiled.why_not
        step = self.hard.take(lambda solver: self.stepper.step(number, state, memory, solver, why))
        if self.vibrations is not None:
            self.vibrations.check(state, step)
        change = self.stepper.change(state, step.solution, step.struck)
        return step, Memory.of(step.contacts, step.solution, step.problem.cones, step.reactions, step.law, change)

    def contacts_at(self, state: State) -> Contacts:
        """By the kernels that the steps use, so that no others are compiled."""
        if self.compiled is not None and self.compiled.finds_contacts:
            return self.step(1, state, None)[0].contacts
        return self.stepper.detector.detect(state, self.h)

    def settings(self) -> dict[str, Any]:
        """Ready for JSON."""
        return dict(self._described)

    @cached_property
    def _described(self) -> dict[str, Any]:
        return self.hard.settings(self.stepper.settings, describe_integrator(None)) | {
            "gaps": "linear" if self.stepper.correction is None else "curved",
            "way": "compiled" if self.compiled is not None else f"general: {self.why_general}",
        }


@dataclass
class SmoothDriver:
    """Steps of smooth dynamics."""

    stepper: SmoothStepper
    on_failure: OnFailure
    contact: ContactChoice
    compiled: None = None
    threads: int | None = None
    """As in `ThreadCount`."""

    @classmethod
    def of(
        cls, model: Model, h: float, integrator: Smooth, solver: Any, on_failure: OnFailure, contact: ContactChoice,
        threads: int | None, law: Law,
    ) -> SmoothDriver:  # fmt: skip
        """From what the user chose."""
        check_on_failure(on_failure)
        if law != "coulomb":
            raise SolverError(f"law is {law!r}, one of hard contact; {integrator.name} takes contact=Penalty()")
        penalty = contact if isinstance(contact, Penalty) else None
        if penalty is None and contact not in ("refuse", "none"):
            raise SolverError(f"contact is {contact!r}, expected Penalty(...), 'refuse' or 'none'")
        stepper = SmoothStepper(model, h, integrator, _linear_solver(solver), penalty, contact == "none", HALVINGS)
        return cls(stepper, on_failure, contact, threads=threads)

    @property
    def h(self) -> float:
        """Time step [s]."""
        return self.stepper.h

    @property
    def layout(self) -> Layout:
        """Joint, limit and friction that each row belongs to."""
        return self.stepper.layout

    @property
    def solver(self) -> SaddleSolver:
        """Of the linear systems."""
        return self.stepper.solver

    @property
    def energy(self) -> None:
        """Not watched: the springs of penalty contacts store energy."""
        return None

    def step(self, number: int, state: State, memory: AnyMemory | None) -> tuple[SmoothDynamicsStep, SmoothMemory]:
        """The next step and the integrator's memory."""
        assert not isinstance(memory, Memory)
        with ThreadCount(self.threads):
            step = self.stepper.step(number, state, memory)
        failure = step.failure
        if failure is not None:
            if self.on_failure == "raise":
                raise SimulationError(failure.message)
            warnings.warn(failure.message, stacklevel=2)
        return step, step.memory

    def contacts_at(self, state: State) -> Contacts:
        """None: overlaps are refused or pushed apart by springs."""
        return Contacts.empty()

    def settings(self) -> dict[str, Any]:
        """Ready for JSON."""
        contact: Any = self.contact
        return {
            "step": self.h,
            "integrator": describe_integrator(self.stepper.integrator),
            "solver": describe_saddle(self.solver),
            "law": None,
            "on_failure": self.on_failure,
            "fallbacks": [],
            "warm_start": "full",
            "max_recovery_speed": None,
            "contact": contact if isinstance(contact, str) else describe(contact),
        }


def hard_contact_solver(solver: Any, law: Law) -> tuple[Solver, Law]:
    """The solver of the contact problems of a law, and the law: that of the solver if it solves the exact one."""
    chosen = with_law(contact_solver(solver), law)
    return chosen, "coulomb" if chosen.name in OUTER else law


def contact_solver(solver: Any) -> Solver:
    """A solver of contact problems; names of linear solvers mean that solver on problems without contacts."""
    if solver is None:
        return make_solver("interior-point")
    if isinstance(solver, Direct):
        return Linear(back_end=solver.back_end)
    if isinstance(solver, Minres):
        return Linear(method="minres", tolerance=max(solver.tolerance, 1e-12))
    if isinstance(solver, str):
        if solver in DIRECT:
            return Linear(back_end=DIRECT[solver])
        return Linear(method="minres") if solver == Minres.name else make_solver(solver)
    refuse_class(solver)
    if not callable(getattr(solver, "solve", None)):
        raise SolverError(f"solver is {solver!r}, expected a solver such as InteriorPoint() or its name")
    chosen: Solver = solver
    return chosen


def refuse_class(solver: Any) -> None:
    """Raise `SolverError` for the class of a solver, whose `solve` wants an instance."""
    if isinstance(solver, type):
        raise SolverError(f"solver is the class {solver.__name__}, expected one of it: {solver.__name__}()")


def _linear_solver(solver: Any) -> SaddleSolver:
    """A solver of saddle-point systems; solvers of contact problems get an adapter."""
    if solver is None:
        return Direct()
    if isinstance(solver, str):
        return make_saddle_solver(solver)
    refuse_class(solver)
    if callable(getattr(solver, "session", None)):
        chosen: SaddleSolver = solver
        return chosen
    if callable(getattr(solver, "solve", None)):
        return ContactSolverAdapter(solver)
    raise SolverError(f"solver is {solver!r}, expected a linear solver such as Direct(), Minres(), or its name")
