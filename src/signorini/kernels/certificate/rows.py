"""Residuals of linear equations, and the sizes of the terms that cancel in them.

Indices are unsigned in the products with vectors: the wraparound of negative ones would halve the speed.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.certificate.numbers import larger, ratio
from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 2048
"""Rows of a part."""


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


@shared
@kernel
def copy_part(part, parts, x, out):
    """`copy` of one part of the numbers."""
    for i in range(first_of(part, parts, len(x)), first_of(part + 1, parts, len(x))):
        out[i] = x[i]


@kernel
def copy(team, x):
    """A copy of a vector."""
    parts, out = parts_of(len(x), LEAST), np.empty(len(x))
    copy_part(team, parts, (parts, x, out))
    return out


@shared
@kernel
def weighted_part(part, parts, weight, x, y, out):
    """`weighted_difference` of one part of the numbers."""
    for i in range(first_of(part, parts, len(x)), first_of(part + 1, parts, len(x))):
        out[i] = weight[i] * (x[i] - y[i])


@kernel
def weighted_difference(team, weight, x, y):
    """`weight (x - y)`, number by number."""
    parts, out = parts_of(len(x), LEAST), np.empty(len(x))
    weighted_part(team, parts, (parts, weight, x, y, out))
    return out


@kernel
def row_errors(total, size):
    """(max |total|, max |total| / size)."""
    absolute, relative = 0.0, 0.0
    for i in range(len(total)):
        absolute = larger(absolute, abs(total[i]))
        relative = larger(relative, ratio(abs(total[i]), size[i]))
    return absolute, relative


@kernel
def momenta_part(part, parts, indptr, indices, data, c, v, total, size, root, largest):
    """H v + c, the sizes of its terms, and sqrt(H_ii), of one part of the rows; the largest size over sqrt(H_ii)."""
    most = 0.0
    for i in range(first_of(part, parts, len(c)), first_of(part + 1, parts, len(c))):
        row, magnitude, diagonal = c[i], abs(c[i]), 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = data[k] * v[np.uint64(indices[k])]
            row += term
            magnitude += abs(term)
            if indices[k] == i:
                diagonal = data[k]
        total[i], size[i], root[i] = row, magnitude, math.sqrt(diagonal)
        # Momenta alone decide what is idle: impulses may be arbitrarily large without moving anything.
        most = larger(most, magnitude / root[i])
    largest[part] = most


@kernel
def balance_part(part, parts, total, size, force, force_size, floor, idle, errors):
    """Largest error of one part of the rows, and the same over its size; `idle` is sqrt(H_ii) at first."""
    absolute, relative = 0.0, 0.0
    for i in range(first_of(part, parts, len(total)), first_of(part + 1, parts, len(total))):
        error = abs(total[i] - force[i])
        absolute = larger(absolute, error)
        relative = larger(relative, ratio(error, larger(size[i] + force_size[i], floor * idle[i])))
        idle[i] = floor / idle[i]
    errors[part, 0], errors[part, 1] = absolute, relative


momenta_by_team, balance_by_team = shared(momenta_part), shared(balance_part)


@kernel
def stationarity(team, indptr, indices, data, c, v, force, force_size, idle_share, idle):
    """(max |H v + c - force|, the same over the sizes of the row's terms) for H in CSR form.

    Rows in which nothing happens are measured against `idle_share` of the largest momentum, in units of sqrt(H_ii);
    `idle` becomes the velocity [m/s, rad/s] that this stands for in each row.
    """
    rows, parts = len(c), parts_of(len(c), LEAST)
    total, size, largest, errors = np.empty(rows), np.empty(rows), np.empty(parts), np.empty((parts, 2))
    momenta_by_team(team, parts, (parts, indptr, indices, data, c, v, total, size, idle, largest))
    momentum = 0.0
    for part in range(parts):
        momentum = larger(momentum, largest[part])
    balance_by_team(team, parts, (parts, total, size, force, force_size, idle_share * momentum, idle, errors))
    absolute, relative = 0.0, 0.0
    for part in range(parts):
        absolute, relative = larger(absolute, errors[part, 0]), larger(relative, errors[part, 1])
    return absolute, relative
