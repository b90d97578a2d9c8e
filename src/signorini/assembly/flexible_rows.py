"""Rows of contacts in which flexible bodies take part."""

from __future__ import annotations

import numpy as np

from signorini.assembly.masses import Masses
from signorini.collision.contacts import Contacts
from signorini.kernels.skin import jacobian as skin_jacobian
from signorini.math.sparse import Array, Csr, assembled
from signorini.model.state import State


def flexible_rows(state: State, contacts: Contacts, masses: Masses) -> tuple[Csr, Array]:
    """D of the last contacts, those of flexible bodies, and the slip due to known velocities [m/s], 3 per contact.

    The velocity of a point of a face is the mean of those of its corners, weighted by the shape functions there, so the
    impulse goes to the corners by the same weights, which conserves momentum and torque.
    """
    first, count = contacts.rigid, len(contacts.sides.nodes)
    bodies = np.column_stack((contacts.body_a[first:], contacts.body_b[first:]))
    points = np.ascontiguousarray(np.stack((contacts.point_a[first:], contacts.point_b[first:]), axis=1))
    most = 3 * count * skin_jacobian.MOST
    indptr, slip = np.zeros(3 * count + 1, dtype=np.int32), np.empty(3 * count)
    indices, data = np.empty(most, dtype=np.int32), np.empty(most)
    used = skin_jacobian.fill(
        (bodies, points, contacts.sides.nodes, contacts.sides.weights), np.ascontiguousarray(contacts.normal[first:]),
        (state.position, state.orientation), masses.column, state.velocities, len(state.position),
        indptr, indices, data, slip,
    )  # fmt: skip
    shape = (3 * count, masses.velocities)
    return assembled(data[:used].copy(), indices[:used].copy(), indptr, shape), slip
