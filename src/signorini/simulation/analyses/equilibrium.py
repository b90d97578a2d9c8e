"""What statics finds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.assembly.dynamics import Dynamics
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.solution import Status

CLOSED = 1e-10
"""Joint errors allowed [m, rad]."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state in which all forces balance."""

    state: State
    """At rest."""
    joint_force: Array
    """Of each row of the joints [N, N m]."""
    imbalance: float
    """Largest force or torque that nothing balances [N, N m]."""
    residual: float
    """The same relative to the forces that act [-]."""
    joint_error: float
    """[m, rad]."""
    iterations: int
    status: Status
    unbalanced: str
    """Body with that imbalance, empty when there is none."""
    round_off: float = 0.0
    """Imbalance that round-off of the positions alone can make, at most [N, N m]."""
    stable: bool | None = None
    """Whether small motions about it do not grow; None where that was not looked at."""
    contacts: Contacts = field(default_factory=Contacts.empty)
    """That carry load, or could (hard contact)."""
    contact_force: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """On body a along (normal, t1, t2) of each contact [N], shape (contacts, 3)."""


def owner(dynamics: Dynamics, row: int) -> str:
    """Name of the body that an unknown belongs to."""
    masses, model = dynamics.masses, dynamics.model
    if row < 6 * len(masses.movable):
        return model.bodies[int(masses.movable[row // 6])].name
    node = int(masses.free[(row - 6 * len(masses.movable)) // 3])
    return next(body.name for body in model.flexibles if body.first <= node < body.first + body.count)


def displacement_scales(dynamics: Dynamics, state: State) -> Array:
    """What displacements of the unknowns are measured against: 1 rad, or the size of the model [m], shape (n,)."""
    k = np.arange(dynamics.size)
    turning = (k < 6 * len(dynamics.masses.movable)) & (k % 6 >= 3)
    return np.where(turning, 1.0, _extent(dynamics.model, state))


def _extent(model: Model, state: State) -> float:
    """A length of the model [m]: how far apart its bodies and nodes are, or the radius of its largest body; else 1."""
    points = np.concatenate((state.position, state.node_position))
    spread = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    radii = (placed.shape.bounding_radius() for body in model.bodies if body.movable for placed in body.shapes)
    size = max([spread, *(radius for radius in radii if np.isfinite(radius))])
    return size if size > 0.0 else 1.0
