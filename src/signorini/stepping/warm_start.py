"""Impulses carried from one step to the next by the identity of their contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.laws.lift import first_rows
from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies import poses
from signorini.kernels.collision.table import is_sorted
from signorini.kernels.threads.team import team
from signorini.math.sparse import Array, Indices
from signorini.problem.cones import Cones
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.stepping.step import Reactions

WarmStart = Literal["full", "partial", "none"]
NO_ANSWER = (Status.INFEASIBLE, Status.NO_SOLUTION, Status.DIVERGED)
"""After these, impulses are those of a failed solve: often huge and opposed to one another, and warm starts would keep
them as self-stress."""


@dataclass(frozen=True, eq=False)
class Memory:
    """What the next step needs of the last one."""

    identity: Indices
    """Of the contacts, rising, shape (contacts,)."""
    impulse: Array
    """(normal, t1, t2) of those contacts [N s], shape (contacts, 3)."""
    joint_impulse: Array
    """[N s], shape (joint rows,)."""
    limit_impulse: Array = field(default_factory=lambda: np.zeros(0))
    """Of all limits of joints [N s], shape (limit rows,)."""
    friction_impulse: Array = field(default_factory=lambda: np.zeros(0))
    """Of dry friction in joints [N s], shape (friction rows,)."""
    law: LawMemory | None = None
    """What contact laws remember, None where they need no memory."""
    change: Array = field(default_factory=lambda: np.zeros(0))
    """Of the velocities in the last step [m/s, rad/s], shape (n,); empty where it is no prediction of the next one."""

    @classmethod
    def of(
        cls,
        contacts: Contacts,
        solution: Solution,
        cones: Cones,
        reactions: Reactions | None = None,
        law: LawMemory | None = None,
        change: Array | None = None,
    ) -> Memory:
        """The impulses of a solved step, in the variables of its problem."""
        impulse = first_rows(cones, np.asarray(solution.contact_impulse), contacts.count)
        order = _rising(contacts.identity)
        in_order = len(order) == 0 or order is _IN_ORDER
        identity = contacts.identity if in_order else contacts.identity[order]
        impulse = impulse if in_order else impulse[order]
        change, known = np.zeros(0) if change is None else change, solution.status not in NO_ANSWER
        impulse, joints = (x if known else np.zeros_like(x) for x in (impulse, solution.joint_impulse))
        if reactions is None:
            return cls(identity, impulse, joints, law=law, change=change)
        limits, frictions = (x if known else np.zeros_like(x) for x in (reactions.limits, reactions.frictions))
        return cls(identity, impulse, joints, limits, frictions, law, change)

    def plain(self) -> Memory:
        """As it can be stored: with all of its arrays."""
        return self

    def guess(self, contacts: Contacts, cones: Cones, near_limits: NDArray[np.bool_] | None = None) -> Guess | None:
        """The old impulses in the places of the new contacts, 0 for new ones; None when all are new."""
        impulse, found = self._carried(contacts)
        if contacts.count and not found:
            return None
        limits = self.limit_impulse if near_limits is None else self.limit_impulse[near_limits]
        if cones.rows == impulse.size:
            return Guess(contact_impulse=impulse.reshape(-1), joint_impulse=self.joint_impulse)
        rows = np.zeros(cones.rows)
        if cones.start[contacts.count] == impulse.size:
            rows[: impulse.size] = impulse.reshape(-1)  # contacts have three rows at least
        else:
            rows[cones.start[: contacts.count, None] + np.arange(3)] = impulse
        if len(rows) > impulse.size:
            rows[cones.start[contacts.count] :] = np.concatenate((limits, self.friction_impulse))
        return Guess(contact_impulse=rows, joint_impulse=self.joint_impulse)

    def impulses_of(self, contacts: Contacts) -> Array:
        """Old impulses of contacts, 0 for new ones [N s], shape (contacts, 3)."""
        return self._carried(contacts)[0]

    def loads(self, contacts: Contacts) -> Array:
        """Old normal impulses of contacts, 0 for new ones [N s], shape (contacts,)."""
        return self._carried(contacts)[0][:, 0]

    def _carried(self, contacts: Contacts) -> tuple[Array, int]:
        """Old impulses in the places of the new contacts, and how many of these are not new."""
        order, impulse = _rising(contacts.identity), np.empty((contacts.count, 3))
        found = poses.carry_over(team(contacts.count), self.identity, self.impulse, contacts.identity, order, impulse)
        return impulse, int(found)


_IN_ORDER = np.zeros(0, dtype=np.int64)
"""Stands for the order 0, 1, 2, ..."""


def _rising(identity: Indices) -> Indices:
    """The order that sorts identities; `_IN_ORDER` where they rise already, as is the rule."""
    if is_sorted(team(len(identity)), identity):
        return _IN_ORDER
    return np.argsort(identity, kind="stable")


def make_guess(
    mode: WarmStart,
    memory: Memory | None,
    contacts: Contacts,
    velocity: Array | None,
    problem: ContactProblem,
    near_limits: NDArray[np.bool_] | None = None,
) -> Guess | None:
    """Where the solver starts: `full` from the impulses of the last step, `partial` from `velocity` alone."""
    if mode == "none":
        return None
    if mode == "partial":
        return None if velocity is None else Guess(velocity=velocity.reshape(-1))
    if memory is None or len(memory.joint_impulse) != problem.joint_rows:
        return None
    return memory.guess(contacts, problem.cones, near_limits)
