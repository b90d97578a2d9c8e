"""The order in which contacts are swept: near in memory, and in groups that threads can share.

The order of the bodies (see `body_rank`) is cut into domains of equal size. Contacts inside a domain are a group of the
first phase. Contacts between two domains are a group too; those groups are coloured, so that no two of one colour have
a domain in common, and each colour is a further phase. Inside a group contacts come
in the order of the later of their bodies. Groups depend on the problem alone, so the answer does not depend on the
number of threads.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import inlined, kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared

MOST_DOMAINS = 128
CONTACTS_PER_DOMAIN = 2048
"""Smaller domains have more contacts with others than they save in waiting."""
LEAST = 4096
"""Contacts of a part of the loops below."""
STREAMS = 4
"""Pieces of a group that are swept in turns: contacts of one piece wait for one another, those of several do not."""


@inlined
def ends_of(body, rank, i):
    """Ranks of the two bodies of a contact."""
    return rank[np.uint64(body[np.uint64(i), 0])], rank[np.uint64(body[np.uint64(i), 1])]


@inlined
def domain_of(rank, domains, bodies):
    """The domain of a body: as many bodies in each."""
    return (np.int64(rank) * domains) // bodies


@shared
@kernel
def find_meeting(part, parts, body, rank, domains, met):
    """Mark the pairs of domains that have a contact, the smaller first; several threads may write the same mark."""
    bodies = len(rank)
    for i in range(first_of(part, parts, len(body)), first_of(part + 1, parts, len(body))):
        a, b = ends_of(body, rank, i)
        met[domain_of(min(a, b), domains, bodies), domain_of(max(a, b), domains, bodies)] = 1


@kernel
def number_pairs(met):
    """Number of the group of each pair of domains: inner ones first; and the two domains of each further group."""
    domains = len(met)
    number, count = np.zeros((domains, domains), np.int32), domains
    sides = np.empty((domains * (domains + 1) // 2, 2), np.int32)
    for a in range(domains):
        number[a, a] = a
        sides[a, 0], sides[a, 1] = a, a
    for a in range(domains):
        for b in range(a + 1, domains):
            if met[a, b]:
                number[a, b] = count
                sides[count, 0], sides[count, 1] = a, b
                count += 1
    return number, sides[:count]


@shared
@kernel
def count_groups(part, parts, body, rank, number, group, counts):
    """Group of each contact, and how many each part has of each."""
    domains, bodies, count = len(number), len(rank), counts[part]
    count[:] = 0
    for i in range(first_of(part, parts, len(body)), first_of(part + 1, parts, len(body))):
        a, b = ends_of(body, rank, i)
        found = number[domain_of(min(a, b), domains, bodies), domain_of(max(a, b), domains, bodies)]
        group[i] = found
        count[found] += 1


@kernel
def colours(sides, domains, sizes):
    """Colour of each group between two domains, large groups first: the smallest that neither domain has; and how
    many colours there are."""
    colour = np.zeros(len(sides), np.int32)
    used = np.zeros((domains, 2 * domains), np.bool_)
    most = 0
    for group in np.argsort(-sizes[domains:], kind="mergesort") + domains:
        a, b, c = sides[group, 0], sides[group, 1], 0
        while used[a, c] or used[b, c]:
            c += 1
        used[a, c], used[b, c] = True, True
        colour[group] = c
        most = max(most, c + 1)
    return colour, most


@kernel
def phases_of(sides, domains, counts):
    """Groups in the order of their phases, and where each phase begins among them."""
    sizes = np.zeros(len(sides), np.int64)
    for part in range(len(counts)):
        for group in range(len(sides)):
            sizes[group] += counts[part, group]
    colour, most = colours(sides, domains, sizes)
    start = np.zeros(most + 2, np.int64)
    start[1] = domains
    for group in range(domains, len(sides)):
        start[colour[group] + 2] += 1
    for c in range(most):
        start[c + 2] += start[c + 1]
    order, at = np.arange(len(sides)), start[1:].copy()
    for group in range(domains, len(sides)):
        order[at[colour[group]]] = group
        at[colour[group]] += 1
    return order, start


@kernel
def places_of_groups(counts, order):
    """Counts of (part, group) become the first place of each, groups in the given order; and where groups begin."""
    start, total = np.zeros(len(order) + 1, np.int64), 0
    for k in range(len(order)):
        for part in range(len(counts)):
            here = counts[part, order[k]]
            counts[part, order[k]] = total
            total += here
        start[k + 1] = total
    return start


@shared
@kernel
def place_by_groups(part, parts, group, counts, out):
    """Contacts sorted by groups, in their own order inside each."""
    at = counts[part]
    for i in range(first_of(part, parts, len(group)), first_of(part + 1, parts, len(group))):
        out[np.uint64(at[group[i]])] = i
        at[group[i]] += 1


@shared
@kernel
def deal_group(part, start, groups, sides, domains, body, rank, contacts, order, place, pairs):
    """Contacts of a group by the later of their bodies, their pieces dealt in turns."""
    first, size, bodies = start[part], start[part + 1] - start[part], len(rank)
    if size == 0:
        return
    later = np.int64(sides[groups[part], 1])
    # First and last rank of a domain: (rank * domains) // bodies == later.
    low = (later * bodies + domains - 1) // domains
    count = np.zeros((((later + 1) * bodies + domains - 1) // domains) - low + 1, np.int32)
    for k in range(first, first + size):
        a, b = ends_of(body, rank, contacts[k])
        count[max(a, b) - low + 1] += 1
    for k in range(1, len(count)):
        count[k] += count[k - 1]
    longer, piece = size % STREAMS, size // STREAMS
    for k in range(first, first + size):
        i = contacts[k]
        a, b = ends_of(body, rank, i)
        at = count[max(a, b) - low]
        count[max(a, b) - low] += 1
        # Pieces that are longer by one come first.
        if at < longer * (piece + 1):
            stream, within = at // (piece + 1), at % (piece + 1)
        else:
            rest = at - longer * (piece + 1)
            stream, within = longer + rest // piece, rest % piece
        to = np.uint64(first + within * STREAMS + stream)
        order[to], place[np.uint64(i)] = i, to
        pairs[to, 0], pairs[to, 1] = a, b


@kernel
def sweep_order(team, body, rank):
    """Where contacts of the given pairs of bodies are swept: (order, place, pairs, groups, phases).

    rank is the place of every body in memory. order has the contact at every place, place the place of every contact,
    pairs the ranks of its two bodies by place, groups the start of every group, phases the first group of every phase:
    groups of one phase have no body in common.
    """
    contacts, bodies = len(body), len(rank)
    domains = max(1, min(min(contacts // CONTACTS_PER_DOMAIN, MOST_DOMAINS), bodies))
    parts = parts_of(contacts, LEAST)
    met = np.zeros((domains, domains), np.uint8)
    find_meeting(team, parts, (parts, body, rank, domains, met))
    number, sides = number_pairs(met)
    group, counts = np.empty(contacts, np.int32), np.empty((parts, len(sides)), np.int32)
    count_groups(team, parts, (parts, body, rank, number, group, counts))
    groups, phases = phases_of(sides, domains, counts)
    start, sorted_contacts = places_of_groups(counts, groups), np.empty(contacts, np.int32)
    place_by_groups(team, parts, (parts, group, counts, sorted_contacts))
    order, place, pairs = np.empty(contacts, np.int64), np.empty(contacts, np.int64), np.empty((contacts, 2), np.uint32)
    data = (start, groups, sides, domains, body, rank, sorted_contacts, order, place, pairs)
    deal_group(team, len(groups), data)
    return order, place, pairs, start, phases
