"""Slips of free motion and the diagonal of N.

Indices are unsigned in the products with vectors: the wraparound of negative ones would halve the speed.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel


@kernel
def free_slips(indptr, indices, data, velocity, b, slip):
    """slip = D v - b; returns its norm and that of the terms, `|D| |v| + |b|`."""
    square, term_square = 0.0, 0.0
    for i in range(len(b)):
        total, size = -b[i], abs(b[i])
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = data[k] * velocity[np.uint64(indices[k])]
            total += term
            size += abs(term)
        slip[i] = total
        square += total * total
        term_square += size * size
    return math.sqrt(square), math.sqrt(term_square)


@kernel
def slips_and_squares(indptr, indices, data, velocity, b, weight, slip, squares):
    """`free_slips` and `weighted_squares` together."""
    square, term_square = 0.0, 0.0
    for i in range(len(b)):
        total, size, weighted = -b[i], abs(b[i]), 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            column = np.uint64(indices[k])
            term = data[k] * velocity[column]
            total += term
            size += abs(term)
            weighted += data[k] * data[k] * weight[column]
        slip[i], squares[i] = total, weighted
        square += total * total
        term_square += size * size
    return math.sqrt(square), math.sqrt(term_square)


@kernel
def weighted_squares(indptr, indices, data, weight, out):
    """out = diag(D W D') with a diagonal W."""
    for i in range(len(out)):
        total = 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += data[k] * data[k] * weight[np.uint64(indices[k])]
        out[i] = total


@kernel
def whitened_squares(starts, indptr, indices, data, g_indptr, g_indices, g_data, out):
    """out = diag(D G G' D') with a block diagonal G; block b has the columns starts[b]..starts[b+1]-1."""
    block_of = np.empty(starts[-1], dtype=np.int64)
    for b in range(len(starts) - 1):
        block_of[starts[b] : starts[b + 1]] = b
    white = np.zeros(starts[-1])
    for i in range(len(out)):
        square = 0.0
        k, last = indptr[i], indptr[i + 1]
        while k < last:
            block = block_of[indices[k]]
            first, end = starts[block], starts[block + 1]
            white[first:end] = 0.0
            while k < last and indices[k] < end:
                for q in range(g_indptr[indices[k]], g_indptr[indices[k] + 1]):
                    white[g_indices[q]] += data[k] * g_data[q]
                k += 1
            for column in range(first, end):
                square += white[column] * white[column]
        out[i] = square
