"""What the impulses of rigid contacts do to the bodies, `D' impulse`, with the sizes of its terms.

One thread goes through the contacts. Several share ranges of bodies: the sides of the contacts, each a contact and one
of its bodies, are sorted by ranges first, and those of a range are added up in the order of the contacts. That is the
same terms in the same order, prefetched, since they are anywhere in memory. Ranges are cut where they cost as much:
second bodies take longer than first ones, and threads that wait for one another are taken for threads without a core
(see `threads.team`). There are few: the second bodies of a wide range are nearer to one another in memory.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies.rigid_rows import LAST, WIDTH, second_ahead
from signorini.kernels.compile import kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch, prefetch_for_write
from signorini.kernels.threads.parts import THREADS, first_of, parts_of, shared

LEAST = 4096
"""Contacts of a part."""
BINS = 512
"""Runs of bodies that ranges are made of."""
SECOND_COST = 3.0
"""Of a second body, over that of a first one: contacts come in the order of their first bodies, so that the rows of
second ones are anywhere in memory."""
FEW = 4
"""Up to so many threads have a range each, and more of them two: then one that is late finds help."""
SIDES_AHEAD, NUMBERS_OF_A_LINE = 6, 8
"""Prefetch distance in sides, numbers of a cache line."""
SECOND = np.uint64(1)


@kernel
def add_linear(entries, i, impulse, sign, body, force, size):
    """What contact i does to the linear momentum of one of its bodies."""
    x, y, z = impulse[i, 0], impulse[i, 1], impulse[i, 2]
    for column in range(3):
        k = np.uint64(column)
        a, b, c = entries[i, k] * x, entries[i, k + 9] * y, entries[i, k + 18] * z
        force[body, k] += sign * ((a + b) + c)
        size[body, k] += (abs(a) + abs(b)) + abs(c)


@kernel
def add_angular(entries, i, impulse, first, body, force, size):
    """The same for its angular momentum; `first` is where the levers of that body begin."""
    x, y, z = impulse[i, 0], impulse[i, 1], impulse[i, 2]
    for column in range(3):
        k = np.uint64(column + first)
        d, e, f = entries[i, k] * x, entries[i, k + 9] * y, entries[i, k + 18] * z
        force[body, column + 3] += (d + e) + f
        size[body, column + 3] += (abs(d) + abs(e)) + abs(f)


@kernel
def forces_in_turn(pairs, entries, impulse, force, size):
    """`forces` by one thread."""
    for count in range(len(pairs)):
        i, ahead = np.uint64(count), second_ahead(pairs, count)
        prefetch_for_write(force, ahead, FIRST)
        prefetch_for_write(force, ahead, LAST)
        prefetch_for_write(size, ahead, FIRST)
        prefetch_for_write(size, ahead, LAST)
        p, q = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        add_linear(entries, i, impulse, 1.0, p, force, size)
        add_angular(entries, i, impulse, 3, p, force, size)
        if p != q:
            add_linear(entries, i, impulse, -1.0, q, force, size)
            add_angular(entries, i, impulse, 6, q, force, size)


@kernel
def bin_shift(bodies):
    """Body b belongs to bin b >> shift, of `BINS` at most."""
    shift = 0
    while (bodies - 1) >> shift >= BINS:
        shift += 1
    return shift


@shared
@kernel
def count_sides(part, parts, pairs, shift, counts):
    """How many first and second bodies a part of the contacts has in each bin."""
    first, second = counts[part, 0], counts[part, 1]
    first[:], second[:] = 0, 0
    for number in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        p, q = pairs[np.uint64(number), FIRST], pairs[np.uint64(number), SECOND]
        first[p >> shift] += 1
        second[q >> shift] += p != q


@kernel
def cut(counts, ranges):
    """The range of each bin, so that all of them cost as much, in the order of the bodies."""
    cost = np.zeros(BINS + 1)
    for k in range(BINS):
        cost[k + 1] = cost[k] + counts[:, 0, k].sum() + SECOND_COST * counts[:, 1, k].sum()
    of_bin = np.empty(BINS, np.int64)
    for k in range(BINS):
        middle = 0.5 * (cost[k] + cost[k + 1])
        of_bin[k] = min(int(ranges * middle / cost[BINS]), ranges - 1)
    return of_bin


@kernel
def places_of_ranges(counts, of_bin, ranges):
    """The first place of each (part, range) among the sides, ranges before parts; and where ranges begin."""
    parts = len(counts)
    place, start, total = np.zeros((parts, ranges), np.int64), np.empty(ranges + 1, np.int64), 0
    for part in range(parts):
        for k in range(BINS):
            place[part, of_bin[k]] += counts[part, 0, k] + counts[part, 1, k]
    for k in range(ranges):
        start[k] = total
        for part in range(parts):
            here = place[part, k]
            place[part, k] = total
            total += here
    start[ranges] = total
    return place, start


@shared
@kernel
def place_sides(part, parts, pairs, shift, of_bin, place, sides):
    """Sides sorted by ranges, in the order of the contacts inside each: 2 i for the first body of contact i, 2 i + 1
    for the second."""
    at = place[part]
    for number in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        p, q = pairs[np.uint64(number), FIRST], pairs[np.uint64(number), SECOND]
        one, two = of_bin[p >> shift], of_bin[q >> shift]
        sides[np.uint64(at[one])] = 2 * number
        at[one] += 1
        if p != q:
            sides[np.uint64(at[two])] = 2 * number + 1
            at[two] += 1


@kernel
def prefetch_side(pairs, entries, force, size, side):
    """Prefetch the entries of a contact, and what one of its bodies has so far."""
    i = np.uint64(side >> 1)
    body = np.uint64(pairs[i, np.uint64(side & 1)])
    for column in range(0, WIDTH, NUMBERS_OF_A_LINE):
        prefetch(entries, i, np.uint64(column))
    prefetch(entries, i, np.uint64(WIDTH - 1))
    prefetch_for_write(force, body, FIRST)
    prefetch_for_write(force, body, LAST)
    prefetch_for_write(size, body, FIRST)
    prefetch_for_write(size, body, LAST)


@shared
@kernel
def add_range(part, start, sides, pairs, entries, impulse, force, size):
    """The forces on the bodies of one range."""
    last = start[part + 1] - 1
    for k in range(start[part], start[part + 1]):
        prefetch_side(pairs, entries, force, size, sides[min(k + SIDES_AHEAD, last)])
        i, second = np.uint64(sides[k] >> 1), sides[k] & 1
        body = np.uint64(pairs[i, np.uint64(second)])
        add_linear(entries, i, impulse, 1.0 - 2.0 * second, body, force, size)
        add_angular(entries, i, impulse, 3 + 3 * second, body, force, size)


@kernel
def forces(team, pairs, entries, impulse, force, size):
    """force += D' impulse and size += |D|' |impulse|, six numbers per body; impulse has three per contact."""
    if len(team) == 0:
        forces_in_turn(pairs, entries, impulse, force, size)
        return
    parts, shift, threads = parts_of(len(pairs), LEAST), bin_shift(len(force)), team[THREADS]
    ranges = threads if threads <= FEW else 2 * threads
    counts, sides = np.empty((parts, 2, BINS), np.int64), np.empty(2 * len(pairs), np.int64)
    count_sides(team, parts, (parts, pairs, shift, counts))
    of_bin = cut(counts, ranges)
    place, start = places_of_ranges(counts, of_bin, ranges)
    place_sides(team, parts, (parts, pairs, shift, of_bin, place, sides))
    add_range(team, ranges, (start, sides, pairs, entries, impulse, force, size))
