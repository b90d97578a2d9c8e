"""Contacts of the beginning of a step where its end will be."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contacts import Contacts, NodeSides
from signorini.collision.detector import Detector
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Indices
from signorini.model.state import State

STILL = 1e-6
"""Contacts that move by less than this share of the margin are where they were."""


@dataclass(frozen=True, eq=False)
class ContactsAhead:
    """The same contacts, moved on."""

    contacts: Contacts
    """Points and normals there; gaps are those of the beginning."""
    gap: Array
    """There [m], shape (contacts,)."""


def contacts_ahead(contacts: Contacts, start: State, ahead: State, detector: Detector, margin: float) -> ContactsAhead:
    """Points move with their bodies; contacts within the margin at both ends are detected anew, as curves ask for."""
    if not contacts.count:
        return ContactsAhead(contacts, contacts.gap)
    sides = [moved_points(contacts, start, ahead, side) for side in (0, 1)]
    points, ways = [point for point, _ in sides], [way for _, way in sides]
    gap = contacts.gap + (contacts.normal * (ways[0] - ways[1])).sum(axis=1)
    moved = replace(contacts, point_a=points[0], point_b=points[1])
    lasting = (np.abs(contacts.gap) < margin) & (gap > -margin)
    far = max(float(np.abs(way).max(initial=0.0)) for way in ways)
    if not lasting.any() or far < STILL * margin:
        return ContactsAhead(moved, gap)
    found = detector.detect(ahead, 0.0)
    return with_found(moved, gap, lasting, found, margin)


def with_found(
    moved: Contacts, gap: Array, lasting: NDArray[np.bool_], found: Contacts, margin: float
) -> ContactsAhead:
    """Lasting contacts as they were found."""
    if not found.count:
        return ContactsAhead(moved, gap)
    order = np.argsort(found.identity, kind="stable")
    at = np.minimum(np.searchsorted(found.identity[order], moved.identity), found.count - 1)
    source = order[at]
    same = lasting & (found.identity[source] == moved.identity) & (found.gap[source] > -margin)
    source = source[same]
    parts = {name: getattr(moved, name).copy() for name in ("point_a", "point_b", "normal")}
    for name, values in parts.items():
        values[same] = getattr(found, name)[source]
    gap = gap.copy()
    gap[same] = found.gap[source]
    sides = _sides(moved, found, np.flatnonzero(same), source)
    return ContactsAhead(replace(moved, **parts, sides=sides), gap)


def _sides(moved: Contacts, found: Contacts, target: Indices, source: Indices) -> NodeSides:
    flexible = target >= moved.rigid
    if not flexible.any():
        return moved.sides
    to, origin = target[flexible] - moved.rigid, source[flexible] - found.rigid
    nodes, weights, rolling = (getattr(moved.sides, name).copy() for name in ("nodes", "weights", "rolling"))
    for values, name in ((nodes, "nodes"), (weights, "weights"), (rolling, "rolling")):
        values[to] = getattr(found.sides, name)[origin]
    return NodeSides(nodes, weights, rolling)


def moved_points(contacts: Contacts, start: State, ahead: State, side: int) -> tuple[Array, Array]:
    """Contact points of one side after the way of their bodies, and that way [m], shape (contacts, 3) each."""
    body = contacts.body_b if side else contacts.body_a
    point = contacts.point_b if side else contacts.point_a
    new = point.copy()
    of_body = np.flatnonzero(body < len(start.position))
    i = body[of_body]
    arm = rotate(conjugate(start.orientation[i]), point[of_body] - start.position[i])
    new[of_body] = ahead.position[i] + rotate(ahead.orientation[i], arm)
    nodes, weights = contacts.sides.nodes[:, side], contacts.sides.weights[:, side]
    soft = np.flatnonzero((nodes >= 0).any(axis=1))
    if len(soft):
        way = ahead.node_position - start.node_position
        new[contacts.rigid + soft] += np.einsum("km,kmi->ki", weights[soft], way[nodes[soft]])
    return new, np.asarray(new - point)
