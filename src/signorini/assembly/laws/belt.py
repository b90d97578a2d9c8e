"""Surfaces that move over their bodies: conveyor belts.

A point of the surface moves with its body and with the body's `surface_velocity` s, which is fixed in the body's frame.
The slip of a contact is then `u_t + (R_a s_a - R_b s_b)_t`; the second part is known and goes to b. Along the normal a
belt does nothing.
"""

from __future__ import annotations

import numpy as np

from signorini.assembly.frames import contact_frames
from signorini.assembly.laws.sides import sum_over_sides
from signorini.collision.contacts import Contacts
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State


def surface_velocities(model: Model) -> Array | None:
    """Of all bodies, in their frames [m/s], shape (bodies, 3); None where none has any."""
    speeds = model.bodies.each(lambda body: body.surface_velocity).reshape(-1, 3)
    return speeds if speeds.any() else None


def belt_slip(speeds: Array | None, contacts: Contacts, state: State) -> Array:
    """Slip along (t1, t2) that belts cause [m/s], shape (contacts, 2)."""
    if speeds is None or not contacts.count:
        return np.zeros((contacts.count, 2))
    relative = sum_over_sides(rotate(state.orientation, speeds), contacts, -1.0)
    return np.asarray(np.einsum("ckj,cj->ck", contact_frames(contacts.normal)[:, 1:], relative))
