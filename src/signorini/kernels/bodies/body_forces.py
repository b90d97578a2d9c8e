"""What the impulses of rigid contacts do to the bodies, `D' impulse`, with the sizes of its terms.

One thread goes through the contacts. Several go through the bodies: the sides of the contacts are sorted by ranges of
bodies first, in the order of the contacts inside each, so that every body adds up the same terms in the same order.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies.rigid_rows import LAST, second_ahead
from signorini.kernels.compile import inlined, kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch_for_write
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 2048
"""Contacts of a part."""
RANGES = 128
"""Of bodies."""


@inlined
def add_linear(entries, i, impulse, sign, body, force, size):
    """What contact i does to the linear momentum of one of its bodies."""
    x, y, z = impulse[i, 0], impulse[i, 1], impulse[i, 2]
    for column in range(3):
        k = np.uint64(column)
        a, b, c = entries[i, k] * x, entries[i, k + 9] * y, entries[i, k + 18] * z
        force[body, k] += sign * ((a + b) + c)
        size[body, k] += (abs(a) + abs(b)) + abs(c)


@inlined
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


@shared
@kernel
def count_sides(part, parts, pairs, ranges, bodies, counts):
    """How many sides of the contacts of one part belong to each range of bodies."""
    count = counts[part]
    count[:] = 0
    for i in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        p, q = pairs[i, 0], pairs[i, 1]
        count[p * ranges // bodies] += 1
        if p != q:
            count[q * ranges // bodies] += 1


@shared
@kernel
def sort_sides(part, parts, pairs, ranges, bodies, at, sides):
    """Put the sides of the contacts of one part where they belong: 2 i for the first body of contact i, 2 i + 1 for
    the second."""
    at = at[part]
    for i in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        p, q = pairs[i, 0], pairs[i, 1]
        one = p * ranges // bodies
        sides[at[one]] = 2 * i
        at[one] += 1
        if p != q:
            two = q * ranges // bodies
            sides[at[two]] = 2 * i + 1
            at[two] += 1


@shared
@kernel
def add_range(part, start, sides, pairs, entries, impulse, force, size):
    """The forces on the bodies of one range."""
    for k in range(start[part], start[part + 1]):
        i = np.uint64(sides[k] >> 1)
        if sides[k] & 1:
            body = np.uint64(pairs[i, 1])
            add_linear(entries, i, impulse, -1.0, body, force, size)
            add_angular(entries, i, impulse, 6, body, force, size)
        else:
            body = np.uint64(pairs[i, 0])
            add_linear(entries, i, impulse, 1.0, body, force, size)
            add_angular(entries, i, impulse, 3, body, force, size)


@kernel
def forces(team, pairs, entries, impulse, force, size):
    """force += D' impulse and size += |D|' |impulse|, six numbers per body; impulse has three per contact."""
    if len(team) == 0:
        forces_in_turn(pairs, entries, impulse, force, size)
        return
    parts, bodies = parts_of(len(pairs), LEAST), len(force)
    ranges = min(RANGES, bodies)
    counts, start = np.empty((parts, ranges), np.int64), np.zeros(ranges + 1, np.int64)
    count_sides(team, parts, (parts, pairs, ranges, bodies, counts))
    total = 0
    for one in range(ranges):
        for part in range(parts):
            total, counts[part, one] = total + counts[part, one], total
        start[one + 1] = total
    sides = np.empty(total, np.int32)
    sort_sides(team, parts, (parts, pairs, ranges, bodies, counts, sides))
    add_range(team, ranges, (start, sides, pairs, entries, impulse, force, size))
