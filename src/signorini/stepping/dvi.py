"""The DVI time stepper: linearised implicit Euler with hard contact [Anitescu2010, Mangoni2018]."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from signorini.assembly.assemble import Assembler
from signorini.assembly.laws.contact_laws import ContactLaws
from signorini.assembly.laws.lift import first_rows
from signorini.assembly.mechanics import mechanical_energy
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.bodies import poses
from signorini.math.sparse import Array
from signorini.model.body import Motion
from signorini.model.flexible_body import HeldNodes
from signorini.model.layout import name_of
from signorini.model.model import Model
from signorini.model.motion import velocity_between
from signorini.model.state import ARRAYS, State
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ModelError
from signorini.problem.products import multiply, multiply_magnitudes
from signorini.problem.solution import Solution
from signorini.solvers.base import Solver
from signorini.stepping.contact_model import ContactModel, Detected, StepProblem, StepSolution, solve
from signorini.stepping.impacts.bounce import Impacts
from signorini.stepping.late_contacts import LateContacts
from signorini.stepping.material_contact import MaterialContact
from signorini.stepping.new_contacts import MOST_ROUNDS, NewContacts
from signorini.stepping.rigid_contact import RigidContact, StepSettings
from signorini.stepping.standstill import without_round_off
from signorini.stepping.step import DviStep, Reactions, StepOutcome, Stopwatch
from signorini.stepping.swept_contacts import Sweep, SweptContacts, without_repeats
from signorini.stepping.warm_start import Memory, WarmStart

CLOSED = 1e-3
"""Gaps up to this share of the smallest margin are closed, as far as bonds are concerned."""
TELLING, VIOLATED = 0.1, 1e-6
"""A joint is named in messages when its relative error is above this share of the whole error, and above this."""

Approach = Callable[[], float]
"""Asked for when it is needed."""


@dataclass(frozen=True, eq=False)
class DviStepper:
    """Takes steps of one model: detect, assemble, solve, advance.

    With v the velocities that solve the contact problem, `x <- x + h v` and `q <- q exp(h w)`
    [Mangoni2018, eq. 3.1]. Gaps are closed by the stabilisation term `Phi/h` of the problem, so that contacts that
    are solved exactly neither penetrate nor drift.
    """

    detector: Detector
    settings: StepSettings
    contact: ContactModel
    """How contacts behave."""
    motions: tuple[tuple[int, Motion], ...] = ()
    """Of the kinematic bodies, with their indices."""
    held: tuple[HeldNodes, ...] = ()
    """Nodes of flexible bodies whose motion is known."""
    new_contacts: NewContacts | None = None
    """Finds contacts that a hit in the step brings about; None takes the first answer."""
    swept: SweptContacts | None = None
    """Finds contacts that turning bodies meet on their way through the step; None takes those of its beginning."""
    late: LateContacts | None = None
    """Finds contacts of flexible bodies that only the end of the step shows; None without such bodies."""

    @classmethod
    def of(
        cls,
        model: Model,
        h: float,
        warm_start: WarmStart = "full",
        max_recovery_speed: float = math.inf,
        law: Law = "convex",
    ) -> DviStepper:
        """A stepper of a model."""
        motions = model.motions
        detector = Detector(model)
        new_contacts = NewContacts.of(model, detector)
        settings = StepSettings(Assembler(model), h, warm_start, max_recovery_speed, law)
        contact = contact_model(model, settings, new_contacts.margin)
        late = LateContacts(detector, detector.smallest_skin_margin) if model.flexibles else None
        swept = SweptContacts(detector)
        return cls(detector, settings, contact, motions, tuple(model.held), new_contacts, swept, late)

    @property
    def assembler(self) -> Assembler:
        """Of the model's problems."""
        return self.settings.assembler

    @property
    def h(self) -> float:
        """Time step [s]."""
        return self.settings.h

    def step(self, number: int, state: State, memory: Memory | None, solver: Solver) -> DviStep:
        """From `state` to the next one; `number` is the number of this step, from 1."""
        watch = Stopwatch()
        start = watch.time("advance", self.drive, state)
        detected = watch.time("detect", self.detect, start)
        for _ in range(MOST_ROUNDS):
            bare = watch.time("assemble", self.contact.assemble, start, detected, memory)
            posed: StepProblem | None = watch.time("solve", bare.after_impacts, solver)
            while posed is not None:
                solution = watch.time("solve", solve, solver, posed.problem, posed.guess)
                answer = watch.time("advance", posed.interpret, solution)
                posed = answer.revised
            more = watch.time("detect", self.recheck, number, start, detected, answer)
            if more is None:
                break
            detected = more
        velocity = watch.time("advance", self.velocity, answer.problem, answer.solution)
        end = watch.time("advance", self.advance, number, self.shifted(start, answer), velocity)
        kinetic, potential = watch.time("advance", self.energy, end)
        return DviStep(
            number, end, answer.contacts, step_outcome(detected.limits, answer), kinetic, potential, watch.seconds,
            self.assembler.layout, answer.problem, answer.solution, answer.earlier,
        )  # fmt: skip

    def drive(self, state: State) -> State:
        """The state with kinematic bodies at the constant velocity that takes them through the coming step."""
        if not self.motions and not self.held:
            return state
        new, end = state.copy(), state.time + self.h
        for i, motion in self.motions:
            new.velocity[i], new.angular_velocity[i] = velocity_between(motion, state.time, end)
        for held in self.held:
            new.node_velocity[held.nodes] = held.velocity(state.time, end)
        return new

    def velocity(self, problem: ContactProblem, solution: Solution) -> Array:
        """The new velocities; with brakes, those that are round-off become 0 (see `standstill`)."""
        return without_round_off(problem, solution) if self.assembler.layout.frictions else solution.velocity

    def detect(self, state: State) -> Detected:
        """The contacts, and the limits of joints that the step may reach."""
        contacts = self.detector.detect(state, self.h)
        return Detected(contacts, self.assembler.near_limits(state, self.h))

    def recheck(self, number: int, start: State, detected: Detected, answer: StepSolution) -> Detected | None:
        """What was detected, and what only the answer brings within reach; None where nothing was missing."""
        velocity = answer.mean_velocity(self.h)
        more = self.recheck_contacts(
            number, start, detected.contacts, detected.swept, velocity, lambda: _deepest_approach(answer)
        )
        limits = detected.limits.after(velocity, self.h)
        if more is None and limits is None:
            return None
        contacts, swept = (detected.contacts, detected.swept) if more is None else more
        return Detected(contacts, limits or detected.limits, swept)

    def recheck_contacts(
        self, number: int, start: State, known: Contacts, swept: Contacts, velocity: Array, approach: Approach
    ) -> tuple[Contacts, Contacts] | None:
        """All contacts and those along the way, with what an answer brings within reach; None without any.

        `velocity` is the mean one of the step, `approach` how fast known contacts still approach beyond what is allowed
        [m/s].
        """
        contacts = self._with_new_contacts(number, start, known, velocity, approach)
        if contacts is not None and swept.count:
            contacts = without_repeats(contacts, known, swept)
        if contacts is not None:
            return contacts, swept
        if self.swept is None or self.new_contacts is None or self.detector.is_idle:
            return None
        moving = self.new_contacts.moving(start, velocity)
        return self.swept.add_to(known, swept, Sweep(moving, self.advance(number, start, velocity), self.h))

    def _with_new_contacts(
        self, number: int, start: State, contacts: Contacts, velocity: Array, approach: Approach
    ) -> Contacts | None:
        if self.new_contacts is None:
            return None
        if self.new_contacts.may_miss(start, velocity, self.h):
            more = self.new_contacts.add_to(contacts, start, velocity, self.h, self.h * approach())
            if more is not None:
                return more
        if self.late is None:
            return None
        return self.late.add_to(contacts, start, self.advance(number, start, velocity), self.h)

    def shifted(self, state: State, answer: StepSolution) -> State:
        """The state that the step starts from: itself, or displaced where bodies bounce within the step."""
        if answer.shift is None:
            return state
        new = state.copy()
        shift = np.ascontiguousarray(answer.shift).reshape(-1, 6)
        movable = self.assembler.masses.movable
        poses.advance(movable, shift, 1.0, new.position, new.orientation, new.velocity, new.angular_velocity)
        return new

    def advance(self, number: int, state: State, velocity: Array) -> State:
        """The state after `number` steps: movable bodies by their new velocities, kinematic ones by their motion."""
        movable, free = self.assembler.masses.movable, self.assembler.masses.free
        time = number * self.h
        new = State(time, *(getattr(state, name).copy() for name in ARRAYS))
        if len(free):
            new.node_velocity[free] = velocity[6 * len(movable) :].reshape(-1, 3)
            new.node_position[free] += self.h * new.node_velocity[free]
        velocity = np.ascontiguousarray(velocity[: 6 * len(movable)]).reshape(-1, 6)
        poses.advance(movable, velocity, self.h, new.position, new.orientation, new.velocity, new.angular_velocity)
        self.follow_motions(state, new)
        return new

    def follow_motions(self, before: State, now: State) -> None:
        """Put kinematic bodies and held nodes of a state where their motions say; `before` is the state before it."""
        for i, motion in self.motions:
            position, orientation = motion(now.time)
            # Of the two quaternions of a rotation the nearer one: angles of joints count turns by their sign.
            same = float(orientation @ before.orientation[i]) >= 0.0
            now.position[i], now.orientation[i] = position, orientation if same else -orientation
        for held in self.held:
            now.node_position[held.nodes] = held.position(now.time)

    def energy(self, state: State) -> tuple[float, float]:
        """Kinetic energy of the movable and flexible bodies, and that of weight, springs and strain [J]."""
        assembler = self.assembler
        return mechanical_energy(assembler.model, assembler.masses, assembler.flexible, state)

    def explain(self, problem: ContactProblem, solution: Solution) -> str:
        """The joint that an answer violates most, in words; empty where the trouble lies elsewhere."""
        found = solution.certificate
        if not problem.joint_rows or found.joint_error_relative < max(TELLING * found.error, VIOLATED):
            return ""
        terms = multiply_magnitudes(problem.C, solution.velocity) + problem.joint_size + np.abs(problem.b_gamma)
        error = np.abs(multiply(problem.C, solution.velocity) - problem.b_gamma)
        share = error / np.where(terms > 0, terms, 1.0)
        worst = int(np.argmax(share))
        name = name_of(self.assembler.layout.joints, worst)
        return f"; joint {name!r} is violated most, by {error[worst]:.1e} m/s or rad/s: is it at odds with others?"


def contact_model(model: Model, settings: StepSettings, margin: float, lag: float = 0.5) -> ContactModel:
    """Rigid contacts with friction where that is all there is, else the laws of the materials.

    `lag` is the time, in steps, by which velocities are behind positions (see `impacts.instants`).
    """
    laws = ContactLaws.of(model, settings.assembler.masses, CLOSED * margin, settings.law == "coulomb")
    soft = [body.name for body in model.flexibles]
    if soft and (laws is not None or not all(body.material.plain for body in model.flexibles)):
        raise ModelError(
            f"there is a flexible body ({soft[0]!r}), and materials with more than friction or a running surface: such "
            "laws are for rigid bodies alone; leave friction= as the only setting of all materials"
        )
    if laws is None:
        return RigidContact(settings)
    every = [body.material for _, _, body in model.bodies.kinds] + [pair.material for pair in model.pair_materials]
    bouncing = any(material.restitution > 0 for material in every)
    return MaterialContact(settings, laws, Impacts(model.impact, settings.law == "coulomb", lag) if bouncing else None)


def _deepest_approach(answer: StepSolution) -> float:
    """Largest speed at which contacts of the problem still approach beyond what it allows [m/s]."""
    slip = answer.solution.certificate.answer.slip
    normal = first_rows(answer.problem.cones, slip, answer.contacts.count)[:, 0]
    return max(0.0, -float(normal.min(initial=0.0)))


def step_outcome(limits: NearLimits, answer: StepSolution) -> StepOutcome:
    """The answer in parts: contacts, joints, limits, brakes; its error is the largest of all solves of the step."""
    solution, contacts = answer.solution, answer.contacts.count
    rest = solution.contact_impulse[answer.problem.cones.start[contacts] :]
    near = limits.count
    reactions = Reactions(solution.joint_impulse, limits.everywhere(rest[:near]), rest[near:])
    worst, iterations = solution, solution.iterations
    if answer.earlier:
        every = (solution, *answer.earlier)
        worst = max(every, key=lambda one: (not one.status.ok, one.certificate.error))
        iterations = sum(one.iterations for one in every)
    return StepOutcome(
        iterations, worst.certificate.error, worst.status, solution.rank, answer.impulses, reactions, answer.law,
        answer.stored,
    )  # fmt: skip
