"""Rigid contacts with Coulomb friction, and the settings that every kind of contact shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.assemble import Assembler
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution
from signorini.solvers.base import Solver
from signorini.stepping.contact_model import Detected, StepSolution
from signorini.stepping.warm_start import Memory, WarmStart, make_guess


@dataclass(frozen=True, eq=False)
class StepSettings:
    """Settings shared by all steps of a simulation."""

    assembler: Assembler
    h: float
    """Time step [s]."""
    warm_start: WarmStart
    max_recovery_speed: float
    """[m/s]."""
    law: Law = "convex"
    """Of friction, as the solver takes it."""

    def assemble(self, state: State, detected: Detected, memory: Memory | None = None) -> ContactProblem:
        """The problem of rigid contacts with Coulomb friction; `memory` has the loads of contacts that roll over
        flexible faces."""
        contacts, assembler = detected.contacts, self.assembler
        pressed = None if memory is None or assembler.flexible is None else memory.loads(contacts)
        fastest = self.max_recovery_speed
        return assembler.assemble(state, contacts, self.h, fastest, detected.limits, pressed, detected.bend)

    def guess(self, memory: Memory | None, detected: Detected, state: State, problem: ContactProblem) -> Guess | None:
        """Where the solver starts."""
        velocity = self.velocity(state) if self.warm_start == "partial" else None
        return make_guess(self.warm_start, memory, detected.contacts, velocity, problem, detected.limits.near)

    def velocity(self, state: State) -> Array:
        """Velocities of the movable bodies and free nodes, in the order of the problem."""
        return self.assembler.masses.velocity_of(state)


@dataclass(frozen=True, eq=False)
class RigidContact:
    """Rigid contacts with Coulomb friction: one problem, one solve."""

    settings: StepSettings

    def assemble(self, state: State, detected: Detected, memory: Memory | None) -> RigidStep:
        """The problem of the step from `state`."""
        problem = self.settings.assemble(state, detected, memory)
        guess = self.settings.guess(memory, detected, state, problem)
        return RigidStep(detected.contacts, problem, guess)

    def hard(self, contacts: Contacts) -> NDArray[np.bool_]:
        """All of them."""
        return np.ones(contacts.count, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class RigidStep:
    """A step whose contacts neither bounce nor yield."""

    contacts: Contacts
    problem: ContactProblem
    guess: Guess | None

    def after_impacts(self, solver: Solver) -> RigidStep:
        """Nothing bounces."""
        return self

    def interpret(self, solution: Solution) -> StepSolution:
        """The impulses of the problem are those on the bodies."""
        impulses = np.asarray(solution.contact_impulse)[: 3 * self.contacts.count].reshape(-1, 3)
        return StepSolution(self.contacts, self.problem, solution, impulses)
