"""Forces along coordinates, with their derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.math.sparse import Array
from signorini.model.component import ForceTerm
from signorini.model.coordinate import Coordinate, columns_in
from signorini.model.curvature import curvature
from signorini.model.state import State


def rates(coordinate: Coordinate, jacobian: Array, state: State) -> Array:
    """ds/dt of coordinates between the same two bodies as `coordinate`, from their derivatives over its columns."""
    return np.asarray(jacobian @ state.velocities[coordinate.columns])


def force_term(
    coordinates: Sequence[Coordinate], jacobian: Array, state: State, effort: Array, stiffness: Array, damping: Array
) -> ForceTerm:
    """`F = J' f` of efforts f along coordinates s between the same two bodies.

    With `K = -df/ds`, `R = -df/ds'` and T the curvature of the coordinates:
    `dF/dv = -J' R J` and `dF/dq = -J' K J - J' R d(J v)/dq + sum_i f_i T_i`.

    Parameters
    ----------
    jacobian
        J over the columns of the coordinates, shape (m, columns).
    effort, stiffness, damping
        f of shape (m,), K and R of shape (m, m).
    """
    first = coordinates[0]
    kept = columns_in(first.a, first.b)
    bends = np.stack([curvature(c, state)[kept, kept] for c in coordinates])
    moving = np.einsum("ijk,j->ik", bends, state.velocities[first.columns])
    dq = -jacobian.T @ (stiffness @ jacobian + damping @ moving) + np.einsum("i,ijk->jk", effort, bends)
    return ForceTerm(first.columns, jacobian.T @ effort, dq, -jacobian.T @ damping @ jacobian)
