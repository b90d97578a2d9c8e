"""The stepper of smooth dynamics: one integrator, Newton's method, a linear solver, penalty contacts, step control."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from signorini.assembly.dynamics import Dynamics, Extra, nothing
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.math.sparse import Array, Indices
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.problem.solution import Status
from signorini.solvers.saddle.interface import SaddleSession, SaddleSolver
from signorini.stepping.smooth.explicit import ExplicitIntegrator
from signorini.stepping.smooth.explicit_step import ExplicitStep
from signorini.stepping.smooth.implicit_step import ImplicitStep, Solved
from signorini.stepping.smooth.initial import begin, jerk, projected
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.smooth.penalty import NO_STRETCH, Penalty, PenaltyStep, inverse_masses
from signorini.stepping.smooth.penalty_springs import PenaltyLaws
from signorini.stepping.smooth.regularised_joints import RegularisedJoints
from signorini.stepping.smooth.scheme import Before, Integrator
from signorini.stepping.smooth.step_size import ROUND_OFF, FixedStep
from signorini.stepping.step import Failure, Reactions, Step, StepOutcome, Stopwatch

TOUCHING = -1e-9
"""Gap [m] below which bodies count as touching where contacts have no law."""


@dataclass(frozen=True, eq=False, repr=False)
class SmoothDynamicsStep(Step):
    """One step of smooth dynamics; one that failed, all halvings included, has the state that it began with."""

    memory: SmoothMemory
    """For the next step."""
    joint_error: float
    """Largest error of a joint after the step [m, rad]."""
    substeps: int
    """Steps inside this one."""
    rejected: int
    """Tries that step control or a failed solve threw away."""
    detail: str
    """What went wrong, if anything did."""
    advice: str
    """What to do about it, and when it happened."""

    @property
    def failure(self) -> Failure | None:
        """Why the step could not be taken."""
        return None if self.status.ok else Failure(self.status, self.advice)

    @property
    def joint_force(self) -> Array:
        """Of each row of the joints after the step [N, N m]."""
        return self.memory.multipliers


@dataclass(frozen=True, eq=False)
class _Try:
    """One solve of one step, with the contacts at its end."""

    solved: Solved
    memory: SmoothMemory
    contacts: Contacts
    impulses: Array
    """Forces times the whole step [N s], shape (contacts, 3)."""
    local_error: Array
    """Estimated, of the displacement [m, rad], shape (n,)."""


@dataclass(frozen=True, eq=False)
class _March:
    """Progress of the substeps of a step."""

    state: State
    memory: SmoothMemory
    contacts: Contacts
    impulses: Array
    """[N s], shape (contacts, 3)."""
    iterations: int = 0
    residual: float = 0.0
    joint_error: float = 0.0
    substeps: int = 0
    rejected: int = 0
    status: Status = Status.SOLVED
    detail: str = ""


class SmoothStepper:
    """Takes steps of one model by an implicit or explicit integrator."""

    def __init__(
        self,
        model: Model,
        h: float,
        integrator: Integrator | ExplicitIntegrator,
        solver: SaddleSolver,
        contact: Penalty | None = None,
        ignore_contacts: bool = False,
        halvings: int = 0,
    ) -> None:
        """`halvings`: how often a step whose equations are not solved may be halved."""
        self.dynamics = Dynamics(model)
        if isinstance(integrator, ExplicitIntegrator) and self.dynamics.joints.rows:
            raise ModelError(
                f"{integrator.name} is explicit and has no joints, and the model has {model.joints[0].name!r}: take "
                "integrator='hht' or 'dvi', or springs and bushings in place of joints"
            )
        self.layout = Layout.of(model, model.initial_state())
        self.h, self.integrator, self.solver = h, integrator, solver
        self.contact = None if contact is None else PenaltyLaws.of(contact, model)
        self._joints = RegularisedJoints.of(self.dynamics, h)
        if self._joints:
            warnings.warn(self._joints.describe(integrator.name), stacklevel=4)
        self._control = integrator.step_size or FixedStep.halved(h, halvings)
        self._detector = None if ignore_contacts else Detector(model)
        self._inverse_mass = inverse_masses(model)
        self._session: SaddleSession = solver.session()

    def step(self, number: int, state: State, memory: SmoothMemory | None) -> SmoothDynamicsStep:
        """From `state` to the next one; `number` is the number of this step, from 1."""
        watch = Stopwatch()
        self.dynamics.check()
        if memory is not None and len(memory.acceleration) != self.dynamics.masses.velocities:
            found, wanted = len(memory.acceleration), self.dynamics.masses.velocities
            raise ModelError(f"the state to go on from has {found} accelerations, expected {wanted} of this model")
        if memory is None:
            state, memory = self._begin(state)
            watch.lap("assemble")
        done = self._march(state, memory, number * self.h)
        watch.lap("solve")
        advice = ""
        if not done.status.ok:
            advice = self._advice(done)
            done = replace(done, state=state, memory=memory, contacts=Contacts.empty(), impulses=np.zeros((0, 3)))
        elif self.contact is None:
            self._refuse_contacts(done.state)
            watch.lap("detect")
        kinetic, potential = self.dynamics.energy(done.state)
        watch.lap("advance")
        limits, frictions = self._joints.forces(done.state)
        reactions = Reactions(self.h * done.memory.multipliers, self.h * limits, self.h * frictions)
        outcome = StepOutcome(done.iterations, done.residual, done.status, 0, done.impulses, reactions)
        return SmoothDynamicsStep(
            number, done.state, done.contacts, outcome, kinetic, potential, watch.seconds, self.layout,
            done.memory, done.joint_error, done.substeps, done.rejected, done.detail, advice,
        )  # fmt: skip

    def _begin(self, state: State) -> tuple[State, SmoothMemory]:
        extra = self._forces(self._extra(self.h, *NO_STRETCH, state))
        if self.contact is None:
            self._refuse_contacts(state)
        start = begin(self.dynamics, state, self._session, extra)
        lag = 0.0 if isinstance(self.integrator, ExplicitIntegrator) else self.integrator.lag * self.h
        a = start.rate + lag * jerk(self.dynamics, start, self._session, extra) if lag else start.rate
        return start.state, SmoothMemory(a, start.effort, start.multipliers, self.h, self.h)

    def _march(self, state: State, memory: SmoothMemory, end: float) -> _March:
        done = _March(state, memory, Contacts.empty(), np.zeros((0, 3)))
        control, order = self._control, self.integrator.error_order
        trial = control.first(memory.trial)
        while end - done.state.time > ROUND_OFF * self.h:
            left = end - done.state.time
            h = left if trial >= (1 - ROUND_OFF) * left else min(trial, 0.5 * left)
            try:
                tried = self._one(done.state, done.memory, h, end if h == left else done.state.time + h)
            except ModelError:
                # Forces are not finite at the first iterate: the model is wrong only if short steps fail as well.
                trial = 0.5 * h
                if trial < control.smallest:
                    raise
                continue
            ok = tried.solved.status.ok
            error = control.error(tried.local_error, tried.solved.displacement) if ok else 0.0
            if not ok or error > 1.0:
                trial = control.next(h, error, order) if ok else 0.5 * h
                if trial < control.smallest:
                    return self._failed(done, tried, "the local error asks for a step below the smallest one")
                done = replace(done, rejected=done.rejected + 1, iterations=done.iterations + tried.solved.iterations)
                continue
            if done.substeps + done.rejected >= control.most:
                return self._failed(done, tried, f"the local error asks for more than {control.most} steps in one")
            # A step that was shortened to end at the interval does not limit the next one.
            trial = max(trial if h == left else 0.0, control.next(h, error, order))
            done = self._taken(done, tried, trial)
        return done

    def _one(self, state: State, memory: SmoothMemory, h: float, end: float) -> _Try:
        """One try of one step."""
        extra = self._extra(h, memory.identity, memory.stretch, state)
        if isinstance(self.integrator, ExplicitIntegrator):
            step = ExplicitStep(
                self.dynamics, state, h, end, lambda c: self._extra(c * h, memory.identity, memory.stretch, state)
            )
            solved, error = step.take(self.integrator)
        else:
            solved, error = self._implicit(self.integrator, state, memory, h, end, extra)
        after = SmoothMemory(solved.acceleration, solved.effort, solved.multipliers, h, memory.trial)
        if not isinstance(extra, PenaltyStep):
            return _Try(solved, after, Contacts.empty(), np.zeros((0, 3)), error)
        touch = extra.at(solved.state)
        order = np.argsort(touch.contacts.identity, kind="stable")
        after = replace(after, identity=touch.contacts.identity[order], stretch=touch.stretch[order])
        return _Try(solved, after, touch.contacts, touch.impulses(self.h), error)

    def _implicit(
        self, integrator: Integrator, state: State, memory: SmoothMemory, h: float, end: float, extra: Extra
    ) -> tuple[Solved, Array]:
        """By Newton's method: the end of the step, and the local error of its displacement."""
        dynamics = self.dynamics
        rate = dynamics.masses.matrix.solve(memory.effort)
        before = Before(dynamics.displacer.velocities(state), memory.acceleration, rate, memory.effort, memory.step)
        scheme = integrator.scheme(h, before)
        problem = ImplicitStep(dynamics, state, scheme, end, self._session, not self.solver.exact, self._forces(extra))
        solved = problem.solve(integrator.newton, memory.acceleration, memory.multipliers)
        error = integrator.local_error(h, before, solved.acceleration)
        if integrator.projection and solved.status.ok and dynamics.joints.rows:
            end_of = projected(dynamics, solved.state, self._session, self._forces(extra))
            solved = replace(
                solved, state=end_of.state, acceleration=end_of.rate, multipliers=end_of.multipliers,
                effort=end_of.effort,
            )  # fmt: skip
        return solved, error

    def _taken(self, done: _March, tried: _Try, trial: float) -> _March:
        solved = tried.solved
        return _March(
            state=solved.state,
            memory=replace(tried.memory, trial=trial),
            contacts=tried.contacts,
            impulses=tried.impulses,
            iterations=done.iterations + solved.iterations,
            residual=max(done.residual, solved.residual),
            joint_error=solved.joint_error,
            substeps=done.substeps + 1,
            rejected=done.rejected,
            status=solved.status,
            detail=solved.detail,
        )

    def _failed(self, done: _March, tried: _Try, reason: str) -> _March:
        """The march ends where the last good substep ended; `reason` is that of the control of steps."""
        solved = tried.solved
        status = Status.STALLED if solved.status.ok else solved.status
        detail = reason if solved.status.ok else solved.detail
        return replace(
            done, status=status, detail=detail, residual=solved.residual, joint_error=solved.joint_error,
            iterations=done.iterations + solved.iterations,
        )  # fmt: skip

    def _advice(self, done: _March) -> str:
        """When the step failed and what to do, for the user."""
        name, detail = self.integrator.name, f" ({done.detail})" if done.detail else ""
        reason = done.status.value.partition(":")[0]
        many = done.substeps + done.rejected >= self._control.most
        least = "" if many else f", also with steps down to {self._control.smallest:.2g} s"
        return (
            f"{name} stopped at t = {done.state.time:.6g} s: {reason}{detail}{least}; look at what happens there, and "
            "take a smaller step, more damping (HHT(alpha=-0.3), with joints and without damping "
            "HHT(alpha=0, projection=True)) or softer penalties and springs"
        )

    def _extra(self, h: float, identity: Indices, stretch: Array, start: State) -> Extra:
        if self.contact is None or self._detector is None:
            return nothing
        return PenaltyStep(self.contact, self._detector, self._inverse_mass, h, identity, stretch, start)

    def _forces(self, contacts: Extra) -> Extra:
        """Those of contacts, and of limits and friction in joints."""
        joints = self._joints
        return (lambda state: [*contacts(state), *joints.terms(state)]) if joints else contacts

    def _refuse_contacts(self, state: State) -> None:
        if self._detector is None:
            return
        contacts = self._detector.detect(state, 0.0)
        if contacts.deepest > -TOUCHING:
            worst = int(contacts.gap.argmin())
            model = self.dynamics.model
            names = model.bodies.names + [body.name for body in model.flexibles]
            a, b = (names[int(i[worst])] for i in (contacts.body_a, contacts.body_b))
            raise ModelError(
                f"bodies {a!r} and {b!r} overlap by {contacts.deepest:.2g} m at t = {state.time:g} s, and smooth "
                "dynamics has no contact law: pass contact=Penalty(...) or contact='none', or take integrator='dvi'"
            )
