"""Orthonormalisation of rows in order, without mixing rows of heavy bodies into those of light ones.

Gram-Schmidt and not Householder: a row is changed only in the columns of the rows that it touches, so that what is
exactly zero stays so, and bodies of very different mass meet only where a contact joins them.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import dot

GROUP = 16
"""Zeros are skipped in groups of this many columns."""

AGAIN = 0.5
"""A row of which less than this share is left is orthogonalised again, to remove round-off."""


@kernel
def _supports(B, used):
    """used[j, g] = whether row j has an entry in the g-th group of columns."""
    for j in range(B.shape[0]):
        for g in range(used.shape[1]):
            used[j, g] = False
            for i in range(g * GROUP, min((g + 1) * GROUP, B.shape[1])):
                if B[j, i] != 0.0:
                    used[j, g] = True
                    break


@kernel
def _dot(a, b, used_a, used_b):
    total = 0.0
    for g in range(len(used_a)):
        if used_a[g] and used_b[g]:
            total += dot(a, b, g * GROUP, min((g + 1) * GROUP, len(a)))
    return total


@kernel
def _subtract(factor, a, used_a, b, used_b):
    """b -= factor * a."""
    for g in range(len(used_a)):
        if used_a[g]:
            used_b[g] = True
            for i in range(g * GROUP, min((g + 1) * GROUP, len(a))):
                b[i] -= factor * a[i]


@kernel
def orthonormalise(B, order, dependent, R, kept):
    """Turn rows of B into orthonormal ones Q, in the given order, `B_j = sum_k R[k, j] Q_k`; how many there are.

    `kept[k]` is the row of B that Q_k stands in. Rows whose rest falls below `dependent` times their norm are
    combinations of earlier ones: they get no Q, and no place in `kept`. R must hold zeros.
    """
    m, columns = B.shape
    used = np.empty((m, (columns + GROUP - 1) // GROUP), dtype=np.bool_)
    _supports(B, used)
    rank = 0
    for p in order:
        size = norm = math.sqrt(_dot(B[p], B[p], used[p], used[p]))
        before = math.inf
        while norm < AGAIN * before:
            before = norm
            for i in range(rank):
                q = kept[i]
                part = _dot(B[q], B[p], used[q], used[p])
                if part != 0.0:
                    R[i, p] += part
                    _subtract(part, B[q], used[q], B[p], used[p])
            norm = math.sqrt(_dot(B[p], B[p], used[p], used[p]))
            if not norm > dependent * size:
                break
        if not norm > dependent * size:
            continue
        R[rank, p] = norm
        for i in range(columns):
            B[p, i] /= norm
        kept[rank] = p
        rank += 1
    return rank


@kernel
def forward(R, kept, rank, right, out):
    """out with `R' out = right`, in the rows that have a place in `kept`."""
    for k in range(rank):
        total = right[kept[k]]
        for i in range(k):
            total -= R[i, kept[k]] * out[i]
        out[k] = total / R[k, kept[k]]


@kernel
def backward(R, kept, rank, right, out):
    """out with `R out = right`, each in the place of its row; the others are not touched."""
    for k in range(rank - 1, -1, -1):
        total = right[k]
        for i in range(k + 1, rank):
            total -= R[k, kept[i]] * out[kept[i]]
        out[kept[k]] = total / R[k, kept[k]]
