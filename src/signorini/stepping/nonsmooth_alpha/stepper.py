"""Second-order steps of one model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.alpha_problem import Ahead, AlphaAssembler, AlphaWeights, Carried, Here
from signorini.assembly.displace import Displacer
from signorini.assembly.mechanics import mechanical_energy
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.joints.capstan import refuse_capstans
from signorini.model.model import Model
from signorini.model.pair_table import PairTable, is_plain
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import multiply
from signorini.solvers.base import Solver
from signorini.stepping.contact_behaviour import contact_model
from signorini.stepping.contact_model import ContactModel, Detected, StepProblem, StepSolution, solve
from signorini.stepping.dvi import DviStepper
from signorini.stepping.impacts.bounce import Bounce
from signorini.stepping.material_contact import MaterialContact
from signorini.stepping.new_contacts import MOST_ROUNDS, MOST_UNSOLVED_ROUNDS
from signorini.stepping.nonsmooth_alpha.contacts_ahead import ContactsAhead, contacts_ahead
from signorini.stepping.nonsmooth_alpha.memory import AlphaMemory
from signorini.stepping.nonsmooth_alpha.positions import PositionCorrection, Touching
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.outcome import step_outcome
from signorini.stepping.rigid_contact import RigidContact, StepSettings
from signorini.stepping.step import DviStep, Stopwatch
from signorini.stepping.warm_start import Memory, WarmStart

LEFT_OPEN = 1e-8
"""Errors of positions that are left alone, as a share of the smallest margin, which is 2 % of the smallest size."""
GIVING = 1e-3
"""Depth of round faces that press evenly (see `assembly.round_faces`), at most, as a share of the smallest margin."""
STRUCK = 1e-4
"""Contacts strike that close faster than bodies fall in a step, by this share of the largest speed at least."""


@dataclass(frozen=True, eq=False, repr=False)
class AlphaStep(DviStep):
    """A second-order step: one contact problem at the level of velocities, then positions."""

    memory: AlphaMemory | None = None
    """For the next step."""
    joint_error: float = 0.0
    """Largest error of a joint after the step [m, rad]."""


@dataclass(frozen=True, eq=False)
class AlphaSettings(StepSettings):
    """Of one step, whose end is known as far as it can be."""

    ahead: Ahead | None = None

    def assemble(self, state: State, detected: Detected, memory: Memory | None = None) -> ContactProblem:
        """The problem from the velocities of `state`."""
        assert self.ahead is not None
        assert isinstance(self.assembler, AlphaAssembler)
        v, gap = self.velocity(state), detected.contacts.gap
        return self.assembler.problem(self.ahead, v, gap, detected.limits, self.h, self.max_recovery_speed)


@dataclass(frozen=True, eq=False)
class _Posed:
    """The problem of a step."""

    here: Here
    ahead: Ahead
    moved: ContactsAhead
    contact: ContactModel
    detected: Detected
    """At the end of the step, with the gaps of its beginning."""
    rigid: NDArray[np.bool_]
    """Contacts that do not yield, shape (contacts,)."""
    slip: Array
    """Of the contacts at the beginning [m/s], shape (contact rows,)."""
    soft: Array
    """By how much round faces give way, 0 for other contacts [m], shape (contacts,)."""


class AlphaStepper:
    """Takes steps of one model: detect, predict, solve for velocities, correct positions."""

    def __init__(
        self, model: Model, h: float, integrator: NonsmoothAlpha, warm_start: WarmStart, recovery: float, law: Law
    ) -> None:
        """`recovery` is the largest speed at which overlaps are removed [m/s]."""
        refuse_capstans(model.dry_frictions, "NonsmoothAlpha")
        self.integrator = integrator
        weights = AlphaWeights(integrator.alpha_m, integrator.alpha_f, integrator.gamma, integrator.beta)
        self.assembler = AlphaAssembler(model, weights)
        base = DviStepper.of(model, h, warm_start, recovery, law, "linear")
        settings = AlphaSettings(self.assembler, h, warm_start, recovery, law)
        self.margin = base.contact_recheck.new_contacts.margin
        self.base = replace(base, settings=settings, contact=contact_model(model, settings, self.margin, lag=0.0))
        self.settings = settings
        self._displacer = Displacer.of(model, self.assembler.masses)
        size = self.margin if np.isfinite(self.margin) else 0.02
        self._positions = PositionCorrection(self.assembler, self._displacer, LEFT_OPEN * size, recovery)
        self._pairs = None if is_plain(model) else PairTable.of(model)
        self._fall = h * float(np.linalg.norm(model.gravity))

    @property
    def h(self) -> float:
        """Time step [s]."""
        return self.settings.h

    def energy(self, state: State) -> tuple[float, float]:
        """Kinetic energy, and that of weight, springs and strain [J]: velocities are those at the end of the step."""
        return mechanical_energy(self.assembler.model, self.assembler.masses, self.assembler.flexible, state)

    def step(self, number: int, state: State, memory: Memory | None, solver: Solver) -> AlphaStep:
        """From `state` to the next one; `number` is the number of this step, from 1."""
        watch, base = Stopwatch(), self.base
        start = base.motion.begin(state)
        watch.lap("advance")
        detected = base.detect(start)
        watch.lap("detect")
        unsolved = 0
        for _ in range(MOST_ROUNDS):
            posed, answer, velocity, bounced = self._velocities(number, state, detected, memory, solver, watch)
            way = self._displacement(posed, answer, velocity, bounced)
            mean = replace(answer, solution=replace(answer.solution, velocity=way / self.h), shift=None)
            more = base.recheck(start, None, detected, mean)
            watch.lap("detect")
            unsolved += not answer.solution.status.ok
            if more is None or unsolved > MOST_UNSOLVED_ROUNDS:
                break
            detected = more
        moved = self._displacer.move(state, way, velocity, number * self.h)
        momentum = self._momentum(posed, velocity)
        strikes = bounced is not None or self._strikes(posed, answer.impulses)
        known = Touching(posed.ahead.state, posed.ahead.rows, posed.moved.gap + posed.soft, posed.rigid)
        again = self._touching if strikes else None
        end, joint_error = self._positions.apply(moved, known, again, self.h)
        watch.lap("advance")
        contacts = replace(detected.contacts, friction=answer.contacts.friction)
        answer = replace(answer, contacts=contacts)
        kept = self._remember(posed, answer, end, momentum, not strikes)
        watch.lap("advance")
        kinetic, potential = self.energy(end)
        watch.lap("advance")
        return AlphaStep(
            number, end, contacts, step_outcome(posed.detected.limits, answer), kinetic, potential,
            watch.seconds, self.assembler.layout, answer.problem, answer.solution, answer.earlier, kept,
            joint_error,
        )  # fmt: skip

    def _velocities(
        self, number: int, state: State, detected: Detected, memory: Memory | None, solver: Solver, watch: Stopwatch
    ) -> tuple[_Posed, StepSolution, Array, Bounce | None]:
        """The step with the carried impulses of the last one; without any, with its own impulses from a first solve."""
        contacts = detected.contacts
        carried = memory.carried(contacts) if isinstance(memory, AlphaMemory) else self._nothing(contacts)
        posed = self._pose(number, state, detected, carried, memory)
        watch.lap("assemble")
        answer, velocity, bounced = self._solve(posed, memory, solver, watch)
        if not carried.smooth and bounced is None and not self._strikes(posed, answer.impulses):
            reactions = step_outcome(posed.detected.limits, answer).reactions
            momentum = self._momentum(posed, velocity)
            own = Carried(answer.impulses, reactions.joints, reactions.limits, momentum, True)
            if any(part.any() for part in (own.contacts, own.joints, own.limits)):
                posed = self._pose(number, state, detected, own, memory)
                watch.lap("assemble")
                answer, velocity, bounced = self._solve(posed, memory, solver, watch)
        return posed, answer, velocity, bounced

    def _pose(self, number: int, state: State, detected: Detected, carried: Carried, memory: Memory | None) -> _Posed:
        """Prediction of the end of the step, and its problem."""
        assembler, h = self.assembler, self.h
        contacts, applied = detected.contacts, assembler.forces.at(state)
        a = memory.acceleration if isinstance(memory, AlphaMemory) else assembler.rate(applied.force)
        here = Here(state, contacts, assembler.joint_rows(state), detected.limits.rows, applied, a)
        expected = assembler.expect(here, carried, number * h, h)
        # Rows of redundant joints agree with one another only where the joints are closed.
        expected = replace(expected, state=self._positions.closed(expected.state)[0])
        moved = contacts_ahead(contacts, state, expected.state, self.base.detector, self.margin)
        ahead = assembler.predict(here, expected, moved.contacts, carried, h)
        settings = replace(self.settings, ahead=ahead)
        contact = self.base.contact
        assert isinstance(contact, RigidContact | MaterialContact)
        limits = _closing(detected.limits, ahead)
        return _Posed(
            here, ahead, moved, replace(contact, settings=settings),
            Detected(replace(moved.contacts, gap=contacts.gap), limits, None), self._rigid(contacts), ahead.slip,
            self._soft(contacts),
        )  # fmt: skip

    def _solve(
        self, posed: _Posed, memory: Memory | None, solver: Solver, watch: Stopwatch
    ) -> tuple[StepSolution, Array, Bounce | None]:
        """The answer, the new velocities, and what struck with restitution."""
        state, contact, bounce = posed.here.state, posed.contact, None
        if isinstance(contact, MaterialContact) and contact.impacts is not None:
            bounce = contact.bounce_from(state, posed.detected, memory, solver)
            watch.lap("solve")
        if bounce is not None:
            assert isinstance(contact, MaterialContact)
            state = contact.with_velocity(state, bounce.velocity)
        detected = self._closed(posed, bounce)
        given = {"bounce": bounce} if isinstance(contact, MaterialContact) else {}
        current: StepProblem | None = contact.assemble(state, detected, memory, **given)
        watch.lap("assemble")
        while current is not None:
            solution = solve(solver, current.problem, current.guess)
            watch.lap("solve")
            answer: StepSolution = current.interpret(solution)
            watch.lap("advance")
            current = answer.revised
        return answer, self.base.velocity(answer.problem, answer.solution), bounce

    def _closed(self, posed: _Posed, bounce: Bounce | None) -> Detected:
        """Contacts that overlap or close in the step have no gap left: their approach ends in it."""
        contacts, ahead = posed.detected.contacts, posed.moved.gap
        gap = contacts.gap
        if bounce is not None:
            old = self.assembler.masses.velocity_of(posed.here.state)
            change = posed.ahead.rows.slips(bounce.velocity - old, np.zeros(posed.ahead.rows.shape[0]))[::3]
            gap, ahead = gap + bounce.opening, ahead + bounce.opening + self.h * change
        closes = posed.rigid & ((gap < -posed.soft) | (ahead < -posed.soft))
        return replace(posed.detected, contacts=replace(contacts, gap=np.where(closes, 0.0, gap)))

    def _displacement(self, posed: _Posed, answer: StepSolution, velocity: Array, bounce: Bounce | None) -> Array:
        """Of the unknowns over the step [m, rad], shape (n,)."""
        h, method, here, ahead = self.h, self.integrator, posed.here, posed.ahead
        old = self.assembler.masses.velocity_of(here.state) if bounce is None else bounce.velocity
        a, ratio = here.acceleration, method.beta / method.gamma
        change = velocity - old - h * (1.0 - method.gamma) * a
        way = h * old + h * h * (0.5 - method.beta) * a + (h * ratio) * change + ahead.detour
        if ratio != 0.5:
            # Impulses act evenly over the step, independent of the weights of forces.
            reaction = multiply(ahead.H, velocity - old) - ahead.applied
            way += h * (0.5 - ratio) * self.assembler.rate(reaction)
        return way if answer.shift is None else np.asarray(way + answer.shift)

    def _momentum(self, posed: _Posed, velocity: Array) -> Array:
        """That impulses gave in the step, where nothing struck in it."""
        ahead, old = posed.ahead, self.assembler.masses.velocity_of(posed.here.state)
        return multiply(ahead.H, velocity - old) - ahead.applied - ahead.other

    def _remember(self, posed: _Posed, answer: StepSolution, end: State, momentum: Array, smooth: bool) -> AlphaMemory:
        """For the next step."""
        m, assembler = self.integrator, self.assembler
        outcome = step_outcome(posed.detected.limits, answer)
        base = Memory.of(answer.contacts, answer.solution, answer.problem.cones, outcome.reactions, answer.law)
        force = (1 - m.alpha_f) * assembler.forces.at(end).force + m.alpha_f * posed.here.applied.force
        a = (assembler.rate(force) - m.alpha_m * posed.here.acceleration) / (1 - m.alpha_m)
        order = np.argsort(answer.contacts.identity, kind="stable")
        return AlphaMemory(
            base.identity, base.impulse, base.joint_impulse, base.limit_impulse, base.friction_impulse, base.law,
            base.change, a, answer.impulses[order], momentum, smooth,
        )  # fmt: skip

    def _strikes(self, posed: _Posed, impulses: Array) -> bool:
        """Whether a contact closed at more than the speed that forces give in a step."""
        v, approach = self.assembler.masses.velocity_of(posed.here.state), -posed.slip[::3]
        enough = self._fall + STRUCK * float(np.abs(v).max(initial=0.0))
        return bool((approach[impulses[:, 0] > 0] > enough).any())

    def _touching(self, state: State) -> Touching:
        """The contacts at a state, by a new detection."""
        contacts = self.base.detector.detect(state, 0.0)
        rows, _ = self.assembler.slip_rows(state, contacts)
        return Touching(state, rows, contacts.gap + self._soft(contacts), self._rigid(contacts))

    def _rigid(self, contacts: Contacts) -> NDArray[np.bool_]:
        if self._pairs is None or not contacts.count:
            return np.ones(contacts.count, dtype=np.bool_)
        laws = self._pairs.laws(contacts.body_a, contacts.body_b)
        return np.asarray((laws.compliance == 0) & ~np.isfinite(laws.yield_force))

    def _soft(self, contacts: Contacts) -> Array:
        if contacts.share is None:
            return np.zeros(contacts.count)
        return np.where(contacts.share > 0, GIVING * self.margin, 0.0)

    def _nothing(self, contacts: Contacts) -> Carried:
        joints, limits, _ = self.assembler.layout.sizes
        return Carried.nothing(contacts.count, joints, limits, self.assembler.masses.velocities)


def _closing(limits: NearLimits, ahead: Ahead) -> NearLimits:
    """The limits at the end of the step; those that strike within it have no way left."""
    error = limits.rows.error
    left = np.where((error < 0.0) | (ahead.limits.error < 0.0), 0.0, error)
    return NearLimits(replace(ahead.limits, error=left), limits.near)
