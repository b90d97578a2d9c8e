"""Rows of linear equations: what remains of each, and the size of the terms that cancel in it.

Places are unsigned in the products with vectors: signed ones might count from the end, which costs half the speed.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.judge.numbers import larger, ratio


@kernel
def add_product(indptr, indices, data, x, total, size):
    """total += A x and size += |A| |x| for a CSR matrix A."""
    for i in range(len(indptr) - 1):
        row, magnitude = 0.0, 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = data[k] * x[np.uint64(indices[k])]
            row += term
            magnitude += abs(term)
        total[i] += row
        size[i] += magnitude


@kernel
def add_transposed_product(indptr, indices, data, x, total, size):
    """total += A' x and size += |A|' |x| for a CSR matrix A."""
    for i in range(len(indptr) - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = data[k] * x[i]
            total[np.uint64(indices[k])] += term
            size[np.uint64(indices[k])] += abs(term)


@kernel
def quadratic_form(indptr, indices, data, x):
    """x'A x for a CSR matrix A."""
    total = 0.0
    for i in range(len(indptr) - 1):
        row = 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            row += data[k] * x[np.uint64(indices[k])]
        total += x[i] * row
    return total


@kernel
def row_errors(total, size):
    """(max |total|, max |total| / size)."""
    absolute, relative = 0.0, 0.0
    for i in range(len(total)):
        absolute = larger(absolute, abs(total[i]))
        relative = larger(relative, ratio(abs(total[i]), size[i]))
    return absolute, relative


@kernel
def stationarity(indptr, indices, data, c, v, force, force_size, idle_share, idle):
    """(max |H v + c - force|, the same over the sizes of the row's terms) for H in CSR form.

    Rows in which nothing happens are measured against `idle_share` of the largest momentum, in units of sqrt(H_ii);
    `idle` becomes the velocity [m/s, rad/s] that this stands for in each row.
    """
    largest_momentum = 0.0
    rows = len(c)
    total, size = np.empty(rows), np.empty(rows)
    for i in range(rows):
        row, magnitude, diagonal = c[i], abs(c[i]), 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = data[k] * v[np.uint64(indices[k])]
            row += term
            magnitude += abs(term)
            if indices[k] == i:
                diagonal = data[k]
        root = math.sqrt(diagonal)
        total[i], size[i], idle[i] = row, magnitude, root
        # The momenta alone say what is idle: impulses may be as large as they like without moving anything.
        largest_momentum = larger(largest_momentum, magnitude / root)
    absolute, relative = 0.0, 0.0
    floor = idle_share * largest_momentum
    for i in range(rows):
        error = abs(total[i] - force[i])
        absolute = larger(absolute, error)
        relative = larger(relative, ratio(error, larger(size[i] + force_size[i], floor * idle[i])))
        idle[i] = floor / idle[i]
    return absolute, relative
