"""Degrees of freedom of a mechanism, and which of its joints say the same thing twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.assembly.dynamics import Dynamics
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.solvers.saddle.system import row_scales, scaled_rows

DEPENDENT = 1e-9
"""A row is implied by others when less than this share of it is left without them."""
OPEN = 1e-6
"""Joint errors above this count [m, rad]."""


@dataclass(frozen=True)
class Mobility:
    """What the joints of a model leave free at one state."""

    bodies: int
    movable: int
    """Bodies that the joints and forces can move."""
    velocities: int
    """Unknown velocities, 6 per movable body."""
    rows: int
    """Scalar constraints of all joints and prescribing motors."""
    rank: int
    """Independent ones."""
    redundant: dict[str, int]
    """Joint -> how many of its rows the joints before it imply."""
    open: dict[str, float]
    """Joint -> error [m, rad], of those that are not closed at this state."""
    contradicting: tuple[str, ...]
    """Joints that ask for velocities that those before them forbid."""

    @property
    def degrees_of_freedom(self) -> int:
        """Independent velocities that are left; at a singular position more than elsewhere."""
        return self.velocities - self.rank

    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "bodies": self.bodies,
            "movable_bodies": self.movable,
            "velocities": self.velocities,
            "constraint_rows": self.rows,
            "rank": self.rank,
            "degrees_of_freedom": self.degrees_of_freedom,
            "redundant_rows": self.rows - self.rank,
            "redundant_joints": self.redundant,
            "open_joints": self.open,
            "contradicting_joints": list(self.contradicting),
        }


def mobility(model: Model, state: State | None = None) -> Mobility:
    """Count degrees of freedom and redundant rows at a state, by default that at t = 0."""
    state = model.initial_state() if state is None else state
    dynamics = Dynamics(model, state)
    joints = dynamics.constraints(state)
    scale = row_scales(dynamics.M, joints.C)
    implied, clash = _walk(_whitened(dynamics, joints.C, scale), scale * joints.rate)
    redundant: dict[str, int] = {}
    for row in np.flatnonzero(implied):
        name = dynamics.joints.joint_of(int(row))
        redundant[name] = redundant.get(name, 0) + 1
    loose: dict[str, float] = {}
    for row in np.flatnonzero(np.abs(joints.error) > OPEN):
        name = dynamics.joints.joint_of(int(row))
        loose[name] = max(loose.get(name, 0.0), float(abs(joints.error[row])))
    return Mobility(
        bodies=len(model.bodies),
        movable=len(dynamics.masses.movable),
        velocities=dynamics.size,
        rows=dynamics.joints.rows,
        rank=int(len(implied) - implied.sum()),
        redundant=redundant,
        open=loose,
        contradicting=tuple(dict.fromkeys(dynamics.joints.joint_of(int(row)) for row in np.flatnonzero(clash))),
    )


def _whitened(dynamics: Dynamics, C: Any, scale: Array) -> Array:
    """Rows of C in the metric of the masses, of length about one, dense."""
    root = 1.0 / np.sqrt(dynamics.M.diagonal())
    return np.asarray(scaled_rows(C, scale).toarray() * root)


def _walk(A: Array, b: Array) -> tuple[Array, Array]:
    """Go through the rows `A v + b = 0`: which are implied by those before them, and which of these contradict them."""
    basis = np.zeros((min(A.shape), A.shape[1]))
    at_basis = np.zeros(len(basis))
    implied, clash = np.zeros(len(A), dtype=bool), np.zeros(len(A), dtype=bool)
    count, speed = 0, max(float(np.abs(b).max(initial=0.0)), 1e-300)
    for k, row in enumerate(A):
        length = float(np.linalg.norm(row))
        left, value = row.copy(), float(b[k])
        for _ in range(2):  # twice is enough for orthogonality to round-off
            along = basis[:count] @ left
            left, value = left - along @ basis[:count], value - float(along @ at_basis[:count])
        rest = float(np.linalg.norm(left))
        if rest <= DEPENDENT * length or count == len(basis):
            implied[k], clash[k] = True, abs(value) > 1e-6 * speed
        else:
            basis[count], at_basis[count] = left / rest, value / rest
            count += 1
    return implied, clash
