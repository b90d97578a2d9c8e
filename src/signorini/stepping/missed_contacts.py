"""Contacts that only the answer of a step reveals.

Detection sees what can touch at the velocities before the step. A body that is hit in the step may move faster than
that, into a neighbour that was out of reach. Such pairs are looked for with the new velocities, at the old positions;
those that would overlap join the contacts, and the step is solved again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.missed import least_fresh_gap
from signorini.kernels.momentum import largest_change
from signorini.math.sparse import Array, Indices
from signorini.model.model import Model
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State

MOST_ROUNDS = 6
"""A chain of hits reaches one neighbour further with each round."""
SMALL = 1e-6
"""Overlaps below this share of the smallest margin are left to the next step."""


@dataclass(frozen=True, eq=False)
class MissedContacts:
    """Finds the contacts that a step needs and does not have."""

    detector: Detector
    movable: Indices
    """Index in `Model.bodies`, shape (movable,)."""
    spin_radius: Array
    """How far a movable body reaches from its centre [m], 0 where spin changes no distance, shape (movable,)."""
    margin: float
    """Smallest envelope of any pair at rest [m]."""

    @classmethod
    def of(cls, model: Model, detector: Detector) -> MissedContacts:
        """For the steps of a model."""
        movable = [i for i, body in enumerate(model.bodies) if body.movable]
        reach = [max((_spin_radius(p.shape, p.position) for p in model.bodies[i].shapes), default=0.0) for i in movable]
        asked, default = detector.table.arrays.margin.reshape(-1, 2).T
        margin = float(np.where(asked >= 0, asked, default).min(initial=np.inf))
        return cls(detector, np.array(movable, dtype=np.int64), np.array(reach, dtype=np.float64), margin)

    def add_to(self, contacts: Contacts, state: State, velocity: Array, h: float, left: float = 0.0) -> Contacts | None:
        """`contacts` and those that bodies moving with `velocity` from `state` overlap without; None if there are none.

        Parameters
        ----------
        velocity
            The answer of the step, 6 per movable body.
        left
            Overlap that the answer leaves in contacts it knew [m]: less than that is not worth another answer.
        """
        new = velocity.reshape(-1, 6)
        if not self._may_miss(state, new, h):
            return None
        v, w = state.velocity.copy(), state.angular_velocity.copy()
        v[self.movable], w[self.movable] = new[:, :3], new[:, 3:]
        moving = replace(state, velocity=v, angular_velocity=w)
        found = self.detector.detect(moving, h)
        fresh = np.empty(found.count, dtype=np.bool_)
        least = least_fresh_gap(
            contacts.identity, found.identity, (found.body_a, found.body_b), (found.point_a, found.point_b),
            found.normal, found.gap, (state.position, state.orientation, v, w), h, fresh,
        )  # fmt: skip
        return _merged(contacts, found, fresh) if least < -max(SMALL * self.margin, left) else None

    def _may_miss(self, state: State, new: Array, h: float) -> bool:
        """Whether any two bodies changed their velocities by more than the margin allows for."""
        speed = largest_change(self.movable, self.spin_radius, state.velocity, state.angular_velocity, new)
        return bool(2.0 * h * speed > self.margin)


def _spin_radius(shape: Shape, position: Array) -> float:
    if isinstance(shape, Sphere) and not position.any():
        return 0.0
    return float(np.linalg.norm(position)) + shape.bounding_radius()


def _merged(contacts: Contacts, found: Contacts, chosen: NDArray[np.bool_]) -> Contacts:
    """All of `contacts` and the chosen of `found`, in the order of their identities."""
    names = [field.name for field in fields(Contacts)]
    both = {name: np.concatenate((getattr(contacts, name), getattr(found, name)[chosen])) for name in names}
    order = np.argsort(both["identity"], kind="stable")
    return Contacts(**{name: np.ascontiguousarray(values[order]) for name, values in both.items()})
