"""The order in which contacts are swept: near in memory, and in groups that threads can share.

The order of the bodies (see `body_rank`) is cut into domains of equal size. Contacts inside a domain are a group of the
first phase. Most of the others are inside a domain of a second order of the bodies, which is cut elsewhere, and so on:
one phase for each order. The few contacts that are inside no domain are one group, swept last; where they are many, a
group for each pair of domains, coloured so that no two of one colour have a domain in common, each colour a phase.

Inside a group contacts come in the order of the later of their bodies. Groups depend on the problem alone, so the
answer does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared

MOST_DOMAINS = 128
CONTACTS_PER_DOMAIN = 1536
"""Smaller domains have more contacts with others than they save in waiting."""
ROUND = 16
"""Where there are more domains than that, their number is a multiple: as many for each thread of 2, 4, 8 or 16."""
SMALL_REST = 0.02
"""Share of the contacts that one thread may have to sweep by itself."""
LEAST = 4096
"""Contacts of a part of the loops below."""
STREAMS = 4
"""Pieces of a group that are swept in turns: contacts of one piece wait for one another, those of several do not."""


@kernel
def domains_of(contacts, bodies, share):
    """Into how many domains bodies are cut, for `share` contacts or more in each."""
    domains = max(1, min(min(contacts // share, MOST_DOMAINS), bodies))
    return domains if domains < ROUND else domains - domains % ROUND


@shared
@kernel
def find_domains(part, parts, ranks, domains, domain):
    """Domain of every body in each order: as many bodies in each."""
    bodies = ranks.shape[1]
    for k in range(len(ranks)):
        for i in range(first_of(part, parts, bodies), first_of(part + 1, parts, bodies)):
            domain[k, i] = np.int64(ranks[k, i]) * domains // bodies


@shared
@kernel
def find_groups(part, parts, body, domain, group, met, rest):
    """Group of each contact inside a domain of any order, -1 for the others, whose pairs of domains of the first order
    are marked, the smaller first; several threads may write the same mark. rest[part] is how many they are."""
    domains, left = len(met), 0
    for count in range(first_of(part, parts, len(body)), first_of(part + 1, parts, len(body))):
        i = np.uint64(count)
        p, q, found = np.uint64(body[i, 0]), np.uint64(body[i, 1]), -1
        for k in range(len(domain)):
            if domain[k, p] == domain[k, q]:
                found = k * domains + domain[k, p]
                break
        group[i] = found
        if found < 0:
            left += 1
            met[min(domain[0, p], domain[0, q]), max(domain[0, p], domain[0, q])] = 1
    rest[part] = left


@kernel
def number_pairs(met, first):
    """Number of the group of each pair of domains that have met, from `first` on; and the two domains of each."""
    domains, count = len(met), 0
    number, sides = np.zeros((domains, domains), np.int32), np.empty((domains * domains, 2), np.int32)
    for a in range(domains):
        for b in range(a + 1, domains):
            if met[a, b]:
                number[a, b] = first + count
                sides[count, 0], sides[count, 1] = a, b
                count += 1
    return number, sides[:count].copy()


@shared
@kernel
def count_groups(part, parts, body, domain, number, group, counts):
    """How many contacts each part has of each group; those without one get that of their pair of domains."""
    count = counts[part]
    count[:] = 0
    for k in range(first_of(part, parts, len(body)), first_of(part + 1, parts, len(body))):
        i = np.uint64(k)
        if group[i] < 0:
            one, two = domain[0, np.uint64(body[i, 0])], domain[0, np.uint64(body[i, 1])]
            group[i] = number[min(one, two), max(one, two)]
        count[group[i]] += 1


@kernel
def colours(sides, domains, sizes):
    """Colour of each group between two domains, large groups first: the smallest that neither domain has; and how
    many colours there are."""
    colour = np.zeros(len(sides), np.int32)
    used = np.zeros((domains, 2 * domains), np.bool_)
    most = 0
    for group in np.argsort(-sizes, kind="mergesort"):
        a, b, c = sides[group, 0], sides[group, 1], 0
        while used[a, c] or used[b, c]:
            c += 1
        used[a, c], used[b, c] = True, True
        colour[group] = c
        most = max(most, c + 1)
    return colour, most


@kernel
def phases_of(counts, orders, domains, sides):
    """Groups in the order of their phases, and where each phase begins among them."""
    inner, groups = orders * domains, counts.shape[1]
    sizes = np.zeros(groups, np.int64)
    for part in range(len(counts)):
        for group in range(groups):
            sizes[group] += counts[part, group]
    colour, most = np.zeros(groups - inner, np.int32), min(1, groups - inner)
    if len(sides):
        colour, most = colours(sides, domains, sizes[inner:])
    start = np.zeros(orders + most + 1, np.int64)
    start[: orders + 1] = domains * np.arange(orders + 1)
    for k in range(len(colour)):
        start[orders + colour[k] + 1] += 1
    for c in range(most):
        start[orders + c + 1] += start[orders + c]
    order, at = np.arange(groups), start.copy()
    for k in range(len(colour)):
        order[at[orders + colour[k]]] = inner + k
        at[orders + colour[k]] += 1
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


@kernel
def later_of(body, ranks, k, i):
    """The later rank of the two bodies of a contact in an order of the bodies."""
    return max(ranks[k, np.uint64(body[i, 0])], ranks[k, np.uint64(body[i, 1])])


@shared
@kernel
def deal_group(part, start, groups, spans, body, ranks, contacts, order, place, pairs):
    """Contacts of a group by the later of their bodies, their pieces dealt in turns.

    spans has the order of the bodies that a group belongs to, and the ranks between which its later bodies are.
    """
    first, size = start[part], start[part + 1] - start[part]
    if size == 0:
        return
    k, low, high = spans[groups[part], 0], spans[groups[part], 1], spans[groups[part], 2]
    count = np.zeros(high - low + 1, np.int32)
    for at in range(first, first + size):
        count[later_of(body, ranks, k, np.uint64(contacts[at])) - low + 1] += 1
    for at in range(1, len(count)):
        count[at] += count[at - 1]
    longer, piece = size % STREAMS, size // STREAMS
    for at in range(first, first + size):
        i = np.uint64(contacts[at])
        later = later_of(body, ranks, k, i) - low
        here = count[later]
        count[later] += 1
        # Pieces that are longer by one come first.
        if here < longer * (piece + 1):
            stream, within = here // (piece + 1), here % (piece + 1)
        else:
            rest = here - longer * (piece + 1)
            stream, within = longer + rest // piece, rest % piece
        to = np.uint64(first + within * STREAMS + stream)
        order[to], place[i] = i, to
        pairs[to, 0], pairs[to, 1] = ranks[0, np.uint64(body[i, 0])], ranks[0, np.uint64(body[i, 1])]


@kernel
def spans_of(orders, domains, sides, groups, bodies):
    """For each group: its order of the bodies, and first and last rank of its later bodies, the last not included."""
    spans = np.empty((groups, 3), np.int64)
    for group in range(groups):
        k = group // domains if group < orders * domains else 0
        domain = group % domains if group < orders * domains else -1
        if len(sides) and group >= orders * domains:
            domain = np.int64(sides[group - orders * domains, 1])
        spans[group, 0], spans[group, 1], spans[group, 2] = k, 0, bodies
        if domain >= 0:
            # The ranks with (rank * domains) // bodies == domain.
            spans[group, 1] = (domain * bodies + domains - 1) // domains
            spans[group, 2] = ((domain + 1) * bodies + domains - 1) // domains
    return spans


@kernel
def sweep_order(team, body, ranks, domains):
    """Where contacts of the given pairs of bodies are swept: (order, place, pairs, groups, phases).

    ranks has one order of the bodies per row, of which the first is that of their places in memory. order has the
    contact at every place, place the place of every contact, pairs the ranks of its two bodies by place, groups the
    start of every group, phases the first group of every phase: groups of one phase have no body in common.
    """
    contacts, orders, bodies = len(body), len(ranks), ranks.shape[1]
    parts = parts_of(contacts, LEAST)
    group, rest = np.empty(contacts, np.int32), np.empty(parts, np.int64)
    met, domain, pieces = (
        np.zeros((domains, domains), np.uint8),
        np.empty(ranks.shape, np.int16),
        parts_of(bodies, LEAST),
    )
    find_domains(team, pieces, (pieces, ranks, domains, domain))
    find_groups(team, parts, (parts, body, domain, group, met, rest))
    left, inner = rest.sum(), orders * domains
    number, sides = np.full((domains, domains), inner, np.int32), np.empty((0, 2), np.int32)
    if left > SMALL_REST * contacts:
        number, sides = number_pairs(met, inner)
    groups = inner + (len(sides) if len(sides) else min(1, left))
    counts = np.empty((parts, groups), np.int32)
    count_groups(team, parts, (parts, body, domain, number, group, counts))
    group_order, phases = phases_of(counts, orders, domains, sides)
    start, by_group = places_of_groups(counts, group_order), np.empty(contacts, np.int32)
    place_by_groups(team, parts, (parts, group, counts, by_group))
    order, place, pairs = np.empty(contacts, np.int64), np.empty(contacts, np.int64), np.empty((contacts, 2), np.uint32)
    spans = spans_of(orders, domains, sides, groups, bodies)
    deal_group(team, groups, (start, group_order, spans, body, ranks, by_group, order, place, pairs))
    return order, place, pairs, start, phases
