"""Vectors of bodies at the two sides of contacts; flexible bodies, numbered behind the rigid ones, have none."""

from __future__ import annotations

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array


def sum_over_sides(of_bodies: Array, contacts: Contacts, other: float) -> Array:
    """`x[a] + other x[b]` of each contact, from vectors x of the rigid bodies, shape (contacts, 3)."""
    count = len(of_bodies)
    out = np.zeros((contacts.count, of_bodies.shape[1]))
    for body, factor in ((contacts.body_a, 1.0), (contacts.body_b, other)):
        rigid = body < count
        out[rigid] += factor * of_bodies[body[rigid]]
    return out
