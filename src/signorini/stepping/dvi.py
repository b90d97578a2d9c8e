"""The DVI time stepper: linearised implicit Euler with hard contact [Anitescu2010, Mangoni2018]."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from signorini.assembly.assemble import Assembler
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels import poses
from signorini.math.sparse import Array
from signorini.model.body import Motion
from signorini.model.flexible_body import HeldNodes
from signorini.model.layout import name_of
from signorini.model.model import Model
from signorini.model.motion import velocity_between
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.products import multiply, multiply_magnitudes
from signorini.problem.solution import Guess, Solution
from signorini.stepping.missed_contacts import MOST_ROUNDS, MissedContacts
from signorini.stepping.standstill import without_round_off
from signorini.stepping.step import DviStep, Outcome, Reactions, Stopwatch
from signorini.stepping.warm_start import Memory, WarmStart, make_guess

TELLING, VIOLATED = 0.1, 1e-6
"""A joint is named in messages when its relative error is above this share of the whole error, and above this."""
Solve = Callable[[ContactProblem, Guess | None], tuple[Solution, int]]
"""The answer and the rank of the solver that gave it (0: the first one asked)."""


@dataclass(frozen=True, eq=False)
class DviStepper:
    """Takes steps of one model: detect, assemble, solve, advance.

    With v the velocities that solve the contact problem, `x <- x + h v` and `q <- q exp(h w)`
    [Mangoni2018, eq. 3.1]. Gaps are closed by the stabilisation term `Phi/h` of the problem, so that contacts that
    are solved exactly neither penetrate nor drift.
    """

    detector: Detector
    assembler: Assembler
    h: float
    """Time step [s]."""
    warm_start: WarmStart = "full"
    max_recovery_speed: float = math.inf
    """[m/s]."""
    motions: tuple[tuple[int, Motion], ...] = ()
    """Of the kinematic bodies, with their indices."""
    held: tuple[HeldNodes, ...] = ()
    """Nodes of flexible bodies whose motion is known."""
    missed: MissedContacts | None = None
    """Finds contacts that a hit in the step brings about; None takes the first answer."""

    @classmethod
    def of(
        cls, model: Model, h: float, warm_start: WarmStart = "full", max_recovery_speed: float = math.inf
    ) -> DviStepper:
        """A stepper of a model."""
        motions = tuple((i, body.motion) for i, body in enumerate(model.bodies) if body.motion is not None)
        detector = Detector(model)
        missed = MissedContacts.of(model, detector)
        return cls(detector, Assembler(model), h, warm_start, max_recovery_speed, motions, tuple(model.held), missed)

    def step(self, number: int, state: State, memory: Memory | None, solve: Solve) -> DviStep:
        """From `state` to the next one; `number` is the number of this step, from 1."""
        watch = Stopwatch()
        state = watch.time("advance", self.drive, state)
        contacts = watch.time("detect", self.detector.detect, state, self.h)
        limits = watch.time("assemble", self.assembler.near_limits, state, self.h)
        for _ in range(MOST_ROUNDS):
            problem = watch.time("assemble", self._problem, state, contacts, limits, memory)
            guess = watch.time("assemble", self._guess, memory, contacts, limits, state, problem)
            solution, rank = watch.time("solve", solve, problem, guess)
            more = watch.time("detect", self._missed, contacts, state, solution.velocity)
            passed = watch.time("detect", limits.after, solution.velocity, self.h)
            if more is None and passed is None:
                break
            contacts, limits = more or contacts, passed or limits
        velocity = watch.time("advance", self.velocity, problem, solution)
        state = watch.time("advance", self.advance, number, state, velocity)
        kinetic, potential = watch.time("advance", self.energy, state)
        outcome, layout = self._outcome(contacts, limits, solution, rank), self.assembler.layout
        return DviStep(number, state, contacts, outcome, kinetic, potential, watch.seconds, layout, problem, solution)

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

    def _outcome(self, contacts: Contacts, limits: NearLimits, solution: Solution, rank: int) -> Outcome:
        """The answer in parts: contacts, joints, limits, brakes."""
        begin, near = 3 * contacts.count, int(limits.near.sum())
        impulses, rest = np.asarray(solution.contact_impulse[:begin]).reshape(-1, 3), solution.contact_impulse[begin:]
        reactions = Reactions(solution.joint_impulse, limits.everywhere(rest[:near]), rest[near:])
        return Outcome(solution.iterations, solution.certificate.error, solution.status, rank, impulses, reactions)

    def _missed(self, contacts: Contacts, state: State, velocity: Array) -> Contacts | None:
        return None if self.missed is None else self.missed.add_to(contacts, state, velocity, self.h)

    def advance(self, number: int, state: State, velocity: Array) -> State:
        """The state after `number` steps: movable bodies by their new velocities, kinematic ones by their motion."""
        movable, free = self.assembler.masses.movable, self.assembler.masses.free
        new = state.copy()
        new.node_velocity[free] = velocity[6 * len(movable) :].reshape(-1, 3)
        new.node_position[free] += self.h * new.node_velocity[free]
        velocity = np.ascontiguousarray(velocity[: 6 * len(movable)]).reshape(-1, 6)
        new.velocity[movable], new.angular_velocity[movable] = velocity[:, :3], velocity[:, 3:]
        poses.advance(movable, velocity, self.h, new.position, new.orientation)
        time = number * self.h
        for i, motion in self.motions:
            position, orientation = motion(time)
            # Of the two quaternions of a rotation the nearer one: angles of joints count turns by their sign.
            same = float(orientation @ state.orientation[i]) >= 0.0
            new.position[i], new.orientation[i] = position, orientation if same else -orientation
        for held in self.held:
            new.node_position[held.nodes] = held.position(time)
        return replace(new, time=time)

    def energy(self, state: State) -> tuple[float, float]:
        """Kinetic energy of the movable and flexible bodies, and that of weight, springs and strain [J]."""
        masses = self.assembler.masses
        v, w = state.velocity[masses.movable], state.angular_velocity[masses.movable]
        spin = np.einsum("bij,bj->bi", masses.inertia, w)
        kinetic = 0.5 * (float(masses.mass @ (v * v).sum(axis=1)) + float((w * spin).sum()))
        model = self.assembler.model
        weight = -float(masses.mass @ (state.position[masses.movable] @ model.gravity))
        potential = weight + sum(force.energy(state) for force in model.stiff_forces)
        if self.assembler.flexible is None:
            return kinetic, potential
        more = self.assembler.flexible.energy(state)
        return kinetic + more[0], potential + more[1]

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

    def _problem(self, state: State, contacts: Contacts, limits: NearLimits, memory: Memory | None) -> ContactProblem:
        soft = memory is not None and self.assembler.flexible is not None
        pressed = memory.normal_impulses(contacts) if memory is not None and soft else None
        return self.assembler.assemble(state, contacts, self.h, self.max_recovery_speed, limits, pressed)

    def _guess(
        self, memory: Memory | None, contacts: Contacts, limits: NearLimits, state: State, problem: ContactProblem
    ) -> Guess | None:
        velocity = self.assembler.masses.velocity_of(state)
        return make_guess(self.warm_start, memory, contacts, velocity, problem.joint_rows, limits.near)
