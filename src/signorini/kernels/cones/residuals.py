"""What the certificate measures: residuals row by row, with the size of the terms that cancel in them.

Not-a-number counts as the largest of all numbers here: an answer that holds one must not pass for a good one.

Places are unsigned in the products with vectors: signed ones might count from the end, which costs half the speed.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.cones.coulomb_cones import natural_map, violations


@kernel
def add_product(indptr, indices, data, x, sign, total, size):
    """total += sign * A x and size += |A| |x| for a CSR matrix A."""
    for i in range(len(indptr) - 1):
        row, magnitude = 0.0, 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = data[k] * x[np.uint64(indices[k])]
            row += term
            magnitude += abs(term)
        total[i] += sign * row
        size[i] += magnitude


@kernel
def add_transposed_product(indptr, indices, data, x, sign, total, size):
    """total += sign * A' x and size += |A|' |x| for a CSR matrix A."""
    for i in range(len(indptr) - 1):
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = data[k] * x[i]
            total[np.uint64(indices[k])] += sign * term
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
def larger(a, b):
    """The larger of two numbers, not-a-number if one of them is."""
    return b if b > a or b != b else a


@kernel
def largest(x):
    """The largest of numbers that are not negative, 0 without any."""
    found = 0.0
    for value in x:
        found = larger(found, value)
    return found


@kernel
def norm(x):
    """Euclidean norm."""
    total = 0.0
    for value in x:
        total += value * value
    return math.sqrt(total)


@kernel
def work(x, y):
    """x'y."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@kernel
def ratio(error, size):
    """error / size; what has no size has no error either."""
    return 0.0 if size == 0.0 else error / size


@kernel
def row_errors(total, size):
    """(max |total|, max |total| / size)."""
    absolute, relative = 0.0, 0.0
    for i in range(len(total)):
        absolute = larger(absolute, abs(total[i]))
        relative = larger(relative, ratio(abs(total[i]), size[i]))
    return absolute, relative


@kernel
def contact_errors(start, mu, rho, impulse, slip, round_off, error):
    """(norm of the natural map, its largest relative error, where, cone violation, dual violation).

    Fills `error`, the natural map of each block. Blocks are measured against `round_off` times the largest at least.
    """
    blocks = len(mu)
    work = np.empty(len(impulse))
    total = natural_map(start, mu, rho, impulse, slip, work, error)
    size = work[:blocks]
    floor = 0.0
    for i in range(blocks):
        a, b = start[i], start[i + 1]
        size[i] = norm(impulse[a:b]) + rho[i] * norm(slip[a:b])
        floor = larger(floor, size[i])
    floor *= round_off
    relative, worst = 0.0, 0
    for i in range(blocks):
        value = ratio(error[i], larger(size[i], floor))
        # The first of equals, and nothing is worse than not-a-number.
        if relative == relative and (value > relative or value != value):
            relative, worst = value, i
    violations(start, mu, impulse, False, size)
    outside = largest(size)
    violations(start, mu, slip, True, size)
    return total, relative, worst, outside, largest(size)


@kernel
def work_and_size(impulse, slip, free_slip):
    """(impulse' slip, |impulse|' (|slip| + |free slip|))."""
    work, size = 0.0, 0.0
    for k in range(len(impulse)):
        work += impulse[k] * slip[k]
        size += abs(impulse[k]) * (abs(slip[k]) + abs(free_slip[k]))
    return work, size


@kernel
def natural_square(pn, ps, pt, un, us, ut, mu):
    """|p - P_K(p - u)|^2 of the impulse p and the slip u of one contact of three rows, u in units of p."""
    n, s, t = pn - un, ps - us, pt - ut
    tangent = math.sqrt(s * s + t * t)
    if n + mu * tangent <= 0.0:
        return pn * pn + ps * ps + pt * pt
    if tangent <= mu * n:
        return un * un + us * us + ut * ut
    outside = (tangent - mu * n) / (1.0 + mu * mu)
    share = outside / tangent
    return (un - outside * mu) ** 2 + (us + share * s) ** 2 + (ut + share * t) ** 2


@kernel
def uniform_natural_map(start, mu, rho, impulse, slip):
    """Norm of the natural map with the same rho for all blocks, see `cones.natural_map`; keeps no vectors."""
    total = 0.0
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            j, k = np.uint64(first + 1), np.uint64(first + 2)
            un, us, ut = rho * slip[first], rho * slip[j], rho * slip[k]
            total += natural_square(impulse[first], impulse[j], impulse[k], un, us, ut, mu[i])
            continue
        normal, square = impulse[first] - rho * slip[first], 0.0
        for k in range(first + 1, last):
            square += (impulse[k] - rho * slip[k]) ** 2
        tangent = math.sqrt(square)
        if normal + mu[i] * tangent <= 0.0:
            for k in range(first, last):
                total += impulse[k] ** 2
        elif tangent <= mu[i] * normal:
            for k in range(first, last):
                total += (rho * slip[k]) ** 2
        else:
            outside = (tangent - mu[i] * normal) / (1.0 + mu[i] * mu[i])
            total += (rho * slip[first] - outside * mu[i]) ** 2
            share = outside / tangent
            for k in range(first + 1, last):
                total += (rho * slip[k] + share * (impulse[k] - rho * slip[k])) ** 2
    return math.sqrt(total)


@kernel
def balance(indptr, indices, data, c, v, force, force_size, idle_share, idle):
    """(max |H v + c - force|, the same over the sizes of the row's terms).

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
    for i in range(rows):
        error = abs(total[i] - force[i])
        absolute = larger(absolute, error)
        floor = idle_share * largest_momentum
        relative = larger(relative, ratio(error, larger(size[i] + force_size[i], floor * idle[i])))
        idle[i] = floor / idle[i]
    return absolute, relative
