"""Static and kinetic friction: which coefficient acts.

A contact that slips faster than `stick_speed` at the beginning of the step slides and has the kinetic coefficient; any
other has the static one.
"""

from __future__ import annotations

import numpy as np

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.math.sparse import Array


def coefficients(snapshot: ContactSnapshot) -> tuple[Array, Array]:
    """mu along and across the grain [-], both of shape (contacts,); equal where there is none."""
    laws = snapshot.laws
    speed = np.sqrt((snapshot.slip[:, 1:] ** 2).sum(axis=1))
    along = np.where(speed > laws.stick_speed, laws.friction, laws.static_friction)
    share = np.divide(along, laws.friction, out=np.ones_like(along), where=laws.friction > 0)
    return along, np.where(laws.grain < 0, along, laws.cross_friction * share)
