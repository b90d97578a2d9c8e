"""The order in which contacts are swept: near in memory, and in groups that threads can share.

Bodies are numbered breadth first over the contact graph. Cutting that numbering in `parts` equal pieces gives groups
of contacts with no body in common (phase A); what crosses a cut lies inside a piece of the numbering cut half a piece
later (phase B); the few contacts left over are swept by one thread. The groups depend on the problem alone, so the
answer does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel

LARGEST_PARTS = 64
SMALLEST_PART = 128
"""Contacts; smaller groups cost more in starting threads than they save."""
LARGEST_REMAINDER = 0.02
"""Share of the contacts that may be left for one thread before fewer, larger parts are tried."""


@kernel
def neighbours(body, bodies):
    """Contacts of each body and the bodies on their other side, as (start, contact, other).

    contact[start[i]:start[i + 1]] are the contacts of body i; one that names a body twice is there once.
    """
    start = np.zeros(bodies + 1, np.int32)
    for i in range(len(body)):
        start[body[i, 0] + 1] += 1
        if body[i, 1] != body[i, 0]:
            start[body[i, 1] + 1] += 1
    for k in range(bodies):
        start[k + 1] += start[k]
    fill = start[:-1].copy()
    contact, other = np.empty(start[bodies], np.int32), np.empty(start[bodies], np.int32)
    for i in range(len(body)):
        a, b = body[i, 0], body[i, 1]
        contact[fill[a]], other[fill[a]] = i, b
        fill[a] += 1
        if b != a:
            contact[fill[b]], other[fill[b]] = i, a
            fill[b] += 1
    return start, contact, other


@kernel
def breadth_first(start, other, root, seen, mark, queue, head):
    """Append the bodies connected to `root` to `queue` from position `head`; returns the new length."""
    tail = head + 1
    queue[head] = root
    seen[root] = mark
    while head < tail:
        a = queue[head]
        head += 1
        for k in range(start[a], start[a + 1]):
            b = other[k]
            if seen[b] != mark:
                seen[b] = mark
                queue[tail] = b
                tail += 1
    return tail


@kernel
def body_queue(start, other):
    """Bodies in a breadth-first order that begins at the far end of every connected piece."""
    bodies = len(start) - 1
    seen = np.zeros(bodies, np.int8)
    queue = np.empty(bodies, np.int32)
    tail = 0
    for root in range(bodies):
        if seen[root] == 0:
            # The last body reached from anywhere is nearly peripheral: from there the levels are narrow.
            end = breadth_first(start, other, root, seen, 1, queue, tail)
            tail = breadth_first(start, other, queue[end - 1], seen, 2, queue, tail)
    return queue


@kernel
def by_last_body(start, contact, other, queue, contacts):
    """Position of each body in the queue, contacts in the order of the later of their bodies, contacts per body so."""
    bodies = len(queue)
    position, weight, order = np.empty(bodies, np.int64), np.zeros(bodies, np.int64), np.empty(contacts, np.int64)
    for k in range(bodies):
        position[queue[k]] = k
    count = 0
    for k in range(bodies):
        a, before = queue[k], count
        for q in range(start[a], start[a + 1]):
            if position[other[q]] <= k:
                order[count] = contact[q]
                count += 1
        weight[k] = count - before
    return position, weight, order


@kernel
def cut(weight, total, parts, shift):
    """Piece of each body when the running weight is cut in `parts` equal pieces, all cuts moved by `shift` pieces."""
    piece = np.empty(len(weight), np.int64)
    running = 0
    for k in range(len(weight)):
        piece[k] = int((running * parts) / total + shift)
        running += weight[k]
    return piece


@kernel
def groups_of(body, position, weight, parts, group):
    """Group of each contact: 0..parts-1 phase A, parts..2 parts phase B, then the remainder; returns its size."""
    total = max(1, len(body))
    first = cut(weight, total, parts, 0.0)
    second = cut(weight, total, parts, 0.5)
    left = 0
    for i in range(len(body)):
        a, b = position[body[i, 0]], position[body[i, 1]]
        if first[a] == first[b]:
            group[i] = min(first[a], parts - 1)
        elif second[a] == second[b]:
            group[i] = parts + second[a]
        else:
            group[i] = 2 * parts + 1
            left += 1
    return left


@kernel
def counting_sort(key, keys, order):
    """Stable order of `order` by `key`, and the start of every key."""
    start = np.zeros(keys + 1, np.int64)
    for i in order:
        start[key[i] + 1] += 1
    for k in range(keys):
        start[k + 1] += start[k]
    fill = start[:-1].copy()
    out = np.empty_like(order)
    for i in order:
        out[fill[key[i]]] = i
        fill[key[i]] += 1
    return out, start


@kernel
def interleave(order, start):
    """Deal the two halves of every group alternately: neighbours in the order then seldom wait for one another."""
    out = np.empty_like(order)
    for g in range(len(start) - 1):
        first, last = start[g], start[g + 1]
        half = (last - first + 1) // 2
        for k in range(last - first):
            out[first + k] = order[first + k // 2 + (half if k % 2 else 0)]
    return out


@kernel
def sweep_order(body, bodies):
    """Order of the contacts, start of their groups, number of parts, and position of the bodies.

    Groups 0..parts-1 share no body with one another, nor do groups parts..2 parts; the last group is the remainder.
    """
    contacts = len(body)
    start, contact, other = neighbours(body, bodies)
    position, weight, order = by_last_body(start, contact, other, body_queue(start, other), contacts)
    parts = 1
    while parts < LARGEST_PARTS and contacts >= 2 * parts * SMALLEST_PART:
        parts *= 2
    group = np.empty(contacts, np.int64)
    while groups_of(body, position, weight, parts, group) > LARGEST_REMAINDER * contacts and parts > 4:
        parts //= 2
    order, first = counting_sort(group, 2 * parts + 2, order)
    return interleave(order, first), first, parts, position
