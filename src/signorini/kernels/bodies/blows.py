"""Contacts that strike within a step, and what follows for its velocities; see `stepping.impacts.inelastic`."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from signorini.kernels.bodies.contact_jacobian import point_slip, world_vectors
from signorini.kernels.bodies.poses import turn
from signorini.kernels.collision.frames import into_frame, rotation_entries
from signorini.kernels.compile import kernel
from signorini.kernels.linalg.body_graph import root_of

SLOW, NOISE = 0.1, 10.0
"""Contacts that approach by less than this share of what weight changes speeds by in a step, or by so many times what
counts as rest, do not strike."""
MOST = 100
"""Where more contacts than this push, blows are left to two steps: every step of a falling pile would be solved three
times, for paths that the least change makes other ones."""
CLOSES = 0.01
"""Contacts closed in an answer, but for this share of what they approach by in the step, may have struck."""
SEEN = 1e-6
"""Least speed of a support that leaves, as a share of that of the blow."""
CARRIES = 1e-3
"""Supports that carry less than this share of what they would have carried without the blow are left."""
TURNS = 2e-3
"""Normals are looked at where bodies pass one another, if these may turn by so much of the slip over the speed."""
TURNED = 1e-3
"""Normals and levers that turn by less over a step stay what they were [rad]."""


class BlowRules(NamedTuple):
    """Lengths by which blows are told."""

    rest: float
    """Overlaps up to this are those of bodies at rest [m]."""
    closed: float
    """Contacts with gaps up to this may be supports [m]."""
    size: float
    """Of the smallest body [m]."""
    flat: np.ndarray
    """Bodies with the same normal everywhere, always: half-spaces that stay where they are; shape (bodies,)."""


class Touch(NamedTuple):
    """Contacts of rigid bodies."""

    bodies: tuple[np.ndarray, np.ndarray]
    """a and b of each."""
    points: tuple[np.ndarray, np.ndarray]
    """On each of them [m], shape (contacts, 3)."""
    normal: np.ndarray
    gap: np.ndarray


@kernel
def closing_share(gap, slope, bend):
    """Share of the step after which `gap + slope t + bend t^2` is 0, between 0 and 1; 1 where it does not get there."""
    inside = slope * slope - 4.0 * bend * gap
    below = -slope + sqrt(max(inside, 0.0))
    if inside < 0.0 or below <= 0.0:
        return 1.0
    return min(max(2.0 * gap / below, 0.0), 1.0)


@kernel
def _slip(contacts, state, i):
    """Of contact i of rigid bodies along (normal, t1, t2) [m/s]."""
    sides = contacts.bodies[0][i], contacts.bodies[1][i]
    return point_slip(sides, contacts.points, contacts.normal, (state[0], state[1]), (state[2], state[3]), i)


@kernel
def mark(place, gravity, contacts, bend, state, after, impulse, able, h, rules, struck, left):
    """Mark contacts that struck in a step, and supports that may have been left; speed of the fastest blow, 0 without
    any, and whether bodies pass one another so fast that normals may turn.

    Parameters
    ----------
    bend
        Of the gaps in the step [m].
    state, after
        position, orientation, velocity and spin at the beginning of the step; with the velocities of its answer.
    impulse
        Normal impulses [N s].
    able
        Contacts that may strike: hard ones of rigid bodies, found at the beginning of the step.
    """
    fastest, sideways, count = 0.0, False, len(able)
    weight = h * sqrt(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2)
    slowest, pushing = max(SLOW * weight, NOISE * rules.rest / h), 0
    for i in range(count):
        pushing += impulse[i] > 0.0
    if pushing > MOST:
        return 0.0, False
    for i in range(count):
        struck[i] = left[i] = False
        if impulse[i] <= 0.0 or not able[i]:
            continue
        u, one, two = _slip(contacts, state, i)
        fall, side = 0.0, (place[contacts.bodies[0][i]] >= 0) * 1.0 - (place[contacts.bodies[1][i]] >= 0) * 1.0
        for j in range(3):
            fall += side * h * gravity[j] * contacts.normal[i, j]
        # Gaps of curved paths shrink by as much at the end of a step as they have grown at its beginning.
        if -u <= max(abs(fall) + 4.0 * abs(bend[i]) / h, slowest):
            continue
        v, _, _ = _slip(contacts, after, i)
        if contacts.gap[i] + h * v > abs(bend[i]) - CLOSES * h * u:
            continue
        across = (
            0.0 if rules.flat[contacts.bodies[0][i]] or rules.flat[contacts.bodies[1][i]] else one * one + two * two
        )
        struck[i], fastest = True, max(fastest, -u)
        sideways = sideways or across * h > TURNS * rules.size * sqrt(across + u * u)
    for i in range(count if fastest > 0.0 else 0):
        if able[i] and not struck[i] and contacts.gap[i] <= rules.closed:
            v, _, _ = _slip(contacts, after, i)
            left[i] = v > 2.0 * abs(bend[i]) / h + SEEN * fastest
    return fastest, sideways


@kernel
def put_shares(contacts, struck, state, after, h, shares):
    """Share of the step until each contact strikes, on the way of a step to the velocities of `after` without it."""
    for i in range(len(struck)):
        shares[i] = inf
        if struck[i]:
            u, _, _ = _slip(contacts, state, i)
            v, _, _ = _slip(contacts, after, i)
            push = v - u
            shares[i] = closing_share(contacts.gap[i] / h, u + 0.5 * push, 0.5 * push)


@kernel
def reach(place, contacts, tied, shares, one, other, out):
    """out = share of the step until the first blow that reaches each movable body, inf where none does.

    `tied` contacts pass it on, and so do the joints between the movable bodies at the places `one` and `other`.
    """
    parent = np.arange(len(out))
    for k in range(len(one)):
        parent[root_of(parent, one[k])] = root_of(parent, other[k])
    for i in range(len(tied)):
        a, b = place[contacts.bodies[0][i]], place[contacts.bodies[1][i]]
        if tied[i] and a >= 0 and b >= 0:
            parent[root_of(parent, a)] = root_of(parent, b)
    first = np.full(len(out), inf)
    for i in range(len(tied)):
        for k in (place[contacts.bodies[0][i]], place[contacts.bodies[1][i]]):
            if k >= 0:
                root = root_of(parent, k)
                first[root] = min(first[root], shares[i])
    for k in range(len(out)):
        out[k] = first[root_of(parent, k)]


@kernel
def share_of(place, contacts, share, i):
    """Share of the step until the first blow that reaches contact i, inf where none does."""
    out = inf
    for k in (place[contacts.bodies[0][i]], place[contacts.bodies[1][i]]):
        if k >= 0:
            out = min(out, share[k])
    return out


@kernel
def put_instants(place, share, h, state, there):
    """there = poses of all bodies at the instants of the blows that reach them; of others where they are."""
    first = inf
    for k in range(len(share)):
        first = min(first, share[k])
    for i in range(len(place)):
        part = first if place[i] < 0 else share[place[i]]
        way = h * part if part < inf else 0.0
        for j in range(3):
            there[0][i, j] = state[0][i, j] + way * state[2][i, j]
        for j in range(4):
            there[1][i, j] = state[1][i, j]
        half = 0.5 * way
        turn(there[1], i, half * state[3][i, 0], half * state[3][i, 1], half * state[3][i, 2])


@kernel
def lever_turned(contacts, found, state, there, i, k):
    """By how much the levers of contact i are turned where it was found as k [rad]."""
    most = 0.0
    for side in range(2):
        body, change, length = contacts.bodies[side][i], 0.0, 0.0
        for j in range(3):
            lever = contacts.points[side][i, j] - state[0][body, j]
            change += (found.points[side][k, j] - there[0][body, j] - lever) ** 2
            length += lever * lever
        if length > 0.0:
            most = max(most, change / length)
    return sqrt(most)


@kernel
def turn_contacts(place, contacts, identity, struck, share, levers, found, names, state, there, out):
    """out = points and normals of contacts that struck as they were `found` at these instants, if normals turned, or
    if `levers` are asked for and these did.

    Points keep their levers there: bodies are where they are at the beginning of the step. Returns whether any turned.
    """
    any_turned = False
    for i in range(len(struck)):
        k = 0
        while struck[i] and k < len(names) and names[k] != identity[i]:
            k += 1
        if not struck[i] or k == len(names):
            continue
        square = 0.0
        for j in range(3):
            square += (found.normal[k, j] - contacts.normal[i, j]) ** 2
        turned = sqrt(square)
        if levers:
            turned = max(turned, lever_turned(contacts, found, state, there, i, k))
        if turned <= TURNED * share_of(place, contacts, share, i):
            continue
        any_turned = True
        for side in range(2):
            body = contacts.bodies[side][i]
            for j in range(3):
                out.points[side][i, j] = state[0][body, j] + found.points[side][k, j] - there[0][body, j]
        for j in range(3):
            out.normal[i, j] = found.normal[k, j]
    return any_turned


@kernel
def put_push(place, contacts, left, share, carried, kept, push):
    """push = impulses until the blow of the supports that were left, 0 of others; whether there are any.

    `carried` are their impulses in a step without the blow, `kept` the normal ones in the step, shape (contacts, 3) and
    (contacts,). Velocities are those half a step back: so is what made them.
    """
    any_left = False
    for i in range(len(left)):
        own = share_of(place, contacts, share, i)
        counts = left[i] and own < inf and kept[i] <= CARRIES * carried[i, 0] and carried[i, 0] > 0.0
        any_left = any_left or counts
        for j in range(3):
            push[i, j] = (0.5 + own) * carried[i, j] if counts else 0.0
    return any_left


@kernel
def add_push(place, contacts, state, push, momentum):
    """momentum += D' push, 6 per movable body."""
    force = np.empty_like(push)
    world_vectors(contacts.normal, push, force)
    for i in range(len(push)):
        for side in range(2):
            body, sign = contacts.bodies[side][i], 1.0 - 2.0 * side
            k, q = place[body], state[1]
            if k < 0 or push[i, 0] == 0.0:
                continue
            point = contacts.points[side]
            x, y = point[i, 0] - state[0][body, 0], point[i, 1] - state[0][body, 1]
            z = point[i, 2] - state[0][body, 2]
            f, g, e = sign * force[i, 0], sign * force[i, 1], sign * force[i, 2]
            r = rotation_entries(q[body, 0], q[body, 1], q[body, 2], q[body, 3])
            torque = into_frame(r, y * e - z * g, z * f - x * e, x * g - y * f)
            for j in range(3):
                momentum[6 * k + j] += (f, g, e)[j]
                momentum[6 * k + 3 + j] += torque[j]
