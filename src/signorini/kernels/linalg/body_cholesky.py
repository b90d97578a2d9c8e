"""Cholesky factorisation of a matrix of six-by-six blocks, one per body and pair of bodies.

K = U'U, stored by rows of blocks U[k, i] = the block of bodies k <= i in the order of elimination, `start` and `row` as
`body_graph.columns_of` gives them. A general sparse factorisation takes three times as long for a few hundred bodies:
most of its time is overhead.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.simd.simd6 import (
    BLOCK,
    add_row_products,
    add_weighted_rows,
    divide,
    subtract_products,
    subtract_transposed_times,
    subtract_two_products,
)

PANEL = 8
"""Most rows of blocks that are eliminated together: the blocks that they update are read and written once."""


@kernel
def _add_row(data, target, values, a, b, weight):
    """One row of a contact, for contacts that do not have three."""
    for p in range(6):
        for q in range(6):
            data[target + 6 * p + q] += weight * values[a + p] * values[b + q]


@kernel
def _add_rows(data, target, values, a, b, stride, weight, first, last):
    if last - first == 3:
        add_weighted_rows(data, target, values, a, b, stride, weight, first)
    else:
        for k in range(first, last):
            move = (k - first) * stride
            _add_row(data, target, values, a + move, b + move, weight[k])


@kernel
def assemble(start, row_start, value_start, values, weight, land, data):
    """data = 1 + A'WA, upper blocks."""
    for k in range(len(data)):
        data[k] = 0.0
    for k in range(len(start) - 1):
        for q in range(6):
            data[BLOCK * start[k] + 7 * q] = 1.0
    for i in range(len(land)):
        first, last = row_start[i], row_start[i + 1]
        a = value_start[i]
        if land[i, 1] < 0:
            _add_rows(data, BLOCK * land[i, 0], values, a, a, 6, weight, first, last)
            continue
        b = a + 6
        _add_rows(data, BLOCK * land[i, 0], values, a, a, 12, weight, first, last)
        _add_rows(data, BLOCK * land[i, 1], values, b, b, 12, weight, first, last)
        if land[i, 2] >= 0:
            _add_rows(data, BLOCK * land[i, 2], values, a, b, 12, weight, first, last)
        else:
            _add_rows(data, BLOCK * (-2 - land[i, 2]), values, b, a, 12, weight, first, last)


@kernel
def _factor_diagonal(data, o):
    """U of the diagonal block at o, with the inverse of its diagonal; False when a pivot is not positive."""
    for q in range(6):
        pivot = data[o + 7 * q]
        if not (pivot > 0.0 and pivot < math.inf):
            return False
        inverse = 1.0 / math.sqrt(pivot)
        data[o + 7 * q] = inverse
        for c in range(q + 1, 6):
            data[o + 6 * q + c] *= inverse
        for p in range(q + 1, 6):
            above = data[o + 6 * q + p]
            for c in range(p, 6):
                data[o + 6 * p + c] -= above * data[o + 6 * q + c]
    return True


@kernel
def panel(start, row, k, places):
    """How many rows of blocks from k on have the same pattern, at most `PANEL`.

    `places[s] + BLOCK * i` is then the block of row k + s that stands under the i-th of row k.
    """
    wide = 1
    places[0] = BLOCK * start[k]
    while wide < PANEL and k + wide < len(start) - 1:
        last, here = start[k + wide - 1], start[k + wide]
        if here - last < 2 or row[last + 1] != k + wide or start[k + wide + 1] - here != here - last - 1:
            break
        places[wide] = BLOCK * (here - wide)
        wide += 1
    return wide


@kernel
def _subtract_from_row(data, t, size, places):
    """Products of the first t rows of a panel from row t, whose blocks stand one after another."""
    for i in range(t, size - 1, 2):
        here = places[t] + BLOCK * i
        subtract_two_products(data, here, here + BLOCK, places, t, BLOCK * t, BLOCK * i)
    if (size - t) % 2:
        last = BLOCK * (size - 1)
        subtract_products(data, places[t] + last, places, t, BLOCK * t, last)


@kernel
def factor(start, row, data):
    """U in place of K; False when K is not positive definite."""
    where, places = np.empty(len(start) - 1, dtype=np.int64), np.empty(PANEL, dtype=np.int64)
    k = 0
    while k < len(start) - 1:
        wide, first, size = panel(start, row, k, places), start[k], start[k + 1] - start[k]
        for t in range(wide):
            if t > 0:
                _subtract_from_row(data, t, size, places)
            diagonal = places[t] + BLOCK * t
            if not _factor_diagonal(data, diagonal):
                return False
            for i in range(t + 1, size):
                divide(data, diagonal, places[t] + BLOCK * i)
        for i in range(wide, size):
            # Places of the blocks of the row that receive the products.
            for block in range(start[row[first + i]], start[row[first + i] + 1]):
                where[row[block]] = BLOCK * block
            for j in range(i, size - 1, 2):
                one, other = where[row[first + j]], where[row[first + j + 1]]
                subtract_two_products(data, one, other, places, wide, BLOCK * i, BLOCK * j)
            if (size - i) % 2:
                subtract_products(data, where[row[first + size - 1]], places, wide, BLOCK * i, BLOCK * (size - 1))
        k += wide
    return True


@kernel
def back_substitute(start, row, data, place, v, x):
    """x = U^-1 v for the rows of blocks U, whose diagonals hold their inverses; x in the order of the bodies."""
    count = len(start) - 1
    sums = np.empty(BLOCK)
    for k in range(count - 1, -1, -1):
        for q in range(BLOCK):
            sums[q] = 0.0
        for a in range(start[k] + 1, start[k + 1]):
            add_row_products(data, BLOCK * a, v, 6 * row[a], sums)
        o = BLOCK * start[k]
        for q in range(5, -1, -1):
            at = 6 * q
            total = v[6 * k + q] - (
                (sums[at] + sums[at + 1]) + (sums[at + 2] + sums[at + 3]) + (sums[at + 4] + sums[at + 5])
            )
            for p in range(q + 1, 6):
                total -= data[o + at + p] * v[6 * k + p]
            v[6 * k + q] = total * data[o + 7 * q]
    for i in range(count):
        for q in range(6):
            x[6 * i + q] = v[6 * place[i] + q]


@kernel
def solve(start, row, data, place, right, v, x):
    """x = K^-1 right, both in the order of the bodies; v is scratch."""
    count = len(start) - 1
    for i in range(count):
        for q in range(6):
            v[6 * place[i] + q] = right[6 * i + q]
    for k in range(count):
        o = BLOCK * start[k]
        for q in range(6):
            v[6 * k + q] *= data[o + 7 * q]
            for p in range(q + 1, 6):
                v[6 * k + p] -= data[o + 6 * q + p] * v[6 * k + q]
        for a in range(start[k] + 1, start[k + 1]):
            subtract_transposed_times(data, BLOCK * a, v, 6 * row[a], 6 * k)
    back_substitute(start, row, data, place, v, x)
