"""The record of a compiled step (`kernels.step.record`), read on access."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.kernels.step import record as place
from signorini.kernels.step.record import HEAD
from signorini.kernels.step.tables import RowTable, Sparse
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.stepping.warm_start import Memory


@dataclass(frozen=True)
class Sizes:
    """Of what all records of a model have in common."""

    bodies: int
    velocities: int
    joints: int
    limits: int
    frictions: int
    springs: bool
    """Whether H has more than masses."""

    @property
    def others(self) -> int:
        """Where impulses of limits and brakes begin."""
        return HEAD + 13 * self.bodies

    @property
    def velocity(self) -> int:
        """Where the velocities of the answer begin."""
        return self.others + self.limits + self.frictions

    @property
    def impulse(self) -> int:
        """Where the impulses of contacts begin."""
        return self.velocity + self.velocities + self.joints


class StepRecord:
    """Views of the two arrays of a step; nothing is copied."""

    def __init__(self, numbers: Array, integers: Indices, sizes: Sizes, time: float) -> None:
        self.numbers, self.integers, self.sizes, self.time = numbers, integers, sizes, time

    @classmethod
    def packed(cls, state: State, memory: Memory | None, sizes: Sizes, stored: float = 0.0) -> StepRecord:
        """A record that the next step can start from; `stored` is the energy of springs [J]."""
        count = 0 if memory is None else len(memory.identity)
        numbers, integers = np.zeros(sizes.impulse + 3 * count), np.zeros(HEAD + count, dtype=np.int64)
        parts = (state.position, state.orientation, state.velocity, state.angular_velocity)
        numbers[place.STORED] = stored
        numbers[HEAD : sizes.others] = np.concatenate([part.reshape(-1) for part in parts])
        if memory is not None:
            others = (memory.limit_impulse, memory.friction_impulse)
            if (len(others[0]), len(others[1])) == (sizes.limits, sizes.frictions):
                numbers[sizes.others : sizes.velocity] = np.concatenate(others)
            if len(memory.joint_impulse) == sizes.joints:
                numbers[sizes.velocity + sizes.velocities : sizes.impulse] = memory.joint_impulse
            numbers[sizes.impulse :] = memory.impulse.reshape(-1)
            integers[HEAD:], integers[place.CONTACTS] = memory.identity, count
        return cls(numbers, integers, sizes, state.time)

    def copied(self) -> StepRecord:
        """The same in arrays of its own: a problem that is made of a record freezes its arrays."""
        return StepRecord(self.numbers.copy(), self.integers.copy(), self.sizes, self.time)

    def without_problem(self) -> StepRecord:
        """A copy of what every step leaves."""
        c = self.contact_count
        numbers = self.numbers[: self.sizes.impulse + int(self.integers[place.ROWS]) + 11 * c].copy()
        integers, at = self.integers[: HEAD + 3 * c].copy(), self.sizes.impulse
        numbers[at : at + 3 * c] = self.contact_impulse.reshape(-1)
        integers[place.STRUCK] = 0
        return StepRecord(numbers, integers, self.sizes, self.time)

    @cached_property
    def state(self) -> State:
        """After the step."""
        numbers, B, at = self.numbers, self.sizes.bodies, HEAD
        return State(
            self.time, numbers[at : at + 3 * B].reshape(B, 3), numbers[at + 3 * B : at + 7 * B].reshape(B, 4),
            numbers[at + 7 * B : at + 10 * B].reshape(B, 3), numbers[at + 10 * B : at + 13 * B].reshape(B, 3),
            NO_NODES, NO_NODES,
        )  # fmt: skip

    @property
    def contact_count(self) -> int:
        """Number of contacts."""
        return int(self.integers[place.CONTACTS])

    @cached_property
    def contacts(self) -> Contacts:
        """At the beginning of the step."""
        c = self.contact_count
        if c == 0:
            return NO_CONTACTS
        at, f, i = self.sizes.impulse + int(self.integers[place.ROWS]), self.numbers, self.integers
        a, b, normal = (f[at + 3 * k * c : at + 3 * (k + 1) * c].reshape(c, 3) for k in range(3))
        gap, friction = f[at + 9 * c : at + 10 * c], f[at + 10 * c : at + 11 * c]
        identity, body_a, body_b = (i[HEAD + k * c : HEAD + (k + 1) * c] for k in range(3))
        return Contacts(body_a, body_b, a, b, normal, gap, friction, identity)

    @cached_property
    def impulse(self) -> Array:
        """lambda: contacts, near limits, brakes [N s], shape (rows,)."""
        at = self.sizes.impulse
        return self.numbers[at : at + int(self.integers[place.ROWS])]

    @property
    def contact_impulse(self) -> Array:
        """On the bodies, those that are in the momentum of the problem included [N s], shape (contacts, 3)."""
        c = self.contact_count
        own = self.impulse[: 3 * c].reshape(-1, 3)
        return own + self.numbers[-3 * c :].reshape(-1, 3) if self.integers[place.STRUCK] and c else own

    @property
    def velocity(self) -> Array:
        """v, shape (n,)."""
        at = self.sizes.velocity
        return self.numbers[at : at + self.sizes.velocities]

    @property
    def joint_impulse(self) -> Array:
        """gamma, shape (joint rows,)."""
        at = self.sizes.velocity + self.sizes.velocities
        return self.numbers[at : at + self.sizes.joints]

    @property
    def limit_impulse(self) -> Array:
        """Of all limits, shape (limits,)."""
        return self.numbers[self.sizes.others : self.sizes.others + self.sizes.limits]

    @property
    def friction_impulse(self) -> Array:
        """Of all brakes, shape (frictions,)."""
        return self.numbers[self.sizes.others + self.sizes.limits : self.sizes.velocity]


@dataclass(frozen=True, eq=False)
class ProblemParts:
    """The problem of a step, letters of `ContactProblem`."""

    momentum: Array
    b_gamma: Array
    b_lambda: Array
    mu: Array
    ends: Array
    C: Sparse
    D: Sparse
    stiff: Array
    start: Indices

    @classmethod
    def of(cls, record: StepRecord, rows: RowTable) -> ProblemParts:
        """From a record that holds them."""
        sizes, i = record.sizes, record.integers
        c, r, k, entries = (int(i[at]) for at in (place.CONTACTS, place.ROWS, place.BLOCKS, place.ENTRIES))
        n, m, blocks = sizes.velocities, sizes.joints, int(rows.start[rows.joints])
        lengths = (n, m, r, k, 2 * k, 6 * blocks, entries, n * n if sizes.springs else 0)
        ends = np.cumsum((sizes.impulse + r + 11 * c, *lengths))
        # Copies: a problem freezes its parts and what they are views of, and the next step reads the record.
        parts = (record.numbers[a:b].copy() for a, b in pairwise(ends.tolist()))
        momentum, b_gamma, b_lambda, mu, limits, C, D, stiff = parts
        at = HEAD + 3 * c + sizes.limits + sizes.frictions
        start, indptr, indices = i[at : at + k + 1], i[at + k + 1 : at + k + r + 2], i[at + k + r + 2 :]
        joint_columns = (6 * rows.body[:blocks, None] + np.arange(6)).reshape(-1)
        joint_rows = 6 * rows.start[: rows.joints + 1]
        stiff = stiff.reshape(n, n) if sizes.springs else np.zeros((0, 0))
        return cls(
            momentum, b_gamma, b_lambda, mu, limits.reshape(k, 2),
            Sparse(joint_rows.astype(np.int32), joint_columns.astype(np.int32), C),
            Sparse(indptr.astype(np.int32), indices.astype(np.int32), D), stiff, start,
        )  # fmt: skip


class CompiledMemory(Memory):
    """The memory of a record for the next step; the next compiled step takes the record itself."""

    record: StepRecord
    """Of the last step."""

    def __init__(self, record: StepRecord, change: Array) -> None:
        self.__dict__.update(record=record, change=change)

    @cached_property
    def identity(self) -> Indices:
        """Of the contacts, rising, shape (contacts,)."""
        return self.record.contacts.identity

    @cached_property
    def impulse(self) -> Array:
        """Of those contacts [N s], shape (contacts, 3)."""
        return self.record.impulse[: 3 * self.record.contact_count].reshape(-1, 3)

    @property
    def joint_impulse(self) -> Array:
        """[N s], shape (joint rows,)."""
        return self.record.joint_impulse

    @property
    def limit_impulse(self) -> Array:
        """[N s], shape (limit rows,)."""
        return self.record.limit_impulse

    @property
    def friction_impulse(self) -> Array:
        """[N s], shape (friction rows,)."""
        return self.record.friction_impulse

    def plain(self) -> Memory:
        """As it can be stored."""
        return Memory(
            self.identity, self.impulse, self.joint_impulse, self.limit_impulse, self.friction_impulse,
            change=self.change,
        )  # fmt: skip


NO_NODES, NO_CONTACTS = np.zeros((0, 3)), Contacts.empty()
