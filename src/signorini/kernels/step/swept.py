"""Contacts that turning bodies meet on their way through a compiled step; see `stepping.swept_contacts`."""

from __future__ import annotations

from math import ceil, inf, sqrt
from typing import NamedTuple

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.coordinates import rotation
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.identity import FEATURE_BITS, PART_BITS, SWEPT, pair_key, pair_of
from signorini.kernels.collision.new_contacts import gap_rate, gap_rates
from signorini.kernels.collision.turning import any_turns, turning_pairs
from signorini.kernels.compile import kernel
from signorini.kernels.stack import matrix, vector
from signorini.kernels.step.contact_lists import Listed, chosen, merged, put_contact, room_for_contacts
from signorini.kernels.step.detect import near_pairs, ordered, place_shapes, raw_contacts
from signorini.kernels.step.packed import AT, LookRules, Scene
from signorini.kernels.step.recheck import put_on_way
from signorini.kernels.step.tables import State

SAME_POINT, SAME_NORMAL = 1e-4, 1e-4
"""Contacts along the way nearer than this, relative to their lever, and with normals as near [rad], are one."""
BISECTIONS = 5
ALIKE = 0.5
"""Cosine of the angle between the normal of an overlap and that of the first touch, if it tells too."""


class Sweep(NamedTuple):
    """A step as the last answer takes it."""

    start: State
    """With the velocities of the answer."""
    end: State
    far: np.ndarray
    """Bodies whose levers are turned by half of what they turn in the step."""
    h: float
    known: Listed
    """All contacts of the step so far."""
    rates: np.ndarray
    """Of their gaps [m/s]."""
    there: State
    """Room for where the bodies are on their way."""


@kernel
def sweep_of(start, end, far, h, known):
    """A sweep with its room."""
    rates, c = np.empty(len(known.identity)), known.contacts
    gap_rates((c.body_a, c.body_b), (c.point_a, c.point_b), c.normal, tuple_of(start), rates)
    there = State(start.position.copy(), start.orientation.copy(), start.velocity, start.spin)
    return Sweep(start, end, far, h, known, rates, there)


@kernel
def tuple_of(state):
    """As the kernels of contacts take it."""
    return state.position, state.orientation, state.velocity, state.spin


@kernel
def go_to(sweep, part):
    """Put `there` where the bodies are after part of the way."""
    if part < 1.0:
        put_on_way(sweep.start, sweep.end, sweep.h, part, sweep.there)
        return
    for i in range(len(sweep.far)):
        for j in range(3):
            sweep.there.position[i, j] = sweep.end.position[i, j]
        for j in range(4):
            sweep.there.orientation[i, j] = sweep.end.orientation[i, j]


@kernel
def contacts_after(words, entries, sweep, part, pairs):
    """Contacts of some pairs after part of the way, raw; how many there are; the missing entry, -1 for none."""
    scene = table(words, AT.scene, Scene)
    go_to(sweep, part)
    place_shapes(scene, sweep.there)
    return raw_contacts(scene, entries, pairs)


@kernel
def _key(pairs, p):
    return pair_key(min(pairs.first[p], pairs.second[p]), max(pairs.first[p], pairs.second[p]), PART_BITS)


@kernel
def _one(pairs, p):
    return Pairs(pairs.first[p : p + 1], pairs.second[p : p + 1], pairs.limit[p : p + 1])


@kernel
def _overlaps(sweep, found, count, key, limit, part):
    """Whether a pair overlaps by more than `limit` and more than its contacts leave, after part of the way."""
    deepest, left = inf, 0.0
    for k in range(count):
        if pair_of(found.identity[k], PART_BITS) == key:
            deepest = min(deepest, found.data[k, 9])
    for k in range(len(sweep.rates) if deepest < -limit else 0):
        if pair_of(sweep.known.identity[k], PART_BITS) == key:
            left = min(left, sweep.known.contacts.gap[k] + part * sweep.h * sweep.rates[k])
    return deepest < left - limit


@kernel
def _overlap_after(words, entries, sweep, pair, limit, part):
    """The same of one pair that has a kernel."""
    found, count, _ = contacts_after(words, entries, sweep, part, pair)
    return _overlaps(sweep, found, count, _key(pair, 0), limit, part)


@kernel
def to_local(state, i, point, R, out):
    """out = a world point in the frame of a body."""
    q = state.orientation[i]
    rotation(q[0], q[1], q[2], q[3], R)
    for j in range(3):
        out[j] = 0.0
        for k in range(3):
            out[j] += R[k, j] * (point[k] - state.position[i, k])


@kernel
def to_world(position, orientation, local, R, out):
    """out = a point of a body's frame in the world."""
    rotation(orientation[0], orientation[1], orientation[2], orientation[3], R)
    for j in range(3):
        out[j] = position[j]
        for k in range(3):
            out[j] += R[j, k] * local[k]


@kernel
def _move_back(contacts, sweep):
    """The points of contacts, which are fixed to bodies, from `there` to where they are at the beginning."""
    R, local = matrix(3, 3), vector(3)
    for k in range(len(contacts.gap)):
        for side in range(2):
            i = contacts.body_b[k] if side else contacts.body_a[k]
            point = contacts.point_b[k] if side else contacts.point_a[k]
            to_local(sweep.there, i, point, R, local)
            to_world(sweep.start.position[i], sweep.start.orientation[i], local, R, point)


@kernel
def _contacts_at(words, entries, sweep, part, pair):
    """Contacts of a pair after part of the way, with their points at its beginning; whether any is on a round face."""
    found, count, _ = contacts_after(words, entries, sweep, part, pair)
    contacts, identity, any_round = ordered(table(words, AT.scene, Scene), found, count)
    _move_back(contacts, sweep)
    return Listed(contacts, identity), any_round


@kernel
def _deepest_gap(listed):
    """Of contacts, 0 if none overlaps; and which one is lowest, -1 without any."""
    lowest, at = inf, -1
    for k in range(len(listed.identity)):
        if listed.contacts.gap[k] < lowest:
            lowest, at = listed.contacts.gap[k], k
    return max(0.0, -lowest), at


@kernel
def _is_like(listed, normal):
    """Whether the deepest contact has a normal like the given one."""
    _, at = _deepest_gap(listed)
    along = 0.0
    for j in range(3 if at >= 0 else 0):
        along += listed.contacts.normal[at, j] * normal[j]
    return along > ALIKE


@kernel
def _way(scene, sweep, pairs, p):
    """How far the points of two shapes move in the step at most, together [m]."""
    way = 0.0
    for s in (pairs.first[p], pairs.second[p]):
        body, moved, turned = scene.shapes.body[s], 0.0, 0.0
        for j in range(3):
            moved += (sweep.end.position[body, j] - sweep.start.position[body, j]) ** 2
            turned += sweep.start.spin[body, j] ** 2
        way += sqrt(moved) + sweep.h * sqrt(turned) * scene.thickness[s]
    return way


@kernel
def _first_touch(words, entries, sweep, pair, depth):
    """After which part of the way a pair first overlaps by its limit, if it gets deeper than `depth` [m]; else -1."""
    scene, rules = table(words, AT.scene, Scene), table(words, AT.look, LookRules)
    thin = pair.limit[0] / rules.thickness
    places, low, high = min(max(ceil(_way(scene, sweep, pair, 0) / thin), 2), rules.places), 0.0, -1.0
    for k in range(1, places + 1):
        if _overlap_after(words, entries, sweep, pair, depth, k / places):
            high = k / places
            break
    if high < 0.0:
        return high
    for _ in range(BISECTIONS + 3):
        middle = 0.5 * (low + high)
        if _overlap_after(words, entries, sweep, pair, pair.limit[0], middle):
            high = middle
        else:
            low = middle
    return high


@kernel
def _with(swept, more, start):
    """Both, but for those of `more` whose points and normals are there already; numbered in each pair."""
    marks, known, new = np.ones(len(more.identity), np.bool_), swept.contacts, more.contacts
    for k in range(len(marks)):
        key, lever = pair_of(more.identity[k], PART_BITS), 0.0
        for j in range(3):
            lever += (new.point_a[k, j] - start.position[new.body_a[k], j]) ** 2
        for i in range(len(swept.identity)):
            if pair_of(swept.identity[i], PART_BITS) != key:
                continue
            one, two, turned = 0.0, 0.0, 0.0
            for j in range(3):
                one += (known.point_a[i, j] - new.point_a[k, j]) ** 2
                two += (known.point_b[i, j] - new.point_b[k, j]) ** 2
                turned += (known.normal[i, j] - new.normal[k, j]) ** 2
            if min(one, two) < SAME_POINT**2 * lever and turned < SAME_NORMAL**2:
                marks[k] = False
    kept = chosen(more, marks)
    for k in range(len(kept.identity)):
        key, number = pair_of(kept.identity[k], PART_BITS), 0
        for i in range(len(swept.identity)):
            number += pair_of(swept.identity[i], PART_BITS) == key
        for i in range(k):
            number += pair_of(kept.identity[i], PART_BITS) == key
        kept.identity[k] = (key << FEATURE_BITS) | SWEPT | number
    return merged(swept, kept)


@kernel
def _plain_of(known, key):
    """The contacts of a pair that were not met on the way."""
    marks = np.empty(len(known.identity), np.bool_)
    for k in range(len(marks)):
        marks[k] = pair_of(known.identity[k], PART_BITS) == key and (known.identity[k] & SWEPT) == 0
    return chosen(known, marks)


@kernel
def _meet(words, entries, sweep, pair, overlap, swept):
    """`swept` with what a pair meets; whether it meets anything; whether that is on a round face."""
    rules = table(words, AT.look, LookRules)
    thin = pair.limit[0] / rules.thickness
    if not overlap:
        # What is apart in the end may have gone through.
        part = _first_touch(words, entries, sweep, pair, rules.shallow * thin)
        if part < 0.0:
            return swept, False, False
        touch, any_round = _contacts_at(words, entries, sweep, part, pair)
        swept = _with(swept, _plain_of(sweep.known, _key(pair, 0)), sweep.start)
        return _with(swept, touch, sweep.start), True, any_round
    swept = _with(swept, _plain_of(sweep.known, _key(pair, 0)), sweep.start)
    found, any_round = _contacts_at(words, entries, sweep, 1.0, pair)
    deep, _ = _deepest_gap(found)
    part = -1.0 if deep < rules.shallow * thin else _first_touch(words, entries, sweep, pair, pair.limit[0])
    if part < 0.0:
        return _with(swept, found, sweep.start), True, any_round
    first, touch_round = _contacts_at(words, entries, sweep, part, pair)
    _, at = _deepest_gap(first)
    if at < 0:
        return _with(swept, found, sweep.start), True, any_round
    # The latest place on the way whose overlap has a normal like that of the first touch.
    normal, low, high = first.contacts.normal[at], 0.0, 1.0
    latest, any_latest = found, _is_like(found, normal)
    for _ in range(0 if any_latest else BISECTIONS):
        middle = 0.5 * (low + high)
        found, more_round = _contacts_at(words, entries, sweep, middle, pair)
        if len(found.identity) == 0 or _is_like(found, normal):
            low, latest, any_latest, any_round = middle, found, True, any_round or more_round
        else:
            high = middle
    if any_latest:
        swept = _with(swept, latest, sweep.start)
    return _with(swept, first, sweep.start), True, any_round or touch_round


@kernel
def linearised(swept, sweep):
    """Contacts of points fixed to bodies, given where these are at the beginning of the step, as rows of the step."""
    count, start, end, h = len(swept.identity), sweep.start, sweep.end, sweep.h
    out, R, local, last = room_for_contacts(count), matrix(3, 3), vector(3), matrix(2, 3)
    put_on_way(start, end, h, 0.5, sweep.there)
    for k in range(count):
        put_contact(swept, k, out, k)
        c = out.contacts
        for side in range(2):
            i = c.body_b[k] if side else c.body_a[k]
            point = c.point_b[k] if side else c.point_a[k]
            to_local(start, i, point, R, local)
            to_world(start.position[i], (sweep.there if sweep.far[i] else start).orientation[i], local, R, point)
            to_world(end.position[i], end.orientation[i], local, R, last[side])
        gap = -h * gap_rate(k, (c.body_a, c.body_b), (c.point_a, c.point_b), c.normal, tuple_of(start))
        for j in range(3):
            gap += (last[0, j] - last[1, j]) * c.normal[k, j]
        c.gap[k] = gap
    return out


@kernel
def with_swept(words, entries, sweep, swept):
    """Contacts of a step with those that `sweep` shows to be missing, and those met on the way, both renewed.

    Returns (whether any was missing, contacts, met on the way, whether any is on a round face, missing entry or -1).
    """
    scene, rules, known = table(words, AT.scene, Scene), table(words, AT.look, LookRules), sweep.known
    place_shapes(scene, sweep.start)
    if not scene.turns or not any_turns(scene.shapes, scene.placed, sweep.start.position, sweep.h, rules.share):
        return False, known, swept, False, -1
    near = near_pairs(scene, sweep.h)
    kept = np.empty(len(near.first), np.int64)
    count = turning_pairs(scene.shapes, scene.placed, sweep.start.position, near, sweep.h, rules.share, kept)
    which = kept[:count]
    pairs = Pairs(near.first[which], near.second[which], near.limit[which])
    found, touching, missing = contacts_after(words, entries, sweep, 1.0, pairs)
    if missing >= 0:
        return False, known, swept, False, missing
    any_met, any_round, plain = False, False, np.empty(len(known.identity), np.bool_)
    for k in range(len(plain)):
        plain[k] = (known.identity[k] & SWEPT) == 0
    for p in range(count):
        overlap = _overlaps(sweep, found, touching, _key(pairs, p), pairs.limit[p], 1.0)
        if not overlap and not _way(scene, sweep, pairs, p) > pairs.limit[p] / rules.thickness:
            continue
        swept, met, on_round = _meet(words, entries, sweep, _one(pairs, p), overlap, swept)
        any_met, any_round = any_met or met, any_round or on_round
        for k in range(len(plain) if met else 0):
            plain[k] = plain[k] and pair_of(known.identity[k], PART_BITS) != _key(pairs, p)
    if not any_met:
        return False, known, swept, False, -1
    return True, merged(chosen(known, plain), linearised(swept, sweep)), swept, any_round, -1
