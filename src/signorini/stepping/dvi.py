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
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.solvers.base import Solver
from signorini.stepping import mid_step
from signorini.stepping.body_motion import NONE, BodyMotion
from signorini.stepping.contact_behaviour import contact_model, stores_energy
from signorini.stepping.contact_model import ContactModel, Detected, StepProblem, StepSolution, solve
from signorini.stepping.contact_recheck import ContactRecheck
from signorini.stepping.correction import DEEP, Advance, Correction, size_of
from signorini.stepping.detections import Detections
from signorini.stepping.first_order_retry import TO_FIRST_ORDER, FirstOrderRetry
from signorini.stepping.impacts.inelastic import InelasticImpacts, blow_rules
from signorini.stepping.late_contacts import LateContacts
from signorini.stepping.new_contacts import MOST_ROUNDS, MOST_UNSOLVED_ROUNDS, NewContacts, reaches
from signorini.stepping.outcome import deepest_approach, step_outcome
from signorini.stepping.prediction import BENT, REST, SHALLOW, Prediction
from signorini.stepping.rigid_contact import StepSettings
from signorini.stepping.standstill import without_round_off
from signorini.stepping.step import DviStep, Stopwatch
from signorini.stepping.swept_contacts import SweptContacts
from signorini.stepping.traffic import Traffic
from signorini.stepping.violated_joint import violated_joint
from signorini.stepping.warm_start import Memory, WarmStart
from signorini.stepping.work import WorkMeter

Gaps = Literal["curved", "linear"]
"""Gaps and joints to second order in the step and closed at its end; or to first order, as in [Anitescu2010]."""


@dataclass(frozen=True, eq=False)
class DviStepper:
    """Takes steps of one model: detect, assemble, solve, advance, correct.

    With v the velocities that solve the contact problem, bodies move as `BodyMotion` says. Gaps are closed by the term
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
    """Closes joints after a step and removes deep penetrations; None leaves that to the next step."""
    motion: BodyMotion
    """How velocities move the bodies."""
    contact_recheck: ContactRecheck
    """Finds contacts that only the answer brings within reach."""
    retry: FirstOrderRetry | None = None
    """Poses steps again to first order whose second-order terms contradict one another; None never does."""
    impacts: InelasticImpacts | None = None
    """Velocities after impacts without restitution; None leaves what they stop to the next step."""
    mid_step_energy: bool = False
    """Whether the energies of weight and springs are those in the middle of a step, where its velocities belong."""

    @classmethod
    def of(
        cls, model: Model, h: float, warm_start: WarmStart = "full", max_recovery_speed: float = math.inf,
        law: Law = "convex", gaps: Gaps = "linear",
    ) -> DviStepper:  # fmt: skip
        """A stepper of a model."""
        detector, curved = Detector(model), gaps == "curved"
        new_contacts = NewContacts.of(model, detector)
        settings = StepSettings(Assembler(model), h, warm_start, max_recovery_speed, law)
        assembler, masses = settings.assembler, settings.assembler.masses
        contact = contact_model(model, settings, new_contacts.margin, detector=detector)
        late = LateContacts(detector, detector.smallest_skin_margin) if model.flexibles else None
        traffic = Traffic.of(model, detector, h)
        motion = BodyMotion(masses, h, curved, model.motions, tuple(model.held), traffic)
        recheck = ContactRecheck(motion, new_contacts, SweptContacts(detector), late)
        prediction = correction = retry = None
        if curved:
            margin, recovery, size = min(new_contacts.margin, 1.0), h * max_recovery_speed, size_of(model)
            shallow, deep = SHALLOW * margin, DEEP * margin
            depths = (shallow, REST * margin, deep, deep * bool(model.joints))
            prediction = Prediction(detector, assembler, *depths, BENT * size, reaches(model))
            correction = Correction(Detections(detector), assembler, contact.hard, size, shallow, deep, recovery, h)
            retry = FirstOrderRetry(masses) if assembler.layout.joints and law == "coulomb" else None
        impacts = None
        if curved and law == "coulomb":
            impacts = InelasticImpacts(
                contact, settings, detector, new_contacts, blow_rules(model, shallow, deep, size)
            )
        middle = curved and not (model.flexibles or stores_energy(model))
        return cls(detector, settings, contact, prediction, correction, motion, recheck, retry, impacts, middle)

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

        `why` is the reason why the step is not a compiled one.
        """
        watch, motion = Stopwatch(), self.motion
        start = motion.begin(state, number)
        watch.lap("advance")
        detected = self.detect(start, memory)
        watch.lap("detect")
        detected, answer = self._solved(watch, start, memory, solver, detected)
        contradictory = self.retry is not None and self.retry.applies(detected, answer)
        if self.retry is not None and contradictory:
            again = self._solved(watch, start, memory, solver, detected, self.retry.straightened, most_unsolved=0)
            if again[1].solution.status.ok:
                (detected, answer), why, contradictory = again, TO_FIRST_ORDER, False
        velocity = self.velocity(answer.problem, answer.solution)
        advance = partial(motion.advance, number * self.h, motion.shifted(start, answer), tumbling=detected.tumbling)
        end = self.correct(answer.problem, detected, velocity, advance)
        after = None if contradictory else self._after_impacts(start, memory, solver, detected, answer)
        if after is not None:
            moving = self.shut(after.problem, detected, self.velocity(after.problem, after.solution), advance)
            answer, end = after, replace(end, velocity=moving.velocity, angular_velocity=moving.angular_velocity)
        watch.lap("correct")
        end = motion.end(end)
        kinetic, potential = self.energy(end)
        outcome = step_outcome(detected.limits, answer)
        done = self.meter.later(start, detected, answer, outcome.reactions, end)
        watch.lap("advance")
        return DviStep(
            number, end, answer.contacts, outcome, kinetic, potential, watch.seconds, self.assembler.layout,
            answer.problem, answer.solution, answer.earlier, done=done, way=f"general: {why}" if why else "general",
            struck=after is not None,
        )  # fmt: skip

    def _after_impacts(
        self, start: State, memory: Memory | None, solver: Solver, detected: Detected, answer: StepSolution
    ) -> StepSolution | None:
        """The answer with the velocities after impacts without restitution; None where it has them."""
        if self.impacts is None:
            return None

        def solved(posed: StepProblem) -> StepSolution:
            while True:
                found = posed.interpret(solve(solver, posed.problem, posed.guess))
                if found.revised is None:
                    return found
                posed = found.revised

        return self.impacts.after(start, memory, detected, answer, solved)

    def _solved(
        self, watch: Stopwatch, start: State, memory: Memory | None, solver: Solver, detected: Detected,
        pose: Callable[[Detected], Detected] = lambda detected: detected, most_unsolved: int = MOST_UNSOLVED_ROUNDS,
    ) -> tuple[Detected, StepSolution]:  # fmt: skip
        """All that takes part in the step, and the answer: solved again while contacts yield or new ones are found."""
        unsolved = 0
        for count in range(1, MOST_ROUNDS + 1):
            detected = pose(detected)
            bare = self.contact.assemble(start, detected, memory)
            watch.lap("assemble")
            posed: StepProblem | None = bare.after_impacts(solver)
            while posed is not None:
                solution = solve(solver, posed.problem, posed.guess)
                watch.lap("solve")
                answer = posed.interpret(solution)
                posed = answer.revised
            more = self.recheck(start, memory, detected, answer)
            watch.lap("detect")
            unsolved += not answer.solution.status.ok
            if more is None or unsolved > most_unsolved or count == MOST_ROUNDS:
                break
            detected = more
        return detected, answer

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
        """With the second-order terms if velocities change as in the last step."""
        met = Contacts.empty() if swept is None else swept
        if self.prediction is None:
            return Detected(contacts, limits, None, met)
        if self.prediction.straight:
            return Detected(contacts, limits, self.prediction.unbent(contacts, swept is None, tumbling), met)
        velocity = self.settings.velocity(state)
        if memory is not None and len(memory.change):
            velocity = velocity + memory.change
        moving = self.prediction.moving(state, velocity)
        end = self.motion.advance(state.time + self.h, state, velocity)
        bend = self.prediction.bend(moving, end, contacts, limits, self.h, memory)
        return Detected(contacts, limits, replace(bend, tumbling=tumbling), met)

    def change(self, state: State, solution: Solution, struck: bool = False) -> Array:
        """Change of the velocities in a step from `state`, 0 if bodies were hit; empty where it is not needed."""
        if self.prediction is None or self.prediction.straight:
            return np.zeros(0)
        hit = struck or self.contact_recheck.new_contacts.may_miss(state, solution.velocity, self.h)
        known = solution.status.ok and not hit
        return solution.velocity - self.settings.velocity(state) if known else np.zeros_like(solution.velocity)

    def recheck(self, start: State, memory: Memory | None, detected: Detected, answer: StepSolution) -> Detected | None:
        """What was detected, with what only the answer brings within reach; None if nothing was missing."""
        velocity, known, find = answer.mean_velocity(self.h), (detected.contacts, detected.swept), self.contact_recheck
        more = find.contacts(start, *known, velocity, lambda: deepest_approach(answer), detected.tumbling)
        limits = detected.limits.after(velocity, self.h)
        if more is None and limits is None:
            return None
        contacts, swept = known if more is None else more
        tumbling = find.tumbling(start, velocity, swept)
        if len(np.setdiff1d(tumbling, detected.tumbling)):
            tumbling = np.union1d(tumbling, detected.tumbling)
            contacts, swept = find.swept_contacts(start, *known, velocity, tumbling) or known
        return self.predicted(start, memory, contacts, limits or detected.limits, swept, tumbling)

    def correct(self, problem: ContactProblem, detected: Detected, velocity: Array, advance: Advance) -> State:
        """The end of the step with these velocities: joints closed, no deep penetrations."""
        known = self.correction
        return advance(velocity) if known is None else known.end(problem, detected, velocity, advance)

    def shut(self, problem: ContactProblem, detected: Detected, velocity: Array, advance: Advance) -> State:
        """Where these velocities lead with joints closed, and the velocities that lead there."""
        assert self.correction is not None
        stiff = detected.bend is not None and detected.bend.stiff
        return self.correction.shut(problem.mass, problem.C, velocity, advance, stiff)[0]

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
