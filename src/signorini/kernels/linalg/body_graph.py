"""Which bodies touch which, and in what order to eliminate them: the analysis of a block Cholesky factorisation."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel

SIX = 6
"""Velocities of a body."""


@kernel
def bodies_of(column_start, columns, bodies):
    """The one or two bodies of every block of rows, the second -1 where there is none; False for other columns."""
    for i in range(len(column_start) - 1):
        first, width = column_start[i], column_start[i + 1] - column_start[i]
        if width != SIX and width != 2 * SIX:
            return False
        bodies[i, 1] = -1
        for half in range(width // SIX):
            place = first + SIX * half
            if columns[place] % SIX:
                return False
            for k in range(SIX):
                if columns[place + k] != columns[place] + k:
                    return False
            bodies[i, half] = columns[place] // SIX
    return True


@kernel
def _touching(count, bodies):
    """Which bodies touch, shape (bodies, bodies), and how many each one touches."""
    touch = np.zeros((count, count), dtype=np.uint8)
    degree = np.zeros(count, dtype=np.int64)
    for i in range(len(bodies)):
        a, b = bodies[i, 0], bodies[i, 1]
        if b >= 0 and not touch[a, b]:
            touch[a, b] = touch[b, a] = 1
            degree[a] += 1
            degree[b] += 1
    return touch, degree


@kernel
def minimum_degree(count, bodies, most):
    """Eliminate the body that touches fewest until all are gone: (sequence, touch) where `touch` has the fill.

    None of it counts when the products of blocks exceed `most`: then the sequence is empty.
    """
    touch, degree = _touching(count, bodies)
    alive = np.ones(count, dtype=np.uint8)
    sequence = np.empty(count, dtype=np.int64)
    near = np.empty(count, dtype=np.int64)
    products = 0
    for k in range(count):
        best = -1
        for i in range(count):
            if alive[i] and (best < 0 or degree[i] < degree[best]):
                best = i
        sequence[k] = best
        alive[best] = 0
        found = 0
        for j in range(count):
            if alive[j] and touch[best, j]:
                near[found] = j
                found += 1
        products += found * (found + 1) // 2
        if products > most:
            return sequence[:0], touch
        for a in range(found):
            u = near[a]
            degree[u] -= 1
            for b in range(a):
                v = near[b]
                if not touch[u, v]:
                    touch[u, v] = touch[v, u] = 1
                    degree[u] += 1
                    degree[v] += 1
    return sequence, touch


@kernel
def columns_of(sequence, touch):
    """(place, start, row): where each body stands in the sequence, and the blocks of each column of the factor.

    Column k begins with its diagonal; rows are places and rise.
    """
    count = len(sequence)
    place = np.empty(count, dtype=np.int64)
    for k in range(count):
        place[sequence[k]] = k
    start = np.zeros(count + 1, dtype=np.int64)
    for k in range(count):
        size = 1
        for j in range(count):
            if touch[sequence[k], j] and place[j] > k:
                size += 1
        start[k + 1] = start[k] + size
    row = np.empty(start[count], dtype=np.int64)
    for k in range(count):
        at = start[k]
        row[at] = k
        for q in range(k + 1, count):
            if touch[sequence[k], sequence[q]]:
                at += 1
                row[at] = q
    return place, start, row


@kernel
def landing(bodies, place, start, row, land):
    """Where the blocks of every contact land: (first body, second body, both), -1 where there is none.

    The sign of the third is that of the order: `-2 - block` where the second body is eliminated before the first.
    """
    for i in range(len(bodies)):
        a, b = bodies[i, 0], bodies[i, 1]
        land[i, 0] = start[place[a]]
        land[i, 1] = land[i, 2] = -1
        if b < 0:
            continue
        land[i, 1] = start[place[b]]
        early, late = min(place[a], place[b]), max(place[a], place[b])
        block = start[early]
        while row[block] != late:
            block += 1
        land[i, 2] = block if place[a] < place[b] else -2 - block
