"""The answer of one step: how contacts are turned into a problem, solved, and remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from signorini.assembly.assemble import Assembler
from signorini.assembly.laws.memory import LawMemory
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution
from signorini.stepping.step import Stopwatch
from signorini.stepping.warm_start import Memory, WarmStart, make_guess

Solve = Callable[[ContactProblem, Guess | None], tuple[Solution, int]]
"""The answer and the rank of the solver that gave it (0: the first one asked)."""


@dataclass(frozen=True, eq=False)
class Answer:
    """New velocities, and what the contacts did to get them."""

    contacts: Contacts
    """With the friction that acted."""
    problem: ContactProblem
    solution: Solution
    rank: int
    impulses: Array
    """On the bodies, along (normal, t1, t2) [N s], shape (contacts, 3)."""
    law: LawMemory | None = None
    """What the contacts remember; None where their laws need no memory."""
    stored: float = 0.0
    """Energy in the contacts [J]."""
    earlier: tuple[Solution, ...] = field(default=())
    """Of problems that were solved on the way: impacts, contacts that had to yield."""


class ContactModel(Protocol):
    """How contacts behave in a step."""

    def answer(
        self,
        state: State,
        contacts: Contacts,
        limits: NearLimits,
        memory: Memory | None,
        solve: Solve,
        watch: Stopwatch,
    ) -> Answer:
        """The velocities after a step from `state`."""


@dataclass(frozen=True, eq=False)
class StepSettings:
    """What every step of a simulation has in common."""

    assembler: Assembler
    h: float
    """Time step [s]."""
    warm_start: WarmStart
    max_recovery_speed: float
    """[m/s]."""
    law: Law = "convex"
    """Of friction, as the solver takes it."""

    def assemble(
        self, state: State, contacts: Contacts, limits: NearLimits, memory: Memory | None = None
    ) -> ContactProblem:
        """The problem of rigid contacts with Coulomb friction; what rolls over flexible faces does so by `memory`."""
        soft = memory is not None and self.assembler.flexible is not None
        pressed = memory.loads(contacts) if memory is not None and soft else None
        return self.assembler.assemble(state, contacts, self.h, self.max_recovery_speed, limits, pressed)

    def guess(
        self, memory: Memory | None, contacts: Contacts, limits: NearLimits, state: State, problem: ContactProblem
    ) -> Guess | None:
        """Where the solver starts."""
        velocity = self.velocity(state) if self.warm_start == "partial" else None
        return make_guess(self.warm_start, memory, contacts, velocity, problem, limits.near)

    def velocity(self, state: State) -> Array:
        """Velocities of the movable bodies and free nodes, in the order of the problem."""
        return self.assembler.masses.velocity_of(state)


@dataclass(frozen=True, eq=False)
class RigidContact:
    """Rigid contacts with Coulomb friction: one problem, one solve."""

    settings: StepSettings

    def answer(
        self,
        state: State,
        contacts: Contacts,
        limits: NearLimits,
        memory: Memory | None,
        solve: Solve,
        watch: Stopwatch,
    ) -> Answer:
        """The velocities after a step from `state`."""
        problem = watch.time("assemble", self.settings.assemble, state, contacts, limits, memory)
        guess = watch.time("assemble", self.settings.guess, memory, contacts, limits, state, problem)
        solution, rank = watch.time("solve", solve, problem, guess)
        impulses = np.asarray(solution.contact_impulse)[: 3 * contacts.count].reshape(-1, 3)
        return Answer(contacts, problem, solution, rank, impulses)
