"""Contacts of flexible bodies that show only at the end of a step.

Detection leaves out points that are beyond the margin and not the nearest of their body: they would push sideways for
no reason. A body that turns or bends in the step may bring such a point in. Where something overlaps at the end of a
step that was not among its contacts, detection at the beginning is repeated for these points, however far they were;
those that the velocities of the step bring in join the contacts, and it is solved again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.math.sparse import Indices
from signorini.model.state import State
from signorini.stepping.new_contacts import approach, merged

SUNK = 1e-2
"""Overlaps below this share of the smallest margin of flexible bodies are left to the next step."""
TURNED = 1e-2
"""Angle [rad] from which a rigid body counts as turning in a step."""
FEATURE = 21
"""Bits of one of the two features in an identity, the second of which ends there too."""


@dataclass(frozen=True, eq=False)
class LateContacts:
    """Finds contacts of flexible bodies that were missing in a step."""

    detector: Detector
    margin: float
    """Smallest envelope of flexible bodies at rest [m]."""

    def add_to(self, contacts: Contacts, start: State, end: State, h: float) -> Contacts | None:
        """`contacts` and those that overlap at the `end` of a step of h without; None if there are none."""
        way = self._way(end, h)
        if way <= self.margin and h * float(np.abs(end.angular_velocity).max(initial=0.0)) < TURNED:
            return None
        found = self.detector.detect(end, 0.0)
        late = self._fresh(found, contacts) & (found.gap < -SUNK * self.margin)
        if not late.any():
            return None
        velocities = {name: getattr(end, name) for name in ("velocity", "angular_velocity", "node_velocity")}
        moving = replace(start, **velocities)
        before = self.detector.detect(moving, h, wider=way)
        closing = self._fresh(before, contacts) & (before.gap + h * approach(before, moving) < -SUNK * self.margin)
        chosen = closing & _share_a_feature(before, found.taken(late))
        return merged(contacts, before.taken(chosen)) if chosen.any() else None

    def _way(self, end: State, h: float) -> float:
        """Largest approach of two points in the step [m], without rotations of rigid bodies."""
        nodes, bodies = (np.linalg.norm(v, axis=1).max(initial=0.0) for v in (end.node_velocity, end.velocity))
        return 2.0 * h * max(float(nodes), float(bodies))

    @staticmethod
    def _fresh(found: Contacts, known: Contacts) -> NDArray[np.bool_]:
        """Which contacts of flexible bodies are not known."""
        fresh = ~np.isin(found.identity, known.identity)
        fresh[: found.rigid] = False
        return fresh


def _share_a_feature(some: Contacts, others: Contacts) -> NDArray[np.bool_]:
    """Which of `some` are between the bodies of one of the `others`, with the same point, face or edge of one."""
    shared = np.zeros(some.count, dtype=bool)
    for shift in (0, FEATURE):
        keys = [_keys(contacts, shift) for contacts in (some, others)]
        shared |= np.array([key in set(keys[1]) for key in keys[0]], dtype=bool)
    return shared


def _keys(contacts: Contacts, shift: int) -> list[tuple[int, int, int]]:
    feature: Indices = (contacts.identity >> (2 * FEATURE - shift)) & ((1 << FEATURE) - 1)
    return list(zip(contacts.body_a.tolist(), contacts.body_b.tolist(), feature.tolist(), strict=True))
