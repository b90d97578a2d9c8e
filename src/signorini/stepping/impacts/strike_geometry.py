"""Contacts at the instant when bodies strike.

A contact that is found far ahead has the normal of the beginning of the step; by the time it closes, bodies that pass
one another have turned it. Where that matters, contacts are detected once more at the instant of the blow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.displace import Displacer
from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.stepping.impacts.instants import Approach
from signorini.stepping.nonsmooth_alpha.contacts_ahead import moved_points, with_found

SIDEWAYS = 0.01
"""Contacts whose bodies pass one another by less than this share of the smallest margin, which is 2 % of the smallest
size, keep their normals."""


@dataclass(frozen=True, eq=False)
class Strike:
    """The instant of the blow that passes farthest sideways."""

    state: State
    """There."""
    contacts: Contacts
    """All contacts, in the same order, with the points and normals there and the gaps that are left."""
    seen: NDArray[np.bool_]
    """Contacts that were found there, shape (contacts,)."""
    share: float
    """Of the step until then [-]."""


@dataclass(frozen=True, eq=False)
class StrikeGeometry:
    """Detects contacts where they strike."""

    detector: Detector
    displacer: Displacer
    margin: float
    """Smallest distance within which contacts are sought [m]."""

    def at(
        self, state: State, snapshot: ContactSnapshot, velocity: Array, kick: Array, approach: Approach
    ) -> Strike | None:
        """The contacts at the instant of a blow; None where normals stay what they are.

        `velocity` and `kick`, the change of it by the forces of the step, are those of the unknowns, shape (n,).
        """
        h, laws = snapshot.h, snapshot.laws
        shares = approach.shares(np.ones(snapshot.count, dtype=np.bool_), h)
        strikes = (laws.restitution > 0) & (approach.speed < -laws.rest_speed) & (shares < 1.0) & (snapshot.gap > 0.0)
        strikes[snapshot.contacts.rigid :] = False  # flexible bodies strike at the beginning of the step
        sideways = np.where(strikes, shares * h * np.linalg.norm(snapshot.slip[:, 1:], axis=1), 0.0)
        k = int(np.argmax(sideways))
        if sideways[k] <= SIDEWAYS * self.margin:
            return None
        share = float(shares[k])
        way = share * h * (velocity + (approach.lag + 0.5 * share) * kick)
        there = self.displacer.move(state, way, velocity, state.time + share * h)
        old = snapshot.contacts
        points = [moved_points(old, state, there, side)[0] for side in (0, 1)]
        moved = replace(old, point_a=points[0], point_b=points[1])
        found = self.detector.detect(there, 0.0)
        seen = np.isin(old.identity, found.identity) & (shares < 1.0)
        ahead = with_found(moved, old.gap, seen, found, np.inf)
        return Strike(there, replace(ahead.contacts, gap=ahead.gap), seen, share)
