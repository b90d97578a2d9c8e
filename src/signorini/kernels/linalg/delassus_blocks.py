"""A Delassus matrix by its blocks of contacts, turned into the frames of the scaling: pattern once, values often."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.lorentz3 import ROOT_HALF


@kernel
def turn_both_sides(block, rows, columns, first_row, first_column, sign_row, sign_column, reflector):
    """block := Q_row' block Q_column in place (see `turn_block`)."""
    if rows > 1:
        for b in range(columns):
            dot = 0.0
            for a in range(1, rows):
                dot += reflector[first_row + a] * block[a, b]
            dot *= 2.0
            for a in range(1, rows):
                block[a, b] -= dot * reflector[first_row + a]
            normal, along = block[0, b], sign_row * block[1, b]
            block[0, b] = (normal + along) * ROOT_HALF
            block[1, b] = (normal - along) * ROOT_HALF
    if columns > 1:
        for a in range(rows):
            dot = 0.0
            for b in range(1, columns):
                dot += reflector[first_column + b] * block[a, b]
            dot *= 2.0
            for b in range(1, columns):
                block[a, b] -= dot * reflector[first_column + b]
            normal, along = block[a, 0], sign_column * block[a, 1]
            block[a, 0] = (normal + along) * ROOT_HALF
            block[a, 1] = (normal - along) * ROOT_HALF


@kernel
def turn_delassus(start, pair_row, pair_column, pair_value, values, base, scaling, reflector, theta, out):
    """Upper triangle of Q'NQ + diag(theta).

    The blocks (i, j >= i) of N are stored row by row from values[pair_value[p]]. `base` has one entry per row of
    each block, in that order: where column 0 of that block row lands in `out`.
    """
    at = 0
    largest = 1
    for i in range(len(start) - 1):
        largest = max(largest, start[i + 1] - start[i])
    block = np.empty((largest, largest))
    for p in range(len(pair_row)):
        i, j = pair_row[p], pair_column[p]
        rows, columns = start[i + 1] - start[i], start[j + 1] - start[j]
        for a in range(rows):
            for b in range(columns):
                block[a, b] = values[pair_value[p] + a * columns + b]
        turn_both_sides(block, rows, columns, start[i], start[j], scaling[i, 2], scaling[j, 2], reflector)
        for a in range(rows):
            for b in range(a if i == j else 0, columns):
                out[base[at] + b] = block[a, b]
            if i == j:
                out[base[at] + a] += theta[start[i] + a]
            at += 1


@kernel
def block_pairs(start, block_of_row, indptr, indices, data):
    """The blocks (i, j >= i) of a symmetric CSR matrix, diagonal blocks always: (row, column, value start, values)."""
    blocks = len(start) - 1
    seen = np.full(blocks, -1, dtype=np.int64)
    count = 0
    size = 0
    for i in range(blocks):
        seen[i] = i
        count += 1
        size += (start[i + 1] - start[i]) ** 2
        for k in range(indptr[start[i]], indptr[start[i + 1]]):
            j = block_of_row[indices[k]]
            if j > i and seen[j] != i:
                seen[j] = i
                count += 1
                size += (start[i + 1] - start[i]) * (start[j + 1] - start[j])
    row = np.empty(count, dtype=np.int64)
    column = np.empty(count, dtype=np.int64)
    value_start = np.zeros(count + 1, dtype=np.int64)
    values = np.zeros(size)
    where = np.full(blocks, -1, dtype=np.int64)
    p = 0
    for i in range(blocks):
        first_pair = p
        where[i] = 0
        column[p] = i
        p += 1
        for k in range(indptr[start[i]], indptr[start[i + 1]]):
            j = block_of_row[indices[k]]
            if j > i and where[j] < 0:
                where[j] = 0
                column[p] = j
                p += 1
        column[first_pair:p] = np.sort(column[first_pair:p])
        for q in range(first_pair, p):
            row[q] = i
            j = column[q]
            where[j] = q
            value_start[q + 1] = value_start[q] + (start[i + 1] - start[i]) * (start[j + 1] - start[j])
        for r in range(start[i], start[i + 1]):
            for k in range(indptr[r], indptr[r + 1]):
                j = block_of_row[indices[k]]
                if j >= i:
                    width = start[j + 1] - start[j]
                    at = value_start[where[j]] + (r - start[i]) * width + indices[k] - start[j]
                    values[at] = data[k]
        for q in range(first_pair, p):
            where[column[q]] = -1
    return row, column, value_start, values


@kernel
def pair_pattern(start, pair_row, pair_column, capacity):
    """Upper CSR pattern of the pairs: (indptr, indices, base), base as `turn_delassus` wants it."""
    m = start[-1]
    indptr = np.zeros(m + 1, dtype=np.int32)
    indices = np.empty(capacity, dtype=np.int32)
    rows = 0
    for p in range(len(pair_row)):
        rows += start[pair_row[p] + 1] - start[pair_row[p]]
    base = np.empty(rows, dtype=np.int64)
    base_start = np.zeros(len(pair_row) + 1, dtype=np.int64)
    for p in range(len(pair_row)):
        base_start[p + 1] = base_start[p] + start[pair_row[p] + 1] - start[pair_row[p]]
    used = 0
    p = 0
    while p < len(pair_row):
        last = p
        while last < len(pair_row) and pair_row[last] == pair_row[p]:
            last += 1
        i = pair_row[p]
        for r in range(start[i], start[i + 1]):
            for q in range(p, last):
                j = pair_column[q]
                base[base_start[q] + r - start[i]] = used - (r - start[i] if i == j else 0)
                for c in range(r if i == j else start[j], start[j + 1]):
                    indices[used] = c
                    used += 1
            indptr[r + 1] = used
        p = last
    return indptr, indices[:used].copy(), base
