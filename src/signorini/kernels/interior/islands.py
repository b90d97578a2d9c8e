"""Parts of a small problem that do not act on one another."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel


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
    first, order = np.zeros(islands_found + 1, np.int64), np.empty(count, np.int64)
    for i in range(count):
        first[label[i] + 1] += 1
    for i in range(islands_found):
        first[i + 1] += first[i]
    place = first.copy()
    for i in range(count):
        order[place[label[i]]] = i
        place[label[i]] += 1
    return order, first
