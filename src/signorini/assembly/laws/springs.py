"""Compliance and damping: a spring with a damper in the place of a rigid contact.

A spring of compliance e [m/N] with a damper d [N s/m] beside it (Kelvin and Voigt) is compressed by epsilon. Its force
at the end of the step, implicit so that no stiffness is too large for the step, is

    lambda / h = epsilon' / e + d rate,        epsilon' = epsilon + h rate.

With y the speed at which the ends part without the spring's doing (opening, sliding, plastic flow), `rate = y - u`.
Solved for y this is the row of the contact problem

    y = u - b + E lambda,      b = epsilon / (h + d e),      E = e / (h^2 + h d e)

so that `d = 0` gives `b = epsilon / h` and `E = e / h^2`, the matrix E of [MangoniTasora, eq. 39] in the units of
impulse and velocity, and `e -> 0` the rigid row. A contact that is still open, `epsilon < 0`, is damped from when it
closes: there b is that of d = 0.

The implicit step damps by itself: a mass on such a contact turns at `atan(omega h) / h` with a damping ratio of about
`omega h / 2`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.state import State


def compliance(e: Array, d: Array, h: float) -> Array:
    """E [m/(s N s)]."""
    return np.asarray(e / (h * h + h * d * e))


def normal_offset(snapshot: ContactSnapshot) -> Array:
    """b of normal rows [m/s], shape (contacts,)."""
    laws, h = snapshot.laws, snapshot.h
    epsilon = -snapshot.gap
    pressed = snapshot.bonded | (epsilon > 0)
    b = epsilon / np.where(pressed, h + laws.damping * laws.compliance, h)
    return np.where(laws.compliance > 0, b, np.minimum(b, snapshot.fastest))


def tangential_offset(snapshot: ContactSnapshot) -> Array:
    """b of tangent rows [m/s], shape (contacts, 2): the spring pulls its shear back."""
    laws = snapshot.laws
    time = snapshot.h + laws.tangential_damping * laws.tangential_compliance
    return np.asarray(-snapshot.memory.shear / time[:, None])


def turned(memory: LawMemory, contacts: Contacts, state: State, h: float) -> LawMemory:
    """The memory with the shears turned as their contacts turn about the normal: by the mean of the two bodies."""
    if not memory.shear.any():
        return memory
    spin = rotate(state.orientation, state.angular_velocity)
    mean = 0.5 * (spin[contacts.body_a] + spin[contacts.body_b])
    angle = h * (mean * contacts.normal).sum(axis=1)
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = memory.shear.T
    return replace(memory, shear=np.column_stack((cosine * x - sine * y, sine * x + cosine * y)))
