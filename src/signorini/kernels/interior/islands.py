"""Islands of a small problem: sets of contacts that are not coupled."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.body_graph import root_of


@kernel
def _coupled(blocks, kept, N, i, j):
    """Whether N has an entry between two blocks."""
    for k in range(blocks[i], blocks[i + 1]):
        for m in range(blocks[j], blocks[j + 1]):
            if N[kept[k], kept[m]] != 0.0 or N[kept[m], kept[k]] != 0.0:
                return True
    return False


@kernel
def islands(blocks, kept, N):
    """Blocks in the order of their islands, rising in each; where each island begins, then where the last one ends.

    Block i has the rows `kept[blocks[i]:blocks[i + 1]]` of N.
    """
    count = len(blocks) - 1
    label, waiting, islands_found = np.full(count, -1, np.int64), np.empty(count, np.int64), 0
    for seed in range(count):
        if label[seed] >= 0:
            continue
        label[seed], waiting[0], left = islands_found, seed, 1
        while left:
            left -= 1
            i = waiting[left]
            for j in range(count):
                if label[j] < 0 and _coupled(blocks, kept, N, i, j):
                    label[j], waiting[left] = islands_found, j
                    left += 1
        islands_found += 1
    return sorted_by(label, islands_found)


@kernel
def sorted_by(label, labels):
    """Places in the order of their labels, rising in each; where each label begins, then where the last one ends."""
    first, order = np.zeros(labels + 1, np.int64), np.empty(len(label), np.int64)
    for i in range(len(label)):
        first[label[i] + 1] += 1
    for i in range(labels):
        first[i + 1] += first[i]
    place = first.copy()
    for i in range(len(label)):
        order[place[label[i]]] = i
        place[label[i]] += 1
    return order, first


@kernel
def islands_of_bodies(bodies, pairs):
    """As `islands`, for blocks between pairs of bodies, -1 for none; then the number of each body in its island, and
    how many bodies each island has."""
    parent, label, found = np.arange(bodies), np.empty(len(pairs), np.int64), 0
    for i in range(len(pairs)):
        if pairs[i, 1] >= 0:
            a, b = root_of(parent, pairs[i, 0]), root_of(parent, pairs[i, 1])
            parent[max(a, b)] = min(a, b)
    of, number = np.full(bodies, -1, np.int64), np.empty(bodies, np.int64)
    size = np.zeros(bodies, np.int64)
    for i in range(len(pairs)):
        root = root_of(parent, pairs[i, 0])
        if of[root] < 0:
            of[root] = found
            found += 1
        label[i] = of[root]
    for k in range(bodies):
        own = of[root_of(parent, k)]
        number[k] = size[own] if own >= 0 else -1
        size[own] += own >= 0
    order, first = sorted_by(label, found)
    return order, first, number, size[:found]


@kernel
def part_of(own, blocks, kept, factor):
    """(start, kept, factor) of some of the blocks."""
    start, rows = np.zeros(len(own) + 1, np.int64), 0
    for i in range(len(own)):
        rows += blocks[own[i] + 1] - blocks[own[i]]
        start[i + 1] = rows
    of, size = np.empty(rows, np.int64), np.empty(rows)
    for i in range(len(own)):
        for k in range(start[i + 1] - start[i]):
            of[start[i] + k], size[start[i] + k] = kept[blocks[own[i]] + k], factor[blocks[own[i]] + k]
    return start, of, size
