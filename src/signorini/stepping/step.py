"""The result of one time step, read-only for recorders, viewers and plots."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.kernels.watch import seconds_compiled
from signorini.math.sparse import Array
from signorini.model.layout import Layout, find
from signorini.model.state import State
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution, Status

STAGES = ("detect", "assemble", "solve", "advance", "correct", "record")
"""Stages of a step whose time is kept."""

ReactionKind = Literal["joints", "limits", "frictions"]


@dataclass(frozen=True, eq=False)
class Reactions:
    """Impulses in joints, limits and brakes in one step, rows as in a `Layout`."""

    joints: Array
    """[N s or N m s], shape (joint rows,)."""
    limits: Array
    """>= 0, shape (limit rows,)."""
    frictions: Array
    """Shape (friction rows,)."""

    def __repr__(self) -> str:
        joints, limits, frictions = len(self.joints), len(self.limits), len(self.frictions)
        return f"Reactions({joints} rows of joints, {limits} of limits, {frictions} of friction)"


@dataclass(frozen=True, eq=False)
class StepOutcome:
    """How the equations of a step were solved, with hard contact or without."""

    iterations: int
    residual: float
    """Relative error [-]."""
    status: Status
    rank: int
    """0 when the chosen solver gave the answer, k for the k-th fallback."""
    impulses: Array
    """Of the contacts (normal, t1, t2) [N s], shape (contacts, 3)."""
    reactions: Reactions
    """Of joints, limits and brakes."""
    law: LawMemory | None = None
    """What contacts remember after the step; None where their laws need no memory."""
    contact_energy: float = 0.0
    """In the springs of compliant contacts after the step [J]."""

    def __repr__(self) -> str:
        return f"StepOutcome({self.status.name} after {self.iterations} iterations, residual {self.residual:.1e})"


@dataclass(frozen=True)
class Work:
    """Work on the bodies in a step, by its source [J]; the mathematics is in `stepping.work`."""

    contacts: float = math.nan
    """Normal impulses."""
    friction: float = math.nan
    """Tangential impulses."""
    limits: float = math.nan
    """Of joints, ropes and struts."""
    brakes: float = math.nan
    """Brakes, clutches and friction in joints."""
    motors: float = math.nan
    """Motors, servos, and joints to bodies with a motion."""
    forces: float = math.nan
    """Applied forces; springs and dampers without what they store."""


@dataclass(frozen=True)
class Failure:
    """Why a simulation cannot go on."""

    status: Status
    """Of the step that could not be taken."""
    message: str
    """What happened, when, and what to do about it."""


@dataclass(frozen=True, eq=False)
class Step:
    """One step that was taken."""

    number: int
    """Steps since the start of the simulation, this one included."""
    state: State
    """After the step."""
    contacts: Contacts
    """At the beginning of the step; of smooth dynamics, those that overlap at its end."""
    outcome: StepOutcome
    """How it was solved."""
    kinetic: float
    """Kinetic energy of the movable bodies after the step [J]."""
    potential: float
    """Their energy under gravity, zero at the origin of the world, and that of springs, after the step [J]."""
    seconds: dict[str, float]
    """Wall time per stage [s], keys as in `STAGES`."""
    layout: Layout
    """Joint, limit and friction that each row belongs to."""

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.number} to {self.state.time:g} s, {self.contacts.count} contacts: "
            f"{self.status.name} after {self.iterations} iterations, residual {self.residual:.1e}, {self.energy:.4g} J)"
        )

    @property
    def failure(self) -> Failure | None:
        """Why the step could not be taken; None for a completed step, solved or not."""
        return None

    @property
    def work(self) -> Work:
        """On the bodies in the step; NaN where it is not known."""
        return Work()

    @property
    def is_read_later(self) -> bool:
        """Whether reading its parts is expensive and can be deferred."""
        return False

    def hold(self) -> None:
        """Read everything now; steps on a GPU copy it from the device, others have it."""

    @property
    def impulses(self) -> Array:
        """On the bodies, of the whole step, along (normal, t1, t2) [N s], shape (contacts, 3)."""
        return self.outcome.impulses

    @property
    def iterations(self) -> int:
        """Of all solves, or of Newton's method."""
        return self.outcome.iterations

    @property
    def residual(self) -> float:
        """Error of the answer [-]: that of the certificate, or the imbalance of forces in smooth dynamics."""
        return self.outcome.residual

    @property
    def status(self) -> Status:
        """How the solve ended."""
        return self.outcome.status

    @property
    def rank(self) -> int:
        """0 when the chosen solver gave the answer, k for the k-th fallback."""
        return self.outcome.rank

    @property
    def reactions(self) -> Reactions:
        """Impulses of all joints, limits and brakes."""
        return self.outcome.reactions

    @property
    def law(self) -> LawMemory | None:
        """What contacts remember after the step; None where their laws need no memory."""
        return self.outcome.law

    @property
    def contact_energy(self) -> float:
        """Energy in the springs of compliant contacts after the step [J]."""
        return self.outcome.contact_energy

    def joint_impulse(self, name: str) -> Array:
        """Of a joint or motor, one number per row [N s or N m s]; the meaning of the rows is that of its kind."""
        return self.reactions.joints[find(self.layout.joints, name, "joint")]

    def limit_impulse(self, name: str) -> Array:
        """Of a limit, >= 0, one number per finite end [N s or N m s]."""
        return self.reactions.limits[find(self.layout.limits, name, "limit")]

    def friction_impulse(self, name: str) -> Array:
        """Of a brake, a clutch or friction in a joint [N s or N m s], shape (1,)."""
        return self.reactions.frictions[find(self.layout.frictions, name, "friction or brake")]

    @property
    def kinetic_energy(self) -> float:
        """Of the movable bodies after the step [J]."""
        return self.kinetic

    @property
    def potential_energy(self) -> float:
        """Of weight and springs after the step [J]."""
        return self.potential

    @property
    def energy(self) -> float:
        """Kinetic plus potential plus that of the contacts [J]."""
        return self.kinetic + self.potential + self.contact_energy

    @property
    def penetration(self) -> float:
        """Deepest at the beginning of the step [m]."""
        return self.contacts.deepest

    @property
    def is_finite(self) -> bool:
        """Whether the state is known to be finite; otherwise it must be checked."""
        return False

    @property
    def largest_spin(self) -> float:
        """Largest component of any angular velocity after the step [rad/s]."""
        return float(np.abs(self.state.angular_velocity).max(initial=0.0))


@dataclass(frozen=True, eq=False, repr=False)
class DviStep(Step):
    """A step with hard contact: one contact problem."""

    problem: ContactProblem
    solution: Solution
    earlier: tuple[Solution, ...] = ()
    """Solutions of problems before that of the step: impacts, contacts that had to yield."""
    done: Callable[[], Work] = field(default=Work, kw_only=True)
    """Returns the work on the bodies."""
    struck: bool = field(default=False, kw_only=True)
    """Whether its velocities are those after impacts without restitution (see `impacts.inelastic`)."""
    way: str = field(default="general", kw_only=True)
    """`compiled`: in one compiled call; `general`, with the reason after a colon where it is known."""

    @property
    def work(self) -> Work:
        """On the bodies in the step."""
        return self.done()


class Stopwatch:
    """Measures the time of each stage, from lap to lap."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter() - seconds_compiled()

    def lap(self, stage: str) -> None:
        """Add the wall time since the last lap, without compilation, to a stage."""
        now = time.perf_counter() - seconds_compiled()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now
