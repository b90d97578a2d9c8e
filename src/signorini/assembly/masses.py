"""The bodies and nodes that the step moves, and their mass matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from signorini.kernels.bodies import momentum
from signorini.kernels.threads.team import team
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Csr, Indices, as_slice, assembled, canonical
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.mass_matrix import MassMatrix, mass_matrix

ROUND = 1e-14
"""Inertia is taken as that of a ball when it differs from it by less than this share."""


@dataclass(frozen=True, eq=False)
class Masses:
    """Movable bodies in the order of the problem, which is that of the model, 6 velocities each; then free nodes."""

    movable: Indices
    """Index in `Model.bodies`, shape (movable,)."""
    place: Indices
    """Place among the movable bodies, -1 for the others, shape (bodies,)."""
    column: Indices
    """Column in the problem of each velocity of everything (see `model.component`), -1 where it is known."""
    mass: Array
    """[kg], shape (movable,)."""
    inertia: Array
    """About the centre of mass, body axes [kg m2], shape (movable, 3, 3)."""
    wobbling: Indices
    """Those with gyroscopic torque: all but those with the inertia of a ball."""
    free: Indices
    """Nodes of flexible bodies whose velocities are unknown, among those of a state; 3 velocities each, after those of
    the bodies."""
    H: Csr
    """diag(m I3, inertia) of each body, constant because angular velocities are in body axes, then the mass of the free
    nodes; shape (velocities, velocities)."""

    @classmethod
    def of(cls, model: Model) -> Masses:
        """Of the movable bodies of a model."""
        movable = np.flatnonzero(model.bodies.each(lambda body: body.movable, bool))
        place = np.full(len(model.bodies), -1, dtype=np.int64)
        place[movable] = np.arange(len(movable))
        column = np.where(place[:, None] < 0, -1, 6 * place[:, None] + np.arange(6)).reshape(-1)
        mass = model.bodies.each(lambda body: body.mass)[movable]
        inertia = model.bodies.each(lambda body: body.inertia).reshape(-1, 3, 3)[movable]
        mean = np.trace(inertia, axis1=1, axis2=2) / 3.0
        uneven = np.abs(inertia - mean[:, None, None] * np.eye(3)).max(axis=(1, 2), initial=0.0)
        H = _mass_matrix(mass, inertia)
        wobbling = np.flatnonzero(uneven > ROUND * mean)
        free, node_column = _free_nodes(model, H.shape[0])
        if model.flexibles:
            column = np.concatenate((column, node_column))
            nodes = sp.block_diag([body.flexible.mass for body in model.flexibles], format="csr")
            unknown = np.flatnonzero(node_column >= 0)
            H = canonical(sp.block_diag((H, nodes[unknown][:, unknown]), format="csr"))
        return cls(movable, place, column, mass, inertia, wobbling, free, H)

    @property
    def velocities(self) -> int:
        """Number of velocity unknowns."""
        return 6 * len(self.movable) + 3 * len(self.free)

    def velocity_of(self, state: State) -> Array:
        """Those of a state in the order of the problem, shape (velocities,)."""
        out, count = np.empty(self.velocities), 6 * len(self.movable)
        many = team(len(self.movable))
        momentum.gather(many, self.movable, state.velocity, state.angular_velocity, out[:count].reshape(-1, 6))
        if len(self.free):
            out[count:] = state.node_velocity[self.free].reshape(-1)
        return out

    @cached_property
    def inverse_diagonal(self) -> Array:
        """Inverse masses and moments of inertia of the velocities [1/kg or 1/(kg m2)], 0 for nodes."""
        out = np.zeros(self.velocities)
        rigid = out[: 6 * len(self.mass)].reshape(-1, 6)
        rigid[:, :3] = 1.0 / self.mass[:, None]
        rigid[:, 3:] = 1.0 / np.diagonal(self.inertia, axis1=1, axis2=2)
        return out

    @cached_property
    def movable_rows(self) -> Indices | slice:
        """`movable`, as a slice where the movable bodies follow one another: rows need not be copied then."""
        return as_slice(self.movable)

    @cached_property
    def matrix(self) -> MassMatrix:
        """H with its inverse, made once."""
        return mass_matrix(self.H)


def _free_nodes(model: Model, first: int) -> tuple[Indices, Indices]:
    """The free nodes, and the column of each velocity of all nodes, from `first` on, -1 where it is known."""
    is_free = np.ones(model.node_count, dtype=bool)
    for held in model.held:
        is_free[held.nodes] = False
    free = np.flatnonzero(is_free)
    column = np.full((model.node_count, 3), -1, dtype=np.int64)
    column[free] = first + np.arange(3 * len(free)).reshape(-1, 3)
    return free, column.reshape(-1)


def _mass_matrix(mass: Array, inertia: Array) -> Csr:
    """Block diagonal; zeros of the inertia tensors are not stored."""
    blocks, n = np.zeros((len(mass), 6, 6)), 6 * len(mass)
    blocks[:, np.arange(3), np.arange(3)] = mass[:, None]
    blocks[:, 3:, 3:] = inertia
    body, row, column = np.nonzero(blocks)
    indptr = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(np.bincount(6 * body + row, minlength=n), out=indptr[1:])
    return assembled(blocks[body, row, column], (6 * body + column).astype(np.int32), indptr, (n, n))
