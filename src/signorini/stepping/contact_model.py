"""How contacts enter a step: from what was detected to a problem, and from its solution to impulses on the bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.bend import Bend
from signorini.assembly.laws.memory import LawMemory
from signorini.assembly.near_limits import NearLimits
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import SimulationError
from signorini.problem.solution import Guess, Solution
from signorini.solvers.base import Solver
from signorini.stepping.warm_start import Memory


@dataclass(frozen=True, eq=False)
class Detected:
    """Contacts and limits that may act within a step."""

    contacts: Contacts
    limits: NearLimits
    """Limits of joints, and which of them are within reach."""
    bend: Bend | None = None
    """Second-order terms of contacts, limits and joints in the step; None leaves them at first order."""
    swept: Contacts = field(default_factory=Contacts.empty)
    """Contacts found by sweeping turning bodies through the step (see `stepping.swept_contacts`)."""

    @property
    def tumbling(self) -> Indices:
        """Bodies that are turned to first order (see `stepping.tumbling`)."""
        return np.zeros(0, dtype=np.int64) if self.bend is None else self.bend.tumbling


@dataclass(frozen=True, eq=False)
class StepSolution:
    """New velocities and contact impulses of a step."""

    contacts: Contacts
    """With the friction coefficients that acted."""
    problem: ContactProblem
    solution: Solution
    impulses: Array
    """On the bodies, along (normal, t1, t2) [N s], shape (contacts, 3)."""
    law: LawMemory | None = None
    """What the contacts remember; None where their laws need no memory."""
    stored: float = 0.0
    """Energy in the contacts [J]."""
    earlier: tuple[Solution, ...] = ()
    """Of problems that were solved before: impacts, contacts that had to yield."""
    revised: StepProblem | None = None
    """The problem to solve instead, where the solution shows that contacts yield or stop yielding."""
    shift: Array | None = None
    """Displacement of bodies at the beginning of the step, where impacts within it lead elsewhere than the velocities
    after them [m, rad], shape (n,)."""

    def mean_velocity(self, h: float) -> Array:
        """Displacement over the step [m/s, rad/s], shape (n,)."""
        v = self.solution.velocity
        return v if self.shift is None else np.asarray(v + self.shift / h)


class StepProblem(Protocol):
    """The contact problem of a step, and the meaning of its solution."""

    @property
    def problem(self) -> ContactProblem:
        """In the variables of the solver."""

    @property
    def guess(self) -> Guess | None:
        """Where the solver starts."""

    def after_impacts(self, solver: Solver) -> StepProblem:
        """The problem that remains after impacts; itself where nothing bounces."""

    def interpret(self, solution: Solution) -> StepSolution:
        """What the solution of the problem means for the bodies and contacts."""


class ContactModel(Protocol):
    """How contacts behave in a step."""

    def assemble(self, state: State, detected: Detected, memory: Memory | None) -> StepProblem:
        """The problem of the step from `state`."""

    def hard(self, contacts: Contacts) -> NDArray[np.bool_]:
        """Which contacts are rigid and without cohesion; shape (contacts,)."""


def solve(solver: Solver, problem: ContactProblem, guess: Guess | None = None) -> Solution:
    """The solver's answer; raises `SimulationError` if it is not finite."""
    solution = solver.solve(problem, guess)
    # A finite sum has finite terms; only an infinite or NaN sum needs a check of every term.
    if not (math.isfinite(solution.velocity.sum()) or np.all(np.isfinite(solution.velocity))):
        raise SimulationError(
            f"{problem.name}: {solution.solver} {solution.status.value}, and its velocities are not finite numbers"
        )
    return solution
