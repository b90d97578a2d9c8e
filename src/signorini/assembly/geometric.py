"""How the directions of joint forces change with the configuration."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.assembly.dynamics import Dynamics
from signorini.math.rotations import exponential, multiply
from signorini.math.sparse import Array, Csr
from signorini.model.component import Joint
from signorini.model.state import State

DIFFERENCE = 1e-6
"""Displacement of central differences [m, rad]: their error and round-off are both near 1e-10."""


def geometric_stiffness(dynamics: Dynamics, state: State, multipliers: Array) -> Csr:
    """d (C' lambda) / d displacement over the unknowns, by central differences joint by joint."""
    rows, columns, values = [], [], []
    place = dynamics.masses.column
    for k, joint in enumerate(dynamics.joints.joints):
        lam = multipliers[dynamics.joints.start[k] : dynamics.joints.start[k + 1]]
        if not lam.any():
            continue
        touched = joint.rows(state).columns
        free = touched[place[touched] >= 0]
        for column in free:
            change = _directions(joint, state, int(column), lam)
            keep = place[touched] >= 0
            rows.append(place[touched][keep])
            columns.append(np.full(int(keep.sum()), place[column]))
            values.append(change[keep])
    n = dynamics.size
    if not rows:
        return Csr((n, n))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return Csr(sp.coo_array(entries, shape=(n, n)))


def _directions(joint: Joint, state: State, column: int, lam: Array) -> Array:
    there, back = (joint.rows(nudged(state, column, sign * DIFFERENCE)) for sign in (1.0, -1.0))
    return np.asarray((there.jacobian - back.jacobian).T @ lam / (2.0 * DIFFERENCE))


def nudged(state: State, column: int, amount: float) -> State:
    """The state with one velocity column (see `model.component`) followed for a small way [m, rad]."""
    new = state.copy()
    body, axis = divmod(column, 6)
    if body >= len(state.position):
        node, axis = divmod(column - 6 * len(state.position), 3)
        new.node_position[node, axis] += amount
    elif axis < 3:
        new.position[body, axis] += amount
    else:
        new.orientation[body] = multiply(new.orientation[body], exponential(amount * np.eye(3)[axis - 3]))
    return new
