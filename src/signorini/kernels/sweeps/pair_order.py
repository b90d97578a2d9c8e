"""The order in which contacts are swept: near in memory, and in groups that threads can share.

Bodies are numbered breadth first over the contact graph. Cutting that numbering in `parts` equal pieces gives groups
of contacts with no body in common (phase A); what crosses a cut lies inside a piece of the numbering cut half a piece
later (phase B); the few contacts left over are swept by one thread. The groups depend on the problem alone, so the
answer does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import inlined, kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch

LARGEST_PARTS = 64
SMALLEST_PART = 128
"""Contacts; smaller groups cost more in starting threads than they save."""
LARGEST_REMAINDER = 0.02
"""Share of the contacts that may be left for one thread before fewer, larger parts are tried."""
SAMPLE = 8
"""Every so manieth contact is looked at before all are."""
STREAMS = 4
"""Pieces of a group that are swept in turns: contacts of one piece wait for one another, those of several do not."""
AHEAD = 4
"""Bodies of the queue whose neighbours are asked for before they are needed."""
ONE, TWO = np.uint64(1), np.uint64(2)


@kernel
def neighbours(body, bodies):
    """Contacts of each body and the bodies on their other side, as (start, contact and other).

    Rows start[k]..start[k + 1] - 1 are those of body k: `2 i` where it is the first body of contact i and `2 i + 1`
    where it is the second, then the other body; a contact that names a body twice is there once.
    """
    start = np.zeros(bodies + 2, np.int32)
    for count in range(len(body)):
        i = np.uint64(count)
        a, b = np.uint64(body[i, 0]), np.uint64(body[i, 1])
        start[a + TWO] += 1
        start[b + TWO] += a != b
    for k in range(bodies):
        start[k + 2] += start[k + 1]
    # What lies at start[k + 1] is the place for the next contact of body k, and in the end where its contacts end.
    near = np.empty((start[bodies + 1] + 1, 2), np.int32)
    for count in range(len(body)):
        i = np.uint64(count)
        a, b = np.uint64(body[i, 0]), np.uint64(body[i, 1])
        at = np.uint64(start[a + ONE])
        near[at, 0], near[at, 1] = 2 * count, b
        start[a + ONE] += 1
        if b != a:
            at = np.uint64(start[b + ONE])
            near[at, 0], near[at, 1] = 2 * count + 1, a
            start[b + ONE] += 1
    return start[: bodies + 1], near


@inlined
def ask_for_neighbours(start, near, queue, k, tail):
    """Ask for the neighbours of a body that comes a little later in the queue."""
    prefetch(near, np.uint64(start[np.uint64(queue[np.uint64(min(k + AHEAD, tail - 1))])]), FIRST)


@kernel
def breadth_first(start, near, root, seen, mark, queue, head):
    """Append the bodies connected to `root` to `queue` from position `head`; returns the new length."""
    tail = head + 1
    queue[head] = root
    seen[root] = mark
    while head < tail:
        ask_for_neighbours(start, near, queue, head, tail)
        a = np.uint64(queue[np.uint64(head)])
        head += 1
        for k in range(start[a], start[a + ONE]):
            b = np.uint64(near[np.uint64(k), 1])
            # Without a branch, which would be hard to guess: what is not new is written over by the next.
            queue[np.uint64(tail)] = b
            tail += seen[b] != mark
            seen[b] = mark
    return tail


@kernel
def body_queue(start, near):
    """Bodies in a breadth-first order that begins at the far end of every connected piece."""
    bodies = len(start) - 1
    seen = np.zeros(bodies, np.int8)
    queue = np.empty(bodies + 1, np.int32)
    tail = 0
    for root in range(bodies):
        if seen[root] == 0:
            # The last body reached from anywhere is nearly peripheral: from there the levels are narrow.
            end = breadth_first(start, near, root, seen, 1, queue, tail)
            tail = breadth_first(start, near, queue[end - 1], seen, 2, queue, tail)
    return queue[:bodies]


@kernel
def by_last_body(start, near, queue, contacts):
    """Position of each body in the queue, and contacts in the order of the later of their bodies.

    Of every contact in that order: its number, the positions of its first and second body, and how many contacts come
    before those of the earlier and of the later one.
    """
    bodies = len(queue)
    position, before = np.empty(bodies, np.int32), np.empty(bodies, np.int32)
    for k in range(bodies):
        position[np.uint64(queue[k])] = k
    order = np.empty(contacts + 1, np.int32)
    ends, weights = np.empty((contacts + 1, 2), np.int32), np.empty((contacts + 1, 2), np.int32)
    count = np.uint64(0)
    for k in range(bodies):
        ask_for_neighbours(start, near, queue, k, bodies)
        a, before[k] = np.uint64(queue[k]), count
        for q in range(start[a], start[a + ONE]):
            i, earlier = near[np.uint64(q), 0], position[np.uint64(near[np.uint64(q), 1])]
            side = np.uint64(i & 1)
            # Written in any case, counted where this is the later body: no branch, as above.
            order[count], ends[count, side], ends[count, ONE - side] = i >> 1, k, earlier
            weights[count, 0], weights[count, 1] = before[np.uint64(min(earlier, k))], before[k]
            count += np.uint64(earlier <= k)
    return position, order[:contacts], ends[:contacts], weights[:contacts]


@kernel
def groups_of(weights, parts, stride, group):
    """Group of every contact: 0..parts-1 phase A, parts..2 parts phase B, then the remainder; returns its size.

    The contacts before those of a body tell its piece, when all are cut in `parts` equal pieces. With a `stride` above
    1, only every so manieth contact is looked at.
    """
    share, left = parts / max(1, len(weights)), 0
    for count in range(0, len(weights), stride):
        i = np.uint64(count)
        a, b = share * weights[i, 0], share * weights[i, 1]
        if int(a) == int(b):
            group[i] = min(int(a), parts - 1)
        elif int(a + 0.5) == int(b + 0.5):
            group[i] = parts + int(a + 0.5)
        else:
            group[i] = 2 * parts + 1
            left += 1
    return left


@kernel
def deal(group, groups, order, ends):
    """Sort by groups, and deal the `STREAMS` pieces of every group in turns: neighbours seldom wait for one another.

    Returns the contact at every place, the place of every contact, the positions of its bodies by place, and the start
    of every group.
    """
    contacts = len(order)
    start = np.zeros(groups + 1, np.int64)
    for g in group:
        start[g + 1] += 1
    # Of every group the next place, the piece it belongs to, and how many contacts that piece still takes.
    at, piece, left = np.empty(groups, np.int64), np.zeros(groups, np.int64), np.empty(groups, np.int64)
    for g in range(groups):
        at[g], left[g] = start[g], (start[g + 1] + STREAMS - 1) // STREAMS
        start[g + 1] += start[g]
    dealt, place, body = np.empty(contacts, np.int64), np.empty(contacts, np.int64), np.empty((contacts, 2), np.uint32)
    for count in range(contacts):
        k, g = np.uint64(count), np.uint64(group[count])
        if left[g] == 0:  # on to the next piece: those that are longer by one come first
            piece[g] += 1
            at[g] = start[g] + piece[g]
            left[g] = (start[g + ONE] - start[g] - piece[g] + STREAMS - 1) // STREAMS
        to = np.uint64(at[g])
        at[g] += STREAMS
        left[g] -= 1
        dealt[to], place[np.uint64(order[k])] = order[k], to
        body[to, 0], body[to, 1] = ends[k, 0], ends[k, 1]
    return dealt, place, body, start


@kernel
def sweep_order(body, bodies):
    """Where contacts of the given pairs of bodies are swept: (order, place, pairs, groups, parts, position).

    order has the contact at every place, place the place of every contact, pairs the positions of its two bodies by
    place, position the place of every body, groups the start of every group. Groups 0..parts-1 share no body with one
    another, nor do groups parts..2 parts; the last group is the remainder.
    """
    contacts = len(body)
    start, near = neighbours(body, bodies)
    position, order, ends, weights = by_last_body(start, near, body_queue(start, near), contacts)
    group = np.empty(contacts, np.int16)
    parts = 1
    while parts < LARGEST_PARTS and contacts >= 2 * parts * SMALLEST_PART:
        parts *= 2
    for stride in (SAMPLE, 1):
        while groups_of(weights, parts, stride, group) > LARGEST_REMAINDER * contacts / stride and parts > 4:
            parts //= 2
    dealt, place, pairs, groups = deal(group, 2 * parts + 2, order, ends)
    return dealt, place, pairs, groups, parts, position
