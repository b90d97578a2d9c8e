"""Contacts of bodies whose velocities change in a step.

Detection sees what can touch at the velocities before the step. A body that is hit in the step may move faster than
that, into a neighbour that was out of reach. Such pairs are detected with the new velocities, at the old positions;
those that would overlap join the contacts, and the step is solved again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.kernels.bodies.momentum import largest_change
from signorini.kernels.collision.new_contacts import gap_rates, least_fresh_gap
from signorini.kernels.step import complete
from signorini.kernels.threads.team import team
from signorini.math.cached import cached_property
from signorini.math.rotations import rotate
from signorini.math.sparse import Array, Indices, as_slice
from signorini.model.model import Model
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.model.state import State

MOST_ROUNDS = complete.MOST_ROUNDS
"""A chain of hits reaches one neighbour further with each round."""
MOST_UNSOLVED_ROUNDS = 3
"""An unsolved answer says little about later contacts: most rounds with such answers."""
SMALL = 1e-6
"""Overlaps below this share of the smallest margin are left to the next step."""
Approach = Callable[[], float]
"""Evaluated only when needed."""
Look = Callable[[State, Contacts, Array, float], bool]
"""Function of the start, contacts and velocities of a step, and of the speed at which its contacts still approach."""
ALMOST = 0.999
"""The quick test ignores overlaps below this share of relevant ones, well above its round-off."""


@dataclass(frozen=True, eq=False)
class NewContacts:
    """Finds contacts that are missing in a step."""

    detector: Detector
    movable: Indices
    """Index in `Model.bodies`, shape (movable,)."""
    spin_radius: Array
    """How far a movable body reaches from its centre [m], 0 where spin changes no distance, shape (movable,)."""
    free: Indices
    """Nodes of flexible bodies whose velocities the step computes."""
    margin: float
    """Smallest envelope of any pair at rest [m]."""

    @classmethod
    def of(cls, model: Model, detector: Detector) -> NewContacts:
        """For the steps of a model."""
        movable = np.flatnonzero(model.bodies.each(lambda body: body.movable, bool))
        reach = reaches(model)[movable]
        asked, default = detector.table.arrays.margin.reshape(-1, 2).T
        margin = float(np.where(asked >= 0, asked, default).min(initial=detector.smallest_skin_margin))
        held = [node for held in model.held for node in held.nodes.tolist()]
        free = np.setdiff1d(np.arange(model.node_count), np.array(held, dtype=np.int64))
        return cls(detector, movable, reach, free, margin)

    def add_to(self, contacts: Contacts, state: State, velocity: Array, h: float, left: float = 0.0) -> Contacts | None:
        """`contacts` and those that bodies moving with `velocity` from `state` overlap without; None if there are none.

        Parameters
        ----------
        velocity
            The answer of the step, 6 per movable body, then 3 per free node.
        left
            Overlap that the answer leaves in known contacts [m]: smaller ones are not worth another solve.
        """
        moving = self.moving(state, velocity)
        v, w = moving.velocity, moving.angular_velocity
        least_overlap = max(SMALL * self.margin, left)
        if not self.detector.may_overlap(moving, h, contacts, ALMOST * least_overlap):
            return None
        found = self.detector.detect(moving, h)
        if len(found.sides.nodes) or len(contacts.sides.nodes):
            fresh = ~np.isin(found.identity, contacts.identity)
            least = float((found.gap + h * approach(found, moving))[fresh].min(initial=np.inf))
        else:
            fresh = np.empty(found.count, dtype=np.bool_)
            least = least_fresh_gap(
                contacts.identity, found.identity, (found.body_a, found.body_b), (found.point_a, found.point_b),
                found.normal, found.gap, (state.position, state.orientation, v, w), h, fresh,
            )  # fmt: skip
        return merged(contacts, found.taken(fresh)) if least < -least_overlap else None

    @cached_property
    def movable_rows(self) -> Indices | slice:
        """`movable`, as a slice where possible."""
        return as_slice(self.movable)

    def moving(self, state: State, velocity: Array) -> State:
        """The state with other velocities, 6 per movable body, then 3 per free node."""
        new, nodes = self._parts(state, velocity)
        v, w = state.velocity.copy(), state.angular_velocity.copy()
        rows = self.movable_rows
        v[rows], w[rows] = new[:, :3], new[:, 3:]
        return replace(state, velocity=v, angular_velocity=w, node_velocity=nodes)

    def may_miss(self, state: State, velocity: Array, h: float) -> bool:
        """Whether any two bodies or nodes changed their velocities by more than the margin allows for."""
        new, nodes = self._parts(state, velocity)
        many = team(len(self.movable))
        speed = largest_change(many, self.movable, self.spin_radius, state.velocity, state.angular_velocity, new)
        if len(nodes):
            other = nodes - state.node_velocity
            speed = max(speed, float(np.sqrt((other * other).sum(axis=1)).max()))
        return bool(2.0 * h * speed > self.margin)

    def _parts(self, state: State, velocity: Array) -> tuple[Array, Array]:
        """Velocities of the movable bodies, shape (movable, 6), and of all nodes, shape (nodes, 3)."""
        nodes = state.node_velocity
        if len(self.free):
            nodes = nodes.copy()
            nodes[self.free] = velocity[6 * len(self.movable) :].reshape(-1, 3)
        return velocity[: 6 * len(self.movable)].reshape(-1, 6), nodes


def reaches(model: Model) -> Array:
    """How far bodies reach from their centres [m], 0 for fixed ones and where spin changes no distance."""
    return model.bodies.each(
        lambda body: (
            max((_spin_radius(p.shape, p.position) for p in body.shapes), default=0.0)
            if body.movable or body.motion is not None
            else 0.0
        )
    )


def _spin_radius(shape: Shape, position: Array) -> float:
    if isinstance(shape, Sphere) and not position.any():
        return 0.0
    return float(np.linalg.norm(position)) + shape.bounding_radius()


def approach(contacts: Contacts, state: State) -> Array:
    """Rate of each gap [m/s]."""
    if not len(contacts.sides.nodes):
        rates = np.empty(contacts.count)
        bodies, points = (contacts.body_a, contacts.body_b), (contacts.point_a, contacts.point_b)
        poses = (state.position, state.orientation, state.velocity, state.angular_velocity)
        gap_rates(bodies, points, contacts.normal, poses, rates)
        return rates
    one, two = (_point_velocity(contacts, state, side) for side in (0, 1))
    return np.asarray(((one - two) * contacts.normal).sum(axis=1))


def _point_velocity(contacts: Contacts, state: State, side: int) -> Array:
    """World velocity of the contact points of one side, shape (contacts, 3)."""
    body = contacts.body_b if side else contacts.body_a
    point = contacts.point_b if side else contacts.point_a
    rigid = np.minimum(body, len(state.position) - 1)
    if len(state.position):
        spin = rotate(state.orientation[rigid], state.angular_velocity[rigid])
        velocity = state.velocity[rigid] + np.cross(spin, point - state.position[rigid])
    else:
        velocity = np.zeros_like(point)
    if len(contacts.sides.nodes):
        nodes, weights = contacts.sides.nodes[:, side], contacts.sides.weights[:, side]
        soft = np.einsum("km,kmi->ki", weights, state.node_velocity[nodes])
        of_nodes = (nodes >= 0).any(axis=1)
        velocity[contacts.rigid :][of_nodes] = soft[of_nodes]
    return np.asarray(velocity)


def merged(contacts: Contacts, others: Contacts) -> Contacts:
    """Both, in the order of their identities, flexible bodies last."""
    both = contacts.joined(others)
    return both.taken(np.argsort(both.identity, kind="stable"))
