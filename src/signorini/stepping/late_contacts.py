"""Contacts of flexible bodies that show only at the end of a step.

Detection leaves out points that are beyond the margin and not the nearest of their body: they would push sideways for
no reason. A body that turns or bends in the step may bring such a point in. Where something overlaps at the end of a
step that was not among its contacts, detection at the beginning is repeated for these points, however far they were;
those that the velocities of the step bring in join the contacts, and it is solved again.

A point that slides in a dent from one face to the next is beside the second one until it is in it, and cannot be found
at the beginning. Its contact is taken from the end [Mangoni2018, eq. 3.26]: normal and shares are those there, and the
gap is what makes its row exact for the last answer v, `Phi + h D v = gap at the end`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts
from signorini.collision.detector import Detector
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Indices
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
        if way <= SUNK * self.margin and h * float(np.abs(end.angular_velocity).max(initial=0.0)) < TURNED:
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
        late &= ~np.isin(found.identity, before.identity[chosen])
        taken = before.taken(chosen).joined(_brought_back(found.taken(late), start, moving, end, h))
        return merged(contacts, taken) if taken.count else None

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


def _brought_back(late: Contacts, start: State, moving: State, end: State, h: float) -> Contacts:
    """Contacts of the end of a step, their points where they were at its beginning."""
    sides = (late.body_a, late.point_a), (late.body_b, late.point_b)
    points = [_at_start(late, k, *side, start, end) for k, side in enumerate(sides)]
    weights = late.sides.weights.copy()
    for i in range(late.count):
        _face_each_other(late.normal[i], late.sides.nodes[i], weights[i], (points[0][i], points[1][i]), start)
    there = replace(late, point_a=points[0], point_b=points[1], sides=replace(late.sides, weights=weights))
    return replace(there, gap=late.gap - h * approach(there, moving))


def _face_each_other(n: Array, nodes: Indices, weights: Array, points: tuple[Array, Array], start: State) -> None:
    """Move the points of a contact along their faces, in place, until the line from one to the other is along n.

    Shares change as little as they can, on rigid bodies the point moves: forces along n then turn nothing.
    """
    off = points[0] - points[1]
    off = off - (off @ n) * n
    # Shares of both sides, each of which has the sum 1; points of rigid sides follow if nodes cannot.
    used = nodes >= 0
    sides, places = np.nonzero(used)
    places_of = start.node_position[nodes[used]].T
    ways = np.where(sides == 0, 1.0, -1.0) * (places_of - np.outer(n, n @ places_of))
    sums = np.stack([(sides == side).astype(np.float64) for side in (0, 1)])
    change = np.linalg.lstsq(np.vstack((ways, sums)), np.concatenate((-off, np.zeros(2))), rcond=1e-9)[0]
    if np.linalg.norm(sums @ change) > 1e-9:
        change[:] = 0.0
    weights[sides, places] += change
    for side in (0, 1):
        points[side][:] += places_of[:, sides == side] @ change[sides == side]
    left = points[0] - points[1]
    left = left - (left @ n) * n
    rigid = [side for side in (0, 1) if not used[side].any()]
    if rigid:
        points[rigid[0]][:] += left if rigid[0] == 1 else -left


def _at_start(late: Contacts, side: int, body: Indices, point: Array, start: State, end: State) -> Array:
    """Where points of one side of contacts of flexible bodies, fixed to what they belong to, were [m]."""
    out, bodies = point.copy(), len(start.position)
    solid = body < bodies
    k = body[solid]
    lever = rotate(conjugate(end.orientation[k]), point[solid] - end.position[k])
    out[solid] = start.position[k] + rotate(start.orientation[k], lever)
    nodes, weights = late.sides.nodes[:, side][~solid], late.sides.weights[:, side][~solid]
    out[~solid] += np.einsum("km,kmi->ki", weights, start.node_position[nodes] - end.node_position[nodes])
    return out


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
