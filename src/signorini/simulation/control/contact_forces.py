"""Forces of contacts in the last step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.frames import world_impulses
from signorini.math.sparse import Array, Indices
from signorini.stepping.step import Step


@dataclass(frozen=True, eq=False)
class ContactForces:
    """Mean force of each contact over a step, world, in the order of the contacts of the step."""

    body_a: Indices
    """Index in `Model.bodies`, then in `Model.flexibles` counted on from there; shape (contacts,)."""
    body_b: Indices
    """As `body_a`."""
    point: Array
    """On body a at the beginning of the step, world [m], shape (contacts, 3)."""
    normal: Array
    """Unit vectors from b to a, world, shape (contacts, 3)."""
    force: Array
    """On body a; the opposite acts on b [N], shape (contacts, 3)."""

    def __repr__(self) -> str:
        return f"ContactForces({len(self.body_a)} contacts)"

    @classmethod
    def of(cls, step: Step, h: float) -> ContactForces:
        """Of a step of h [s]."""
        contacts = step.contacts
        force = world_impulses(contacts.normal, np.asarray(step.impulses)) / h
        return cls(contacts.body_a, contacts.body_b, contacts.point_a, contacts.normal, force)

    @classmethod
    def none(cls) -> ContactForces:
        """Before the first step."""
        indices, vectors = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        return cls(indices, indices, vectors, vectors, vectors)

    def between(self, a: int, b: int) -> Array:
        """On body a from body b [N], shape (3,)."""
        there, back = (self.body_a == a) & (self.body_b == b), (self.body_a == b) & (self.body_b == a)
        return np.asarray(self.force[there].sum(axis=0) - self.force[back].sum(axis=0))

    def on(self, body: int) -> Array:
        """On a body from all others [N], shape (3,)."""
        return np.asarray(self.force[self.body_a == body].sum(axis=0) - self.force[self.body_b == body].sum(axis=0))

    def of_bodies(self, count: int) -> Array:
        """On each of `count` bodies [N], shape (count, 3)."""
        out = np.zeros((count, 3))
        np.add.at(out, self.body_a, self.force)
        np.subtract.at(out, self.body_b, self.force)
        return out
