"""The DVI time stepper: linearised implicit Euler with hard contact [Anitescu2010, Mangoni2018]."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from signorini.assembly.assemble import Assembler
from signorini.assembly.mechanics import mechanical_energy
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.bodies import gyroscopic, poses
from signorini.kernels.threads.team import team
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.body import Motion
from signorini.model.flexible_body import HeldNodes
from signorini.model.model import Model
from signorini.model.motion import velocity_between
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.solvers.base import Solver
from signorini.stepping import mid_step
from signorini.stepping.contact_behaviour import contact_model, stores_energy
from signorini.stepping.contact_model import ContactModel, Detected, StepProblem, StepSolution, solve
from signorini.stepping.contradiction import TO_FIRST_ORDER, contradicts, to_first_order
from signorini.stepping.correction import DEEP, Advance, Correction, size_of
from signorini.stepping.detections import Detections
from signorini.stepping.late_contacts import LateContacts
from signorini.stepping.new_contacts import MOST_ROUNDS, MOST_UNSOLVED_ROUNDS, Approach, Look, NewContacts, reaches
from signorini.stepping.outcome import deepest_approach, step_outcome
from signorini.stepping.prediction import BENT, REST, SHALLOW, Prediction
from signorini.stepping.rigid_contact import StepSettings
from signorini.stepping.standstill import without_round_off
from signorini.stepping.step import DviStep, Stopwatch
from signorini.stepping.swept_contacts import Sweep, SweptContacts, without_repeats
from signorini.stepping.traffic import Traffic
from signorini.stepping.tumbling import tumbling, turns_far
from signorini.stepping.violated_joint import violated_joint
from signorini.stepping.warm_start import Memory, WarmStart
from signorini.stepping.work import WorkMeter

Gaps = Literal["curved", "linear"]
"""Gaps and joints to second order in the step, kept shut at its end; or to first order, as in [Anitescu2010]."""

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class DviStepper:
    """Takes steps of one model: detect, assemble, solve, advance, correct.

    With v the velocities that solve the contact problem, `x <- x + h v` and `q <- q exp(h w)`
    [Mangoni2018, eq. 3.1]; bodies with different moments of inertia turn freely instead. Gaps are closed by the term
    `(Phi + bend)/h` of the problem, in which the path of the step is taken to second order (see `assembly.bend`), and
    what is left is corrected at the end (see `correction`).
    """

    detector: Detector
    settings: StepSettings
    contact: ContactModel
    """How contacts behave."""
    prediction: Prediction | None
    """How paths bend in a step; None takes gaps and joints to first order."""
    correction: Correction | None
    """Shuts joints after a step and takes deep penetrations back; None leaves that to the next step."""
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
    look: Look | None = None
    """A quick look that says whether it is certain that no contact is missing; None looks closely at once."""
    mid_step_energy: bool = False
    """Whether the energies of weight and springs are those in the middle of a step, where its velocities belong."""
    traffic: Traffic | None = None
    """Brings bodies into the scene and removes them; None where all are there all the time."""

    @classmethod
    def of(
        cls, model: Model, h: float, warm_start: WarmStart = "full", max_recovery_speed: float = math.inf,
        law: Law = "convex", gaps: Gaps = "linear",
    ) -> DviStepper:  # fmt: skip
        """A stepper of a model."""
        detector = Detector(model)
        new_contacts = NewContacts.of(model, detector)
        settings = StepSettings(Assembler(model), h, warm_start, max_recovery_speed, law)
        contact = contact_model(model, settings, new_contacts.margin, detector=detector)
        late = LateContacts(detector, detector.smallest_skin_margin) if model.flexibles else None
        prediction = correction = None
        if gaps == "curved":
            margin, recovery, size = min(new_contacts.margin, 1.0), h * max_recovery_speed, size_of(model)
            shallow, deep, assembler = SHALLOW * margin, DEEP * margin, settings.assembler
            depths = (shallow, REST * margin, deep, deep * bool(model.joints))
            prediction = Prediction(detector, assembler, *depths, BENT * size, reaches(model))
            correction = Correction(Detections(detector), assembler, contact.hard, size, shallow, deep, recovery, h)
        held, middle = tuple(model.held), gaps == "curved" and not (model.flexibles or stores_energy(model))
        parts = (detector, settings, contact, prediction, correction, model.motions, held, new_contacts)
        return cls(*parts, SweptContacts(detector), late, None, middle, Traffic.of(model, detector, h))

    @property
    def assembler(self) -> Assembler:
        """Of the model's problems."""
        return self.settings.assembler

    @property
    def h(self) -> float:
        """Time step [s]."""
        return self.settings.h

    def step(self, number: int, state: State, memory: Memory | None, solver: Solver, why: str = "") -> DviStep:
        """From `state` to the next one; `number` is the number of this step, from 1.

        `why` tells why the step is not a compiled one.
        """
        watch = Stopwatch()
        start = watch.time("advance", self.drive, state, number)
        detected = watch.time("detect", self.detect, start, memory)
        detected, answer = self._answered(watch, start, memory, solver, detected)
        if contradicts(self.assembler.layout, detected, answer, solver):
            straight = partial(to_first_order, self.assembler.masses)
            again = self._answered(watch, start, memory, solver, straight(detected), straight)
            if again[1].solution.status.ok:
                (detected, answer), why = again, TO_FIRST_ORDER
        velocity = watch.time("advance", self.velocity, answer.problem, answer.solution)
        moved = self.shifted(start, answer)
        advance = partial(self.advance, number * self.h, moved, tumbling=detected.tumbling)
        end = watch.time("correct", self.correct, answer.problem, detected, velocity, advance)
        end = end if self.traffic is None else watch.time("advance", self.traffic.leave, end)
        kinetic, potential = watch.time("advance", self.energy, end)
        outcome = step_outcome(detected.limits, answer)
        done = watch.time("advance", self.meter.work, start, detected, answer, outcome.reactions, end)
        return DviStep(
            number, end, answer.contacts, outcome, kinetic, potential, watch.seconds, self.assembler.layout,
            answer.problem, answer.solution, answer.earlier, done=done, way=f"general: {why}" if why else "general",
        )  # fmt: skip

    def _answered(
        self, watch: Stopwatch, start: State, memory: Memory | None, solver: Solver, detected: Detected,
        posed_as: Callable[[Detected], Detected] = lambda detected: detected,
    ) -> tuple[Detected, StepSolution]:  # fmt: skip
        """What acts in the step in the end, and the answer to its problem."""
        unsolved = 0
        for _ in range(MOST_ROUNDS):
            bare = watch.time("assemble", self.contact.assemble, start, detected, memory)
            posed: StepProblem | None = watch.time("solve", bare.after_impacts, solver)
            while posed is not None:
                solution = watch.time("solve", solve, solver, posed.problem, posed.guess)
                answer = watch.time("advance", posed.interpret, solution)
                posed = answer.revised
            more = watch.time("detect", self.recheck, start, memory, detected, answer)
            unsolved += not answer.solution.status.ok
            if more is None or unsolved > MOST_UNSOLVED_ROUNDS:
                break
            detected = posed_as(more)
        return detected, answer

    def drive(self, state: State, number: int = 0) -> State:
        """The state with kinematic bodies at the constant velocity that takes them through the coming step, and with
        the bodies that come into the scene in step `number`."""
        if self.traffic is not None and number:
            state = self.traffic.enter(number, state)
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

    def detect(self, state: State, memory: Memory | None = None) -> Detected:
        """The contacts, and the limits of joints that the step may reach."""
        detector = self.detector.detect if self.correction is None else self.correction.detections.at
        contacts = detector(state, self.h)
        return self.predicted(state, memory, contacts, self.assembler.near_limits(state, self.h))

    def predicted(
        self, state: State, memory: Memory | None, contacts: Contacts, limits: NearLimits,
        swept: Contacts | None = None, tumbling: Indices = NONE,
    ) -> Detected:  # fmt: skip
        """With how paths bend if velocities change as in the last step."""
        met = Contacts.empty() if swept is None else swept
        if self.prediction is None:
            return Detected(contacts, limits, None, met)
        if self.prediction.straight:
            return Detected(contacts, limits, self.prediction.unbent(contacts, swept is None, tumbling), met)
        velocity = self.settings.velocity(state)
        if memory is not None and len(memory.change):
            velocity = velocity + memory.change
        moving, end = self.prediction.moving(state, velocity), self.advance(state.time + self.h, state, velocity)
        bend = self.prediction.bend(moving, end, contacts, limits, self.h, memory)
        return Detected(contacts, limits, replace(bend, tumbling=tumbling), met)

    def change(self, state: State, solution: Solution) -> Array:
        """What a step from `state` changed the velocities by, 0 where bodies were hit; empty where nobody asks."""
        if self.prediction is None or self.prediction.straight:
            return np.zeros(0)
        hit = self.new_contacts is not None and self.new_contacts.may_miss(state, solution.velocity, self.h)
        known = solution.status.ok and not hit
        return solution.velocity - self.settings.velocity(state) if known else np.zeros_like(solution.velocity)

    def recheck(self, start: State, memory: Memory | None, detected: Detected, answer: StepSolution) -> Detected | None:
        """What was detected, and what only the answer brings within reach; None where nothing was missing."""
        velocity, known = answer.mean_velocity(self.h), (detected.contacts, detected.swept)
        more = self.recheck_contacts(start, *known, velocity, lambda: deepest_approach(answer), detected.tumbling)
        limits = detected.limits.after(velocity, self.h)
        if more is None and limits is None:
            return None
        contacts, swept = known if more is None else more
        tumbling = self.tumbling(start, velocity, swept)
        if len(np.setdiff1d(tumbling, detected.tumbling)):
            tumbling = np.union1d(tumbling, detected.tumbling)
            contacts, swept = self.swept_contacts(start, *known, velocity, tumbling) or known
        return self.predicted(start, memory, contacts, limits or detected.limits, swept, tumbling)

    def tumbling(self, start: State, velocity: Array, swept: Contacts) -> Indices:
        """Bodies that are to be turned to first order; see `stepping.tumbling`."""
        if self.correction is None or not swept.count:
            return NONE
        masses = self.assembler.masses
        return tumbling(masses, turns_far(masses, start, velocity, self.h), swept)

    def recheck_contacts(
        self, start: State, known: Contacts, swept: Contacts, velocity: Array, approach: Approach,
        tumbling: Indices = NONE,
    ) -> tuple[Contacts, Contacts] | None:  # fmt: skip
        """All contacts and those along the way, with what an answer brings within reach; None without any.

        `velocity` is the mean one of the step, `approach` how fast known contacts still approach beyond what is allowed
        [m/s].
        """
        if self.look is not None and not swept.count and self.look(start, known, velocity, approach()):
            return None
        contacts = self._with_new_contacts(start, known, velocity, approach)
        if contacts is not None and swept.count:
            contacts = without_repeats(contacts, known, swept)
        if contacts is not None:
            return contacts, swept
        if self.swept is None or self.new_contacts is None or self.detector.is_idle or not self.detector.can_turn:
            return None
        return self.swept_contacts(start, known, swept, velocity, tumbling)

    def swept_contacts(
        self, start: State, known: Contacts, swept: Contacts, velocity: Array, tumbling: Indices
    ) -> tuple[Contacts, Contacts] | None:
        """With what turning bodies meet on the way of an answer."""
        assert self.swept is not None
        assert self.new_contacts is not None
        moving = self.new_contacts.moving(start, velocity)
        end = self.advance(start.time + self.h, start, velocity, tumbling)
        far = None if self.correction is None else turns_far(self.assembler.masses, start, velocity, self.h)
        return self.swept.add_to(known, swept, Sweep(moving, end, self.h, far))

    def _with_new_contacts(self, start: State, known: Contacts, velocity: Array, approach: Approach) -> Contacts | None:
        if self.new_contacts is not None and self.new_contacts.may_miss(start, velocity, self.h):
            more = self.new_contacts.add_to(known, start, velocity, self.h, self.h * approach())
            if more is not None:
                return more
        if self.new_contacts is None or self.late is None:
            return None
        return self.late.add_to(known, start, self.advance(start.time + self.h, start, velocity), self.h)

    def shifted(self, state: State, answer: StepSolution) -> State:
        """The state that the step starts from: itself, or displaced where bodies bounce within the step."""
        if answer.shift is None:
            return state
        new = state.copy()
        self._move(new, answer.shift, 1.0)
        return new

    def advance(self, time: float, state: State, velocity: Array, tumbling: Indices = NONE) -> State:
        """The state at `time` [s], at the end of the step: bodies by velocities, kinematic ones by their motion.

        Bodies with gyroscopic torque turn freely to second order, but for those at the places `tumbling`.
        """
        masses, movable, free = self.assembler.masses, self.assembler.masses.movable, self.assembler.masses.free
        position, orientation, linear, spin = poses.copies(team(len(state.position)), *state.rigid)
        new = State(time, position, orientation, linear, spin, state.node_position.copy(), state.node_velocity.copy())
        if len(free):
            new.node_velocity[free] = velocity[6 * len(movable) :].reshape(-1, 3)
            new.node_position[free] += self.h * new.node_velocity[free]
        self._move(new, velocity[: 6 * len(movable)], self.h)
        if len(masses.wobbling) and self.correction is not None:
            turning = (state.orientation, new.orientation, new.angular_velocity)
            which = np.setdiff1d(masses.wobbling, tumbling) if len(tumbling) else masses.wobbling
            gyroscopic.turn_freely(which, movable, masses.inertia, self.h, *turning)
        self.follow_motions(state, new)
        return new

    def _move(self, state: State, velocity: Array, h: float) -> None:
        """Move the movable bodies of a state, in place, for h [s] with these velocities, which become theirs."""
        movable, new = self.assembler.masses.movable, np.ascontiguousarray(velocity).reshape(-1, 6)
        poses.advance(team(len(movable)), movable, new, h, *state.rigid)

    def follow_motions(self, before: State, now: State) -> None:
        """Put kinematic bodies and held nodes of a state where their motions say; `before` is the state before it."""
        for i, motion in self.motions:
            position, orientation = motion(now.time)
            # The nearer quaternion of the two: angles of joints count turns by their sign.
            same = float(orientation @ before.orientation[i]) >= 0.0
            now.position[i], now.orientation[i] = position, orientation if same else -orientation
        for held in self.held:
            now.node_position[held.nodes] = held.position(now.time)

    def correct(self, problem: ContactProblem, detected: Detected, velocity: Array, advance: Advance) -> State:
        """The end of the step with these velocities: joints shut, no deep penetrations."""
        known = self.correction
        return advance(velocity) if known is None else known.end(problem, detected, velocity, advance)

    def energy(self, state: State) -> tuple[float, float]:
        """Kinetic energy of the movable and flexible bodies, and that of weight, springs and strain [J].

        Velocities are those in the middle of the step: so are positions here, but where bodies are flexible or contacts
        are springs (see `contact_behaviour.stores_energy`).
        """
        parts = self.assembler
        if self.mid_step_energy:
            return mid_step.energy(parts, state, self.h)
        return mechanical_energy(parts.model, parts.masses, parts.flexible, state, self.h)

    @cached_property
    def meter(self) -> WorkMeter:
        """Measures the work on the bodies."""
        return WorkMeter(self.assembler, self.h, self.correction is not None, self.measured)

    def measured(self, end: State) -> State:
        """Where the energies of weight and springs are measured, at the end of a step."""
        return mid_step.halfway(end, self.assembler.masses, self.h) if self.mid_step_energy else end

    def explain(self, problem: ContactProblem, solution: Solution) -> str:
        """See `violated_joint`."""
        return violated_joint(self.assembler.layout, problem, solution)
