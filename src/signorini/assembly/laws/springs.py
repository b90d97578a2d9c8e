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
`omega h / 2`. Steps to second order take the normal spring where they take others (see
`assembly.stiff_forces`), at the compression `epsilon + h (a rate - b rate_0)` with the rate before the step and a + b
at least 1/2, which makes

    b = (epsilon - b h rate_0) / (a h + d e),      E = e / (a h^2 + h d e).

With a = b = 1/4 a ball leaves an undamped contact as fast as it came; a contact too stiff for the step, (omega h)^2 = 1
and more with the mobility of its bodies along the normal, has a = 1, b = 0, and so have springs that yield. Where a
model has springs by Hertz's law or in shear, or bonds, all its springs have.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.memory import LawMemory
from signorini.assembly.laws.sides import sum_over_sides
from signorini.collision.contacts import Contacts
from signorini.kernels.bodies import contact_jacobian
from signorini.kernels.threads.team import team
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.state import State

SLOW, FAST = 0.25, 1.0
"""Squares of frequency times step: contacts up to the first keep their energy, from the second on they are damped."""


def compliance(e: Array, d: Array, h: float, late: Array | float = 1.0) -> Array:
    """E [m/(s N s)]; `late` is a, see above."""
    return np.asarray(e / (late * h * h + h * d * e))


def places(snapshot: ContactSnapshot) -> tuple[Array, Array]:
    """a and b of each normal spring [-], shapes (contacts,)."""
    laws, none = snapshot.laws, np.zeros(snapshot.count)
    if snapshot.mobility is None:
        return none + 1.0, none
    plain = (laws.compliance > 0) & np.isinf(laws.yield_force)
    square = np.divide(snapshot.h**2 * snapshot.mobility, laws.compliance, out=none + FAST, where=plain)
    late = np.clip((square - SLOW) / (FAST - SLOW), 0.0, 1.0)
    return 0.25 + 0.75 * late, 0.25 - 0.25 * late


def offsets(snapshot: ContactSnapshot) -> Array:
    """b along (normal, t1, t2) [m/s], shape (contacts, 3).

    Springs push back what compresses them and pull their shear back; rigid contacts follow the bend of their paths.
    """
    laws, h, bend = snapshot.laws, snapshot.h, snapshot.bend
    epsilon = -snapshot.gap
    pressed = snapshot.bonded | (epsilon > 0)
    out = np.empty((snapshot.count, 3))
    contact_jacobian.offsets(team(snapshot.count), snapshot.gap, h, snapshot.fastest, out)
    if bend is not None:
        many = team(snapshot.count)
        contact_jacobian.bent_offsets(many, snapshot.gap, bend.rows, snapshot.slip, h, snapshot.fastest, out)
    soft, shears = laws.compliance > 0, laws.tangential_compliance > 0
    late, early = places(snapshot)
    compression = epsilon + h * early * snapshot.slip[:, 0]
    time = h * late + np.where(pressed, laws.damping * laws.compliance, 0.0)
    out[:, 0] = np.where(soft, compression / time, out[:, 0])
    time = h + laws.tangential_damping * laws.tangential_compliance
    out[:, 1:] = np.where(shears[:, None], -snapshot.memory.shear / time[:, None], out[:, 1:])
    return out


def turned(memory: LawMemory, contacts: Contacts, state: State, h: float) -> LawMemory:
    """The memory with the shears turned as their contacts turn about the normal: by the mean of the two bodies.

    The spin of flexible bodies, whose indices follow those of rigid ones, does not count.
    """
    if not memory.shear.any():
        return memory
    mean = 0.5 * sum_over_sides(rotate(state.orientation, state.angular_velocity), contacts, 1.0)
    angle = h * (mean * contacts.normal).sum(axis=1)
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = memory.shear.T
    return replace(memory, shear=np.column_stack((cosine * x - sine * y, sine * x + cosine * y)))
