"""Detection of models with few shapes: from a state to contacts without Python in between.

All pairs that may ever collide are candidates (`collision.broad_phase`); the kernels of the pairs are those of the
general detection, called by address, and so are contacts and their order.
"""

from __future__ import annotations

import numpy as np
from numba import types

from signorini.kernels.arena import table
from signorini.kernels.by_address import Convention
from signorini.kernels.collision.broad import Pairs, near_part
from signorini.kernels.collision.conventions import KINDS
from signorini.kernels.collision.half_spaces import half_space_part, widest_envelope
from signorini.kernels.collision.identity import PART_BITS
from signorini.kernels.collision.place import place_part
from signorini.kernels.collision.round_face import SHARE
from signorini.kernels.collision.table import COLUMNS, Found, gather_part, rise_identities, rising_part
from signorini.kernels.compile import kernel
from signorini.kernels.stack import integers, matrix, vector
from signorini.kernels.step.packed import (
    AT,
    CONTACTS,
    CONVEX,
    CONVEX_ENTRY,
    DETECT_ENTRY,
    F1,
    F2,
    FOUND,
    I1,
    PLACED,
    SHAPES,
    B,
    F,
    I,
    Scene,
)  # fmt: skip
from signorini.kernels.step.tables import Contacts, State

FOREIGN = -1
"""In `Scene.most`: pairs of these kinds are for `convex_pairs`."""
LISTS = (I1, I1, F1)
PAIR_KERNEL = Convention((SHAPES, PLACED, *LISTS, FOUND, I), I)
"""Any of `kernels.collision.pair_kernels`."""
CONVEX_KERNEL = Convention((CONVEX, PLACED, *LISTS, FOUND, I), I)
"""`kernels.collision.convex_table.convex_pairs`."""
call_pair_kernel, call_convex_kernel = PAIR_KERNEL.call, CONVEX_KERNEL.call


@kernel
def none_found():
    """No contacts, and their identities; what has no entries may leave the kernel that made it."""
    none, vectors, numbers = integers(0), matrix(0, 3), vector(0)
    return Contacts(none, none, vectors, vectors, vectors, numbers, numbers), none


@kernel
def place_shapes(scene, state):
    """Shapes where the bodies of a state are."""
    poses = (state.position, state.orientation, state.velocity, state.spin)
    place_part(0, 1, scene.shapes, scene.centred, *poses, scene.placed)


@kernel
def near_pairs(scene, step):
    """Pairs of placed shapes whose bounding volumes are within their envelope for a step of `step` [s]."""
    shapes, placed, candidates = scene.shapes, scene.placed, scene.candidates
    rules = (shapes.margin, shapes.filters, shapes.tied, shapes.bodies)
    room = len(candidates.first) + len(scene.planes) * len(scene.bounded)
    first, second, limit = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    now = (step, scene.fall)
    pairs, at = Pairs(first, second, limit), np.empty(1, np.int64)
    near_part(0, 1, shapes.margin, placed.bounds, candidates, np.empty(0, np.bool_), now, pairs, at)
    if len(scene.planes):
        widest = widest_envelope(placed.bounds, shapes.margin, scene.bounded, step, scene.fall)
        for p in range(len(scene.planes)):
            one = scene.planes[p:]
            half_space_part(0, 1, rules, shapes.param, placed, one, scene.bounded, widest, now, pairs, at)
    k = at[0]
    return Pairs(first[:k], second[:k], limit[:k])


@kernel
def _by_kinds(scene, pairs):
    """The pairs sorted by the codes of their kinds, the smaller kind first; first place of each code."""
    kind, count = scene.shapes.kind, len(pairs.first)
    start, code = np.zeros(KINDS * KINDS + 1, np.int64), np.empty(count, np.int64)
    for p in range(count):
        a, b = kind[pairs.first[p]], kind[pairs.second[p]]
        code[p] = min(a, b) * KINDS + max(a, b)
        start[code[p] + 1] += 1
    for c in range(KINDS * KINDS):
        start[c + 1] += start[c]
    fill, first, second, limit = start.copy(), np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count)
    for p in range(count):
        at, i, j = fill[code[p]], pairs.first[p], pairs.second[p]
        fill[code[p]] += 1
        swap = kind[i] > kind[j]
        first[at], second[at], limit[at] = j if swap else i, i if swap else j, pairs.limit[p]
    return Pairs(first, second, limit), start


@kernel
def raw_contacts(scene, entries, pairs):
    """Raw contacts of placed pairs, their number, and the entry that is missing, -1 if none is."""
    pairs, start = _by_kinds(scene, pairs)
    most_of_convex = 2 * max(scene.convex.most, 8) + len(SHARE) + 4
    room = 0
    for c in range(KINDS * KINDS):
        if start[c + 1] > start[c]:
            foreign = scene.most[c] == FOREIGN
            need = CONVEX_ENTRY if foreign else c
            if entries[need] == 0:
                return Found(np.empty(0, np.int64), np.empty((0, COLUMNS)), PART_BITS), 0, need
            room += (start[c + 1] - start[c]) * (most_of_convex if foreign else scene.most[c])
    found, k = Found(np.empty(room, np.int64), np.empty((room, COLUMNS)), PART_BITS), 0
    for c in range(KINDS * KINDS):
        begin, end = start[c], start[c + 1]
        if end == begin:
            continue
        first, second, limit = pairs.first[begin:end], pairs.second[begin:end], pairs.limit[begin:end]
        if scene.most[c] == FOREIGN:
            k = call_convex_kernel(entries[CONVEX_ENTRY], (scene.convex, scene.placed, first, second, limit, found, k))
        else:
            k = call_pair_kernel(entries[c], (scene.shapes, scene.placed, first, second, limit, found, k))
    return found, k, -1


@kernel
def _rising(keys, count):
    """Places in the order of rising keys, equal ones as they come: runs are rising already."""
    order, rises = np.arange(count), np.empty(1, np.bool_)
    rising_part(0, 1, keys[:count], rises)
    if rises[0]:
        return order
    for p in range(1, count):
        q, own = p, order[p]
        while q > 0 and keys[order[q - 1]] > keys[own]:
            order[q] = order[q - 1]
            q -= 1
        order[q] = own
    return order


@kernel
def ordered(scene, found, count):
    """Contacts in the order of their identities; these; whether any is part of a round face."""
    order, shapes = _rising(found.identity, count), scene.shapes
    a, b, identity = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    point_a, point_b, normal = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
    gap, friction, share = np.empty(count), np.empty(count), np.empty(count)
    numbers = (gap, friction, share)
    any_round, of_shapes = np.zeros(1, np.bool_), (shapes.body, shapes.friction)
    gather_part(0, 1, found, order, of_shapes, (a, b), (point_a, point_b), normal, numbers, identity, any_round)
    rise_identities(identity)
    return Contacts(a, b, point_a, point_b, normal, gap, friction), identity, any_round[0]


@kernel
def detect(words, entries, position, orientation, velocity, spin, step):
    """Contacts of a state, their identities, whether any is part of a round face, and the missing entry or -1."""
    scene, state = table(words, AT.scene, Scene), State(position, orientation, velocity, spin)
    place_shapes(scene, state)
    found, count, missing = raw_contacts(scene, entries, near_pairs(scene, step))
    contacts, identity, any_round = ordered(scene, found, count)
    return contacts, identity, any_round, missing


DETECT = Convention((I1, I1, F2, F2, F2, F2, F), types.Tuple((CONTACTS, I1, B, I)), detect)
call_detect = DETECT.call


@kernel
def detect_in(words, entries, state, h):
    """Contacts of a state, their identities, and the missing entry or -1."""
    if entries[DETECT_ENTRY] == 0:
        contacts, identity = none_found()
        return contacts, identity, -1
    moves = (state.position, state.orientation, state.velocity, state.spin)
    contacts, identity, _, missing = call_detect(entries[DETECT_ENTRY], (words, entries, *moves, h))
    return contacts, identity, missing
