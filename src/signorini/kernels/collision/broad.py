"""Which pairs of shapes are near one another: grid, sweep and prune, and shapes too large for either.

Grid and sweep give candidates, pairs whose swollen bounding volumes meet; all end in the test of `near_limit`, so they
report exactly the same pairs.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch
from signorini.kernels.threads.parts import first_of, parts_of, shared

PREFETCH_DISTANCE, LAST = 8, np.uint64(10)
"""Prefetch distance of bounds, in candidates, and their last column."""


LEAST = 512
"""Shapes or pairs of a part."""


class Pairs(NamedTuple):
    """Pairs of shapes, filled from the front; kernels keep counting past the capacity so that the caller can grow
    it."""

    first: np.ndarray
    second: np.ndarray
    limit: np.ndarray
    """Contact envelope of the pair [m]: gaps below it are contacts."""


@kernel
def compatible(filters, i, j):
    """Whether two shapes may collide but for joints: bodies, groups and masks."""
    if filters[i, 0] == filters[j, 0] or filters[i, 3] + filters[j, 3] == 0:
        return False
    return (filters[i, 2] & filters[j, 1]) != 0 and (filters[j, 2] & filters[i, 1]) != 0


@kernel
def allowed(filters, tied, bodies, i, j):
    """Whether two shapes may collide at all: bodies, groups and masks, joints."""
    if not compatible(filters, i, j):
        return False
    if len(tied):
        a, b = filters[i, 0], filters[j, 0]
        key = min(a, b) * bodies + max(a, b)
        at = np.searchsorted(tied, key)
        return at == len(tied) or tied[at] != key
    return True


@kernel
def own_margin(given, default):
    """The requested envelope [m], or else the default. Scalar arguments: branches among arrays would count
    references."""
    return given if given >= 0 else default


@kernel
def envelope(bounds, margin, i, j, step, fall):
    """Contact envelope of two shapes [m]: gaps below it are contacts (see `Detector`)."""
    own = own_margin(max(margin[i, 0], margin[j, 0]), min(margin[i, 1], margin[j, 1]))
    x, y, z = bounds[i, 6] - bounds[j, 6], bounds[i, 7] - bounds[j, 7], bounds[i, 8] - bounds[j, 8]
    return own + step * (sqrt(x * x + y * y + z * z) + (bounds[i, 10] + bounds[j, 10])) + fall


@kernel
def bounds_meet(bounds, i, j, limit):
    """Whether bounding balls and boxes come within `limit` [m]."""
    dx, dy, dz = bounds[i, 0] - bounds[j, 0], bounds[i, 1] - bounds[j, 1], bounds[i, 2] - bounds[j, 2]
    reach = bounds[i, 9] + bounds[j, 9] + limit
    # Branch-free: each test costs less than a mispredicted branch.
    return (
        (dx * dx + dy * dy + dz * dz < reach * reach)
        & (abs(dx) < bounds[i, 3] + bounds[j, 3] + limit)
        & (abs(dy) < bounds[i, 4] + bounds[j, 4] + limit)
        & (abs(dz) < bounds[i, 5] + bounds[j, 5] + limit)
    )


@kernel
def near_part(part, parts, margin, bounds, candidates, apart, now, pairs, counts):
    """`still_near` of one part of the candidates, which begins in `pairs` where it does among the candidates."""
    step, fall = now
    first, second, limits = pairs
    # Arrays are unpacked once: threads contend for their reference counts.
    ones, others, _ = candidates
    last, begin = len(ones) - 1, first_of(part, parts, len(ones))
    k, room = begin, len(first)
    for p in range(begin, first_of(part + 1, parts, len(ones))):
        # Candidates are ordered by their first shapes: accesses to the second ones are random.
        ahead = np.uint64(others[min(p + PREFETCH_DISTANCE, last)])
        prefetch(bounds, ahead, FIRST)
        prefetch(bounds, ahead, LAST)
        # Unsigned indices: the wraparound of negative ones costs time.
        i, j = np.uint64(ones[p]), np.uint64(others[p])
        if len(apart) and (apart[i] or apart[j]):
            continue
        limit = envelope(bounds, margin, i, j, step, fall)
        if k < room:
            # Branch-free: writing every candidate and counting hits costs less than a mispredicted branch.
            first[k], second[k], limits[k] = i, j, limit
        k += bounds_meet(bounds, i, j, limit)
    counts[part] = k - begin


near_by_team = shared(near_part)


@shared
@kernel
def compact_part(part, starts, places, counts, source, target):
    """Rows of one part from where they are in `source` to where they belong in `target`."""
    first, second, limit = source
    new_first, new_second, new_limit = target
    begin, place = starts[part], places[part]
    for k in range(counts[part]):
        at, to = begin + k, place + k
        new_first[to], new_second[to], new_limit[to] = first[at], second[at], limit[at]


@kernel
def still_near(team, rules, bounds, candidates, apart, now, scratch, pairs):
    """Those of the candidates, which may collide, whose bounding volumes are within the envelope.

    Candidates of a shape that is marked in `apart` are left out; nothing is marked in an empty array. `pairs`
    and, with a team, `scratch` must have room for all candidates.
    """
    count = len(candidates.first)
    parts = 1 if len(team) == 0 else parts_of(count, LEAST)
    counts, starts, places = np.empty(parts, np.int64), np.empty(parts, np.int64), np.empty(parts, np.int64)
    found = pairs if parts == 1 else scratch
    near_by_team(team, parts, (parts, rules[0], bounds, candidates, apart, now, found, counts))
    total = 0
    for part in range(parts):
        starts[part], places[part] = first_of(part, parts, count), total
        total += counts[part]
    if parts > 1:
        compact_part(team, parts, (starts, places, counts, found, pairs))
    return total


@kernel
def extremes(bounds, swelling, members):
    """Smallest and largest swollen size of the members [m]."""
    smallest, largest = np.inf, 0.0
    for p in range(len(members)):
        i = members[p]
        size = bounds[i, 9] + swelling[i]
        smallest, largest = min(smallest, size), max(largest, size)
    return smallest, largest


@shared
@kernel
def shift_part(part, parts, bounds, old_bounds, members, large, sums):
    """Sums of the motions of the centres of the members that are not `large` [m], and their number; of one part."""
    x, y, z, count = 0.0, 0.0, 0.0, 0
    for p in range(first_of(part, parts, len(members)), first_of(part + 1, parts, len(members))):
        i = np.uint64(members[p])
        if not large[i]:
            count += 1
            x += bounds[i, 0] - old_bounds[i, 0]
            y += bounds[i, 1] - old_bounds[i, 1]
            z += bounds[i, 2] - old_bounds[i, 2]
    sums[part, 0], sums[part, 1], sums[part, 2], sums[part, 3] = x, y, z, count


@shared
@kernel
def outgrown_part(part, parts, bounds, swelling, old_bounds, old_swelling, members, room, large, common, apart, counts):
    """`outgrown` of one part of the members; `common` is their mean motion."""
    count = 0
    for p in range(first_of(part, parts, len(members)), first_of(part + 1, parts, len(members))):
        i = np.uint64(members[p])
        apart[i] = large[i]
        if large[i]:
            continue
        square, box = 0.0, 0.0
        for c in range(3):
            shift = abs(bounds[i, c] - old_bounds[i, c] - common[c])
            square += shift * shift
            box = max(box, shift + bounds[i, 3 + c] - old_bounds[i, 3 + c])
        if not max(sqrt(square), box) + max(swelling[i] - old_swelling[i], 0.0) <= room:
            apart[i] = True
            count += 1
    counts[part] = count


@kernel
def outgrown(team, bounds, swelling, old_bounds, old_swelling, members, room, large, apart):
    """How many members reach beyond their old swollen bounding volumes by more than `room` [m].

    `apart` marks them, and those that are `large`, which may grow as they like. Volumes move with the mean motion of
    the others, because common motion brings nothing nearer.
    """
    parts = parts_of(len(members), LEAST)
    sums, total, counts = np.empty((parts, 4)), np.zeros(4), np.empty(parts, np.int64)
    shift_part(team, parts, (parts, bounds, old_bounds, members, large, sums))
    for part in range(parts):
        total += sums[part]
    common = total[:3] / max(total[3], 1.0)
    old = (old_bounds, old_swelling, members, room, large, common, apart, counts)
    outgrown_part(team, parts, (parts, bounds, swelling, *old))
    return counts.sum()


@kernel
def near_limit(margin, filters, tied, bodies, bounds, i, j, step, fall):
    """Envelope of two bounded shapes [m], or -1 when they may not collide or their bounding volumes are beyond it."""
    limit = envelope(bounds, margin, i, j, step, fall)
    if bounds_meet(bounds, i, j, limit) and allowed(filters, tied, bodies, i, j):
        return limit
    return -1.0


@kernel
def brute_force(rules, bounds, members, now, pairs):
    """All pairs among `members` (rising indices); the reference for the others."""
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    k = 0
    for p in range(len(members)):
        for q in range(p + 1, len(members)):
            limit = near_limit(margin, filters, tied, bodies, bounds, members[p], members[q], step, fall)
            if limit >= 0:
                if k < len(first):
                    first[k], second[k], limits[k] = members[p], members[q], limit
                k += 1
    return k


@kernel
def large_against_all(rules, bounds, swelling, large, is_large, members, now, pairs):
    """Every one of `large` against all `members`; two large ones meet once."""
    margin, filters, tied, bodies = rules
    step, fall = now
    first, second, limits = pairs
    k = 0
    for q in range(len(members)):
        j = members[q]
        x, y, z, size = bounds[j, 0], bounds[j, 1], bounds[j, 2], bounds[j, 9] + swelling[j]
        for p in range(len(large)):
            i = large[p]
            dx, dy, dz = bounds[i, 0] - x, bounds[i, 1] - y, bounds[i, 2] - z
            # Slightly above the exact bound of the envelope; pairs farther apart can be skipped.
            reach = (bounds[i, 9] + swelling[i] + size) * (1 + 1e-9)
            if dx * dx + dy * dy + dz * dz >= reach * reach:
                continue
            if j != i and not (is_large[j] and j < i):
                limit = near_limit(margin, filters, tied, bodies, bounds, min(i, j), max(i, j), step, fall)
                if limit >= 0:
                    if k < len(first):
                        first[k], second[k], limits[k] = min(i, j), max(i, j), limit
                    k += 1
    return k


@kernel
def height_above(bounds, i, nx, ny, nz, offset):
    """Least gap [m] that the bounding volumes of shape i allow above the plane n . x = offset."""
    box = abs(nx) * bounds[i, 3] + abs(ny) * bounds[i, 4] + abs(nz) * bounds[i, 5]
    return nx * bounds[i, 0] + ny * bounds[i, 1] + nz * bounds[i, 2] - offset - min(box, bounds[i, 9])


@kernel
def sort_pairs(pairs, count, shapes):
    """Sort the first `count` pairs by first and second: counting sort, then insertion among the few of each first."""
    start = np.zeros(shapes + 1, np.int64)
    for k in range(count):
        start[pairs.first[k] + 1] += 1
    for s in range(shapes):
        start[s + 1] += start[s]
    fill = start[:-1].copy()
    second = np.empty(count, np.int64)
    for k in range(count):
        i, j = pairs.first[k], pairs.second[k]
        at = fill[i]
        fill[i] += 1
        while at > start[i] and second[at - 1] > j:
            second[at] = second[at - 1]
            at -= 1
        second[at] = j
    for s in range(shapes):
        for k in range(start[s], start[s + 1]):
            pairs.first[k], pairs.second[k] = s, second[k]


@kernel
def sweep_candidates(rules, ordered, ends, pairs):
    """Pairs of `ordered` that may collide and whose boxes meet; ends[:, (low x, y, z, high x, y, z)] rise by column 0.

    The first column is the axis of the sweep, whichever that is.
    """
    _, filters, tied, bodies = rules
    first, second = pairs.first, pairs.second
    k = 0
    for p in range(len(ordered)):
        i = ordered[p]
        x, y0, z0, y1, z1 = ends[p, 3], ends[p, 1], ends[p, 2], ends[p, 4], ends[p, 5]
        for q in range(p + 1, len(ordered)):
            if ends[q, 0] > x:
                break
            if ends[q, 1] <= y1 and ends[q, 4] >= y0 and ends[q, 2] <= z1 and ends[q, 5] >= z0:
                j = ordered[q]
                if allowed(filters, tied, bodies, i, j):
                    if k < len(first):
                        first[k], second[k] = min(i, j), max(i, j)
                    k += 1
    return k


@shared
@kernel
def codes_part(part, parts, kind, first, second, kinds, code, same):
    """`kind_codes` of one part of the pairs; same[part] is the code if it is one for all of them, else -1."""
    begin, end = first_of(part, parts, len(first)), first_of(part + 1, parts, len(first))
    one = True
    for k in range(begin, end):
        a, b = kind[first[k]], kind[second[k]]
        code[k] = min(a, b) * kinds + max(a, b)
        one = one and code[k] == code[begin]
    same[part] = code[begin] if one else -1


@kernel
def kind_codes(team, kind, first, second, kinds, code):
    """smaller kind * kinds + larger kind of every pair; returns the code if it is one for all, else -1."""
    parts = parts_of(len(first), LEAST)
    same = np.empty(parts, np.int64)
    codes_part(team, parts, (parts, kind, first, second, kinds, code, same))
    return same[0] if (same == same[0]).all() else -1
