"""What the impulses of rigid contacts do to the bodies, `D' impulse`, with the sizes of its terms.

One thread goes through the contacts. Of several, each takes a range of bodies, looks at all contacts and adds up those
of its bodies: the same terms in the same order, prefetched, since they are anywhere in memory. (Sorting the contacts by
bodies first was slower: threads that write next to one another wait for one another.)
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies.rigid_rows import LAST, WIDTH, second_ahead
from signorini.kernels.compile import kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch, prefetch_for_write
from signorini.kernels.threads.parts import THREADS, first_of, shared

CHUNK, SIDES_AHEAD, NUMBERS_OF_A_LINE = 2048, 6, 8
"""Contacts of a chunk, prefetch distance in sides, numbers of a cache line."""
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
def sides_in_range(pairs, begin, end, first, last, sides):
    """Sides of the contacts begin..end-1 that are bodies of a range, as 2 i for the first and 2 i + 1 for the second.

    How many there are. Without branches: which contacts are meant cannot be predicted.
    """
    found = 0
    for count in range(begin, end):
        p, q = pairs[np.uint64(count), FIRST], pairs[np.uint64(count), SECOND]
        sides[np.uint64(found)] = 2 * count
        found += (first <= p) & (p < last)
        sides[np.uint64(found)] = 2 * count + 1
        found += (first <= q) & (q < last) & (p != q)
    return found


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
def add_range(part, ranges, pairs, entries, impulse, force, size):
    """The forces on the bodies of one range, by a look at all contacts, a chunk at a time."""
    first, last = first_of(part, ranges, len(force)), first_of(part + 1, ranges, len(force))
    sides = np.empty(2 * CHUNK + 1, np.int64)
    for begin in range(0, len(pairs), CHUNK):
        found = sides_in_range(pairs, begin, min(begin + CHUNK, len(pairs)), first, last, sides)
        for k in range(found):
            prefetch_side(pairs, entries, force, size, sides[min(k + SIDES_AHEAD, found - 1)])
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
    ranges = team[THREADS]
    add_range(team, ranges, (ranges, pairs, entries, impulse, force, size))
