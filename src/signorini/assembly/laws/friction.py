"""Static and kinetic friction: which coefficient acts.

A contact that slips faster than a limit at the beginning of the step slides and has the kinetic coefficient; any other
has the static one. A pull that grows at a constant rate and exceeds static friction makes a contact slip at a speed
that grows with the square of time. So the limit goes with h^2, and what it delays a breakaway by goes with h:

    limit = stick_speed min(1, (h / 5 ms)^2)

Contacts that stick do so to the tolerance of the solver, which at these steps is far below that.
"""

from __future__ import annotations

import numpy as np

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.math.sparse import Array

LONGEST_STEP = 5e-3
"""Step [s] from which on `stick_speed` is the limit itself."""


def coefficients(snapshot: ContactSnapshot) -> tuple[Array, Array]:
    """mu along and across the grain [-], both of shape (contacts,); equal where there is none."""
    laws = snapshot.laws
    speed = np.sqrt((snapshot.slip[:, 1:] ** 2).sum(axis=1))
    limit = laws.stick_speed * min(1.0, (snapshot.h / LONGEST_STEP) ** 2)
    along = np.where(speed > limit, laws.friction, laws.static_friction)
    share = np.divide(along, laws.friction, out=np.ones_like(along), where=laws.friction > 0)
    return along, np.where(laws.grain < 0, along, laws.cross_friction * share)
