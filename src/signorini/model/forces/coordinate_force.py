"""Forces along coordinates, with their derivatives."""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies import curvature as kernels
from signorini.kernels.bodies.coordinates import DOT
from signorini.math.sparse import Array
from signorini.model.component import ForceTerm
from signorini.model.coordinate import Coordinate, Coordinates, columns_in, columns_of
from signorini.model.state import State
from signorini.problem.errors import ModelError


def rates(coordinate: Coordinate, jacobian: Array, state: State) -> Array:
    """ds/dt of coordinates between the same two bodies as `coordinate`, from their derivatives over its columns."""
    return np.asarray(jacobian @ state.velocities[coordinate.columns])


def force_term(
    table: Coordinates,
    jacobian: Array,
    state: State,
    effort: Array,
    stiffness: Array,
    damping: Array,
    elastic: bool = True,
) -> ForceTerm:
    """`F = J' f` of efforts f along coordinates s between the same two bodies; see `kernels.bodies.curvature`.

    Parameters
    ----------
    jacobian
        J over the columns of the coordinates, shape (m, columns).
    effort, stiffness, damping
        f of shape (m,), `K = -df/ds` and `R = -df/ds'` of shape (m, m).
    elastic
        See `ForceTerm`.
    """
    if np.any(table.kind == DOT):
        raise ModelError("there are no springs on cosines: use an angle")
    a, b = (int(body) for body in table.body[0])
    kept, m = columns_in(a, b), len(effort)
    J, force, dq, dv = np.zeros((m, 12)), np.empty(12), np.empty((12, 12)), np.empty((12, 12))
    J[:, kept] = jacobian
    arrays = (state.position, state.orientation, state.velocity, state.angular_velocity)
    kernels.force_term(
        (table.kind, table.axis, table.body, table.point, table.turn), 0, m,
        tuple(np.ascontiguousarray(part) for part in arrays), np.asarray(effort, dtype=np.float64),
        np.ascontiguousarray(stiffness), np.ascontiguousarray(damping), J, force, dq, dv,
    )  # fmt: skip
    return ForceTerm(columns_of(a, b), force[kept], dq[kept, kept], dv[kept, kept], elastic)
