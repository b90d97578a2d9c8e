"""Sparse matrices in canonical CSR form (sorted rows, no duplicates): products with vectors, symmetry, A A'.

Indices are unsigned in the products with vectors: the wraparound of negative ones would halve the speed.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel


@kernel
def add_product(indptr, indices, data, x, out):
    """out += A x."""
    for i in range(len(indptr) - 1):
        total = 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += data[k] * x[np.uint64(indices[k])]
        out[i] += total


@kernel
def add_transposed_product(indptr, indices, data, x, out):
    """out += A' x."""
    for i in range(len(indptr) - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            out[np.uint64(indices[k])] += data[k] * x[i]


@kernel
def symmetry(indptr, indices, data):
    """(max |A|, max |A - A'|) of a square matrix; a missing entry is zero."""
    size = 0.0
    difference = 0.0
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            size = max(size, abs(data[k]))
            j = indices[k]
            if j == i:
                continue
            low, end = indptr[j], indptr[j + 1]
            high = end
            while low < high:
                middle = (low + high) // 2
                if indices[middle] < i:
                    low = middle + 1
                else:
                    high = middle
            opposite = data[low] if low < end and indices[low] == i else 0.0
            difference = max(difference, abs(data[k] - opposite))
    return size, difference


@kernel
def transpose(indptr, indices, data, columns):
    """CSR arrays of A'."""
    t_indptr = np.zeros(columns + 1, dtype=np.int32)
    for k in range(len(indices)):
        t_indptr[indices[k] + 1] += 1
    for j in range(columns):
        t_indptr[j + 1] += t_indptr[j]
    fill = t_indptr[:-1].copy()
    t_indices = np.empty(len(indices), dtype=np.int32)
    t_data = np.empty(len(indices))
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            place = fill[indices[k]]
            t_indices[place] = i
            t_data[place] = data[k]
            fill[indices[k]] = place + 1
    return t_indptr, t_indices, t_data


@kernel
def count_gram(indptr, indices, t_indptr, t_indices, out_indptr):
    """Row pointers of A A', from the patterns of A and A'."""
    rows = len(indptr) - 1
    seen = np.full(rows, -1, dtype=np.int32)
    out_indptr[0] = 0
    for i in range(rows):
        count = 0
        for k in range(indptr[i], indptr[i + 1]):
            for q in range(t_indptr[indices[k]], t_indptr[indices[k] + 1]):
                if seen[t_indices[q]] != i:
                    seen[t_indices[q]] = i
                    count += 1
        out_indptr[i + 1] = out_indptr[i] + count


@kernel
def gram(indptr, indices, data, t_indptr, t_indices, t_data, out_indptr, out_indices, out_data):
    """A A' with sorted rows, symmetric to the last bit: both halves add the same products in the same order."""
    rows = len(indptr) - 1
    total = np.zeros(rows)
    seen = np.full(rows, -1, dtype=np.int32)
    # Row i is written into column i: read row by row, the columns of a symmetric matrix are sorted rows.
    fill = out_indptr[:-1].copy()
    touched = np.empty(rows, dtype=np.int32)
    for i in range(rows):
        count = 0
        for k in range(indptr[i], indptr[i + 1]):
            value = data[k]
            for q in range(t_indptr[indices[k]], t_indptr[indices[k] + 1]):
                j = t_indices[q]
                if seen[j] != i:
                    seen[j] = i
                    touched[count] = j
                    count += 1
                    total[j] = value * t_data[q]
                else:
                    total[j] += value * t_data[q]
        for q in range(count):
            j = touched[q]
            out_indices[fill[j]] = i
            out_data[fill[j]] = total[j]
            fill[j] += 1
