"""Contacts that only touch: whether no impulses at all are a stable answer of the exact law."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel

TOUCHING = 1e-6
"""Contacts with a normal slip below this (the largest slip is 1) touch,"""
ROUND_OFF = 1e-8
"""Coupling of normal slips below this share of the largest entry of N is what eliminating joints leaves of none."""
WEDGED, WEDGE_STEPS = 1e-6, 40
"""and wedge where pressure produces this share of pressure; most gradient steps of that test."""


@kernel
def stays_idle(start, N, slip, along):
    """Whether contacts that only touch part again when they are pressed a little, or do not care.

    A pressed contact slides on with full friction against its slip, so that impulses p along the normals change the
    normal slips by `M p`, `M_ij = N_i (e - h_j)`. Where `p'M p < 0` for some p >= 0, pressure increases pressure: the
    bodies wedge. The worst p is looked for by projected gradient steps from equal ones. `slip` and `along` are those of
    no impulses.
    """
    blocks = len(start) - 1
    M, p, q = np.zeros((blocks, blocks)), np.zeros(blocks), np.empty(blocks)
    size = 0.0
    for i in range(blocks):
        p[i] = 1.0 if slip[start[i]] <= TOUCHING else 0.0
        for j in range(blocks):
            total = N[start[i], start[j]]
            for k in range(start[j] + 1, start[j + 1]):
                total -= N[start[i], k] * along[k]
            M[i, j] = total
        row = 0.0
        for j in range(blocks):
            row += abs(M[i, j])
        size = max(size, row)
    largest = 0.0
    for i in range(len(N)):
        largest = max(largest, abs(N[i, i]))
    if size <= ROUND_OFF * largest:
        return True
    for _ in range(WEDGE_STEPS):
        curve, square = 0.0, 0.0
        for i in range(blocks):
            q[i] = 0.0
            for j in range(blocks):
                q[i] += 0.5 * (M[i, j] + M[j, i]) * p[j]
            curve += p[i] * q[i]
            square += p[i] * p[i]
        if square == 0.0:
            return True
        if curve < -WEDGED * size * square:
            return False
        scale = 1.0 / math.sqrt(square)
        for i in range(blocks):
            p[i] = max(0.0, scale * (p[i] - q[i] / size)) if p[i] > 0.0 else 0.0
    return True
