"""Small dense Delassus matrices in standard form, straight from sparse rows."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel


@kernel
def dense_delassus(indptr, indices, data, columns, e_indptr, e_indices, e_data):
    """N = W W' + E as a dense matrix, from the CSR rows W (whitened Jacobian) and E."""
    rows = len(indptr) - 1
    N = np.zeros((rows, rows))
    first = np.zeros(columns + 1, dtype=np.int64)
    for k in range(indptr[-1]):
        first[indices[k] + 1] += 1
    for c in range(columns):
        first[c + 1] += first[c]
    fill = first.copy()
    row_of, value_of = np.empty(indptr[-1], dtype=np.int64), np.empty(indptr[-1])
    for i in range(rows):
        for k in range(indptr[i], indptr[i + 1]):
            at = fill[indices[k]]
            row_of[at], value_of[at] = i, data[k]
            fill[indices[k]] += 1
    for c in range(columns):
        for a in range(first[c], first[c + 1]):
            for b in range(first[c], first[c + 1]):
                N[row_of[a], row_of[b]] += value_of[a] * value_of[b]
    for i in range(len(e_indptr) - 1):
        for k in range(e_indptr[i], e_indptr[i + 1]):
            N[i, e_indices[k]] += e_data[k]
    return N


@kernel
def cone_map(cone_start, mu):
    """T of the standard form as CSR, its dual values, and the starts of the self-dual blocks.

    Returns (indptr, indices, values, dual values, start); see `solvers/cone_newton/cone_map.py`.
    """
    blocks = len(mu)
    rows = cone_start[-1]
    indptr = np.zeros(rows + 1, dtype=np.int32)
    indices = np.empty(2 * rows, dtype=np.int32)
    values, duals = np.empty(2 * rows), np.empty(2 * rows)
    start = np.zeros(2 * blocks + 1, dtype=np.int64)
    used = 0
    column = 0
    made = 0
    half = math.sqrt(0.5)
    for i in range(blocks):
        first, size = cone_start[i], cone_start[i + 1] - cone_start[i]
        if mu[i] > 0.0 and size == 2:
            # mu n >= |t| is p, m >= 0 with p = (mu n + t)/sqrt(2), m = (mu n - t)/sqrt(2).
            for row in range(2):
                for side in range(2):
                    sign = -1.0 if row == 1 and side == 1 else 1.0
                    indices[used] = column + side
                    values[used] = sign * half / (mu[i] if row == 0 else 1.0)
                    duals[used] = sign * half * (mu[i] if row == 0 else 1.0)
                    used += 1
                indptr[first + row + 1] = used
            start[made + 1], start[made + 2] = column + 1, column + 2
            made += 2
            column += 2
            continue
        width = size if mu[i] > 0.0 else 1
        for row in range(size):
            if row < width:
                indices[used] = column + row
                root = mu[i] if row == 0 and width > 1 else 1.0
                values[used], duals[used] = 1.0 / root, root
                used += 1
            indptr[first + row + 1] = used
        column += width
        made += 1
        start[made] = column
    return indptr, indices[:used].copy(), values[:used].copy(), duals[:used].copy(), start[: made + 1].copy()


@kernel
def standardise(N, r, indptr, indices, values, duals, start):
    """(T'NT, T'r, s) with T scaled so that each block of T'NT has a diagonal of mean 1 and max |T'r| = 1.

    `values` and `duals` are scaled in place: T for impulses in units of s, T^-T for slips in units of s.
    """
    rows, columns = len(r), start[-1]
    half = np.zeros((rows, columns))
    small = np.zeros((columns, columns))
    right = np.zeros(columns)
    for i in range(rows):
        for k in range(indptr[i], indptr[i + 1]):
            right[indices[k]] += values[k] * r[i]
            for j in range(rows):
                half[j, indices[k]] += N[j, i] * values[k]
    for i in range(rows):
        for k in range(indptr[i], indptr[i + 1]):
            for c in range(columns):
                small[indices[k], c] += values[k] * half[i, c]
    factor = np.ones(columns)
    for b in range(len(start) - 1):
        mean = 0.0
        for c in range(start[b], start[b + 1]):
            mean += small[c, c] / (start[b + 1] - start[b])
        for c in range(start[b], start[b + 1]):
            factor[c] = 1.0 / math.sqrt(mean) if mean > 0.0 else 1.0
    size = 0.0
    for c in range(columns):
        right[c] *= factor[c]
        size = max(size, abs(right[c]))
        for d in range(columns):
            small[c, d] *= factor[c] * factor[d]
    size = size if size > 0.0 else 1.0
    for c in range(columns):
        right[c] /= size
    for k in range(len(values)):
        values[k] *= factor[indices[k]]
        duals[k] /= factor[indices[k]]
    return small, right, size


@kernel
def to_standard(indptr, indices, duals, impulse, factor, out):
    """out = factor * T^-1 impulse."""
    for c in range(len(out)):
        out[c] = 0.0
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            out[indices[k]] += factor * duals[k] * impulse[i]
