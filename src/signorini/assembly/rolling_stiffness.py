"""Stiffness of contacts that roll over faces: their points move when a face tilts.

A face that tilts by a slope b on a round body of radius r touches it r b farther along, so that the contact force p
resists with a moment p r b. Where faces are coarse and soft, this outweighs their own stiffness; left out of the
linearised step, it makes faces rock to and fro. So H gets, as for any force with a derivative,

    h^2 (p r) J'J,    with the slope rate `J v = sum grad N_i (n . v_i) - n x w`

of the face against the spin w of the body, and p from the last step. It vanishes when both turn together, so momentum
is kept, and at rest, so equilibria stay where they are.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.assembly.masses import Masses
from signorini.collision.contacts import Contacts
from signorini.math.rotations import cross_matrix, matrix
from signorini.math.sparse import Array, Csr, Indices
from signorini.model.state import State


def rolling_terms(
    state: State, contacts: Contacts, pressed: Array, masses: Masses, h: float
) -> tuple[Csr, Array] | None:
    """Terms of H, and of the momentum for prescribed velocities; None when nothing rolls.

    Parameters
    ----------
    pressed
        Normal impulses of the last step [N s], shape (contacts,); 0 for new contacts.
    """
    weight = h * pressed[contacts.rigid :] * contacts.sides.rolling
    chosen = np.flatnonzero(weight > 0.0)
    if not len(chosen):
        return None
    momentum, velocity = np.zeros(masses.velocities), state.velocities
    rows, columns, data = [], [], []
    for k in chosen.tolist():
        own, J = _slope_rates(state, contacts, k)
        K = weight[k] * (J.T @ J)
        place = masses.column[own]
        free = place >= 0
        if not free.all():
            momentum[place[free]] -= K[np.ix_(free, ~free)] @ velocity[own[~free]]
        here = place[free]
        rows.append(np.repeat(here, len(here)))
        columns.append(np.tile(here, len(here)))
        data.append(K[np.ix_(free, free)].reshape(-1))
    entries = (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns)))
    return sp.csr_array(entries, shape=(masses.velocities, masses.velocities)), momentum


def _slope_rates(state: State, contacts: Contacts, k: int) -> tuple[Indices, Array]:
    """Columns and J of the k-th contact of flexible bodies: of a triangle, or of an edge along its direction."""
    number = contacts.rigid + k
    nodes = contacts.sides.nodes[k, 0]
    nodes = nodes[nodes >= 0]
    n, body = contacts.normal[number], int(contacts.body_b[number])
    slopes = _gradients(state.node_position[nodes], n)
    J = np.einsum("ia,b->aib", slopes, n).reshape(3, -1)
    columns = (6 * len(state.position) + 3 * nodes[:, None] + np.arange(3)).reshape(-1)
    spin = -cross_matrix(n) @ matrix(state.orientation[body])
    if len(nodes) == 2:
        along = slopes[1] / np.linalg.norm(slopes[1])
        spin = np.outer(along, along @ spin)
    return np.concatenate((columns, 6 * body + 3 + np.arange(3))), np.hstack((J, spin))


def _gradients(x: Array, n: Array) -> Array:
    """Gradients of the shape functions along a triangle or an edge [1/m], shape (nodes, 3)."""
    if len(x) == 2:
        way = x[1] - x[0]
        return np.stack((-way, way)) / float(way @ way)
    normal = np.cross(x[1] - x[0], x[2] - x[0])
    square = max(float(normal @ normal), 1e-300)
    return np.stack([np.cross(normal, x[(i + 2) % 3] - x[(i + 1) % 3]) for i in range(3)]) / square
