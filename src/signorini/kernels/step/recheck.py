"""Whether the answer of a step brings about contacts that its problem did not have: quick looks that mostly say no.

`stepping.new_contacts` and `stepping.swept_contacts` have the mathematics; they are asked where a look says yes.
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from signorini.kernels.bodies.poses import turn
from signorini.kernels.collision.broad import Pairs
from signorini.kernels.collision.identity import PART_BITS
from signorini.kernels.collision.new_contacts import least_fresh_gap
from signorini.kernels.collision.recheck_overlaps import candidates_meet, half_spaces_meet
from signorini.kernels.collision.turning import any_turns, turning_pairs
from signorini.kernels.compile import kernel
from signorini.kernels.step.detect import near_pairs, ordered, place_shapes, raw_contacts
from signorini.kernels.step.tables import State


@kernel
def moving(bodies, state, v):
    """The state with the velocities of an answer."""
    velocity, spin = state.velocity.copy(), state.spin.copy()
    for k in range(len(bodies.movable)):
        i = bodies.movable[k]
        for j in range(3):
            velocity[i, j], spin[i, j] = v[6 * k + j], v[6 * k + 3 + j]
    return State(state.position, state.orientation, velocity, spin)


@kernel
def meets(scene, entries, identity, state, h, approach, rules):
    """Whether shapes, placed with the velocities of the answer in `state`, overlap in contacts that are not known."""
    least, shapes, placed = max(rules.small * scene.margin, h * approach), scene.shapes, scene.placed
    overlap = rules.almost * least
    none = np.empty(0, np.bool_)
    if not (
        candidates_meet(shapes.kind, placed.bounds, scene.candidates, none, identity, PART_BITS, h, overlap)
        or half_spaces_meet(shapes, placed, scene.planes, scene.bounded, identity, PART_BITS, h, overlap)
    ):
        return False
    found, count, missing = raw_contacts(scene, entries, near_pairs(scene, h))
    if missing >= 0:
        return True
    c, names, _ = ordered(scene, found, count)
    moves = (state.position, state.orientation, state.velocity, state.spin)
    bodies, points = (c.body_a, c.body_b), (c.point_a, c.point_b)
    fresh = np.empty(count, np.bool_)
    return least_fresh_gap(identity, names, bodies, points, c.normal, c.gap, moves, h, fresh) < -least


@kernel
def _places_on_way(scene, pairs, state, end, h, rules, places):
    """Where each pair is to be looked at along its way: 0 unless it goes by more than its thickness; whether any is."""
    any_far = False
    for p in range(len(pairs.first)):
        way, thin = 0.0, pairs.limit[p] / rules.thickness
        for s in (pairs.first[p], pairs.second[p]):
            body, moved, turned = scene.shapes.body[s], 0.0, 0.0
            for c in range(3):
                moved += (end.position[body, c] - state.position[body, c]) ** 2
                turned += state.spin[body, c] ** 2
            way += sqrt(moved) + h * sqrt(turned) * scene.thickness[s]
        places[p] = min(max(ceil(way / thin), 2), rules.places) if way > thin else 0
        any_far = any_far or way > thin
    return any_far


@kernel
def put_on_way(state, end, h, part, there):
    """The state after part of a step, as in `swept_contacts.Sweep.at`."""
    for i in range(len(state.position)):
        for c in range(3):
            there.position[i, c] = state.position[i, c] + part * (end.position[i, c] - state.position[i, c])
        for c in range(4):
            there.orientation[i, c] = state.orientation[i, c]
        half = 0.5 * part * h
        turn(there.orientation, i, half * state.spin[i, 0], half * state.spin[i, 1], half * state.spin[i, 2])


@kernel
def _deepest(found, count):
    """Deepest overlap of raw contacts [m]."""
    deepest = 0.0
    for k in range(count):
        deepest = max(deepest, -found.data[k, 9])
    return deepest


@kernel
def _passes_through(scene, entries, pairs, state, end, h, rules):
    """Whether pairs that go far, and are apart in the end, may overlap deeply on their way."""
    places, there = np.empty(len(pairs.first), np.int64), State(
        state.position.copy(), state.orientation.copy(), state.velocity, state.spin
    )  # fmt: skip
    if not _places_on_way(scene, pairs, state, end, h, rules, places):
        return False
    for n in range(2, rules.places + 1):
        of = np.flatnonzero(places == n)
        if len(of) == 0:
            continue
        group = Pairs(pairs.first[of], pairs.second[of], pairs.limit[of])
        depth = rules.shallow * group.limit.min() / rules.thickness
        for k in range(1, n):
            put_on_way(state, end, h, k / n, there)
            place_shapes(scene, there)
            found, count, missing = raw_contacts(scene, entries, group)
            if missing >= 0 or _deepest(found, count) > depth:
                return True
    return False


@kernel
def may_cross(scene, entries, state, end, h, rules):
    """Whether turning bodies, placed with the velocities of the answer in `state`, overlap at the end or on the way.

    Leaves shapes placed at the end.
    """
    if not scene.turns or not any_turns(scene.shapes, scene.placed, state.position, h, rules.share):
        return False
    near = near_pairs(scene, h)
    kept = np.empty(len(near.first), np.int64)
    count = turning_pairs(scene.shapes, scene.placed, state.position, near, h, rules.share, kept)
    if count == 0:
        return False
    for k in range(count):
        near.first[k], near.second[k], near.limit[k] = near.first[kept[k]], near.second[kept[k]], near.limit[kept[k]]
    pairs = Pairs(near.first[:count], near.second[:count], near.limit[:count])
    place_shapes(scene, end)
    found, touching, missing = raw_contacts(scene, entries, pairs)
    if missing >= 0:
        return True
    least = np.inf
    for k in range(count):
        least = min(least, pairs.limit[k])
    if _deepest(found, touching) > least:
        return True
    through = _passes_through(scene, entries, pairs, state, end, h, rules)
    place_shapes(scene, end)
    return through
