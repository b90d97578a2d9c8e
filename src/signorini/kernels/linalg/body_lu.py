"""LU factorisation of an unsymmetric matrix of six-by-six blocks, one per body and ordered pair of bodies.

K = LU with unit diagonal in L and without pivoting beyond the order of the bodies. The pattern is symmetric and that of
`body_cholesky`: `start` and `row` as `body_graph.columns_of` gives them. `data` holds the rows of blocks U[k, i],
k <= i, and after them the blocks L[i, k] transposed in the same order, so that the loops of the symmetric factor
serve both.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.body_cholesky import PANEL, back_substitute, panel
from signorini.kernels.simd.simd6 import (
    BLOCK,
    add_rows_product,
    divide,
    subtract_products,
    subtract_transposed_times,
    subtract_two_products,
)

SMALLEST_PIVOT = 1e-10
"""Smallest admissible pivot, as a share of its original diagonal entry."""


@kernel
def _weighted_rows(first, last, at, width, offset, values, weight, plain, transposed):
    """M A and M'A of one block of rows A, for its weights M."""
    size = last - first
    for p in range(size):
        for c in range(width):
            plain[p * width + c] = 0.0
            transposed[p * width + c] = 0.0
        for q in range(size):
            here, there = weight[at + p * size + q], weight[at + q * size + p]
            for c in range(width):
                plain[p * width + c] += here * values[offset + q * width + c]
                transposed[p * width + c] += there * values[offset + q * width + c]


@kernel
def _add(data, target, values, a, rows, b, stride, size):
    """data[target] += A'B for `size` rows."""
    if size == 3:
        add_rows_product(data, target, values, a, rows, b, stride)
        return
    for k in range(size):
        for p in range(6):
            for q in range(6):
                data[target + 6 * p + q] += values[a + k * stride + p] * rows[b + k * stride + q]


@kernel
def assemble(start, row_start, value_start, values, weight_start, weight, land, data):
    """data = 1 + A'MA with one small matrix M per contact, stored row by row from `weight_start` on."""
    lower = BLOCK * start[-1]
    for k in range(len(data)):
        data[k] = 0.0
    for k in range(len(start) - 1):
        for q in range(6):
            data[BLOCK * start[k] + 7 * q] = 1.0
    plain, transposed = np.empty(72), np.empty(72)
    for i in range(len(land)):
        first, last, a = row_start[i], row_start[i + 1], value_start[i]
        size, width = last - first, 6 if land[i, 1] < 0 else 12
        _weighted_rows(first, last, weight_start[i], width, a, values, weight, plain, transposed)
        _add(data, BLOCK * land[i, 0], values, a, plain, 0, width, size)
        if width == 6:
            continue
        _add(data, BLOCK * land[i, 1], values, a + 6, plain, 6, width, size)
        if land[i, 2] >= 0:
            target, early, late = BLOCK * land[i, 2], 0, 6
        else:
            target, early, late = BLOCK * (-2 - land[i, 2]), 6, 0
        _add(data, target, values, a + early, plain, late, width, size)
        _add(data, lower + target, values, a + early, transposed, late, width, size)


@kernel
def _factor_diagonal(data, upper, lower):
    """U and L' of the diagonal block at `upper`, both upper triangular with the inverses of their diagonals."""
    for q in range(6):
        pivot, size = data[upper + 7 * q], 0.0
        for c in range(q, 6):
            size = max(size, abs(data[upper + 6 * q + c]))
        if not (abs(pivot) > SMALLEST_PIVOT * size and abs(pivot) < math.inf):
            return False
        inverse = 1.0 / pivot
        data[upper + 7 * q] = inverse
        data[lower + 7 * q] = 1.0
        for p in range(q + 1, 6):
            below = data[upper + 6 * p + q] * inverse
            data[upper + 6 * p + q] = 0.0
            data[lower + 6 * p + q] = 0.0
            data[lower + 6 * q + p] = below
            for c in range(q + 1, 6):
                data[upper + 6 * p + c] -= below * data[upper + 6 * q + c]
    return True


@kernel
def _subtract(data, target, lower, places, count, a, b):
    """Products of rows of blocks from the block of U at `target`, and from that of L'."""
    subtract_products(data, target, places, count, lower + a, b)
    if a != b:
        subtract_products(data, lower + target, places, count, a, lower + b)


@kernel
def _subtract_two(data, target, other, lower, places, count, a, b):
    """The same for two targets, the second with the block behind b; neither is on the diagonal."""
    subtract_two_products(data, target, other, places, count, lower + a, b)
    subtract_two_products(data, lower + target, lower + other, places, count, a, lower + b)


@kernel
def _subtract_from_row(data, lower, t, size, places):
    """Products of the first t rows of a panel from row t, whose blocks stand one after another."""
    _subtract(data, places[t] + BLOCK * t, lower, places, t, BLOCK * t, BLOCK * t)
    for i in range(t + 1, size - 1, 2):
        here = places[t] + BLOCK * i
        _subtract_two(data, here, here + BLOCK, lower, places, t, BLOCK * t, BLOCK * i)
    if (size - t) % 2 == 0:
        last = BLOCK * (size - 1)
        _subtract(data, places[t] + last, lower, places, t, BLOCK * t, last)


@kernel
def factor(start, row, data):
    """U and L' in place of K; False when a pivot is too small."""
    lower = BLOCK * start[-1]
    where, places = np.empty(len(start) - 1, dtype=np.int64), np.empty(PANEL, dtype=np.int64)
    k = 0
    while k < len(start) - 1:
        wide, first, size = panel(start, row, k, places), start[k], start[k + 1] - start[k]
        for t in range(wide):
            if t > 0:
                _subtract_from_row(data, lower, t, size, places)
            diagonal = places[t] + BLOCK * t
            if not _factor_diagonal(data, diagonal, lower + diagonal):
                return False
            for i in range(t + 1, size):
                divide(data, lower + diagonal, places[t] + BLOCK * i)
                divide(data, diagonal, lower + places[t] + BLOCK * i)
        for i in range(wide, size):
            # Places of the blocks of the row that receive the products.
            for block in range(start[row[first + i]], start[row[first + i] + 1]):
                where[row[block]] = BLOCK * block
            _subtract(data, where[row[first + i]], lower, places, wide, BLOCK * i, BLOCK * i)
            for j in range(i + 1, size - 1, 2):
                one, other = where[row[first + j]], where[row[first + j + 1]]
                _subtract_two(data, one, other, lower, places, wide, BLOCK * i, BLOCK * j)
            if (size - i) % 2 == 0:
                last = size - 1
                _subtract(data, where[row[first + last]], lower, places, wide, BLOCK * i, BLOCK * last)
        k += wide
    return True


@kernel
def orientation(start, data):
    """Sign of the determinant, from the pivots of a factor."""
    sign = 1
    for k in range(len(start) - 1):
        for q in range(6):
            if data[BLOCK * start[k] + 7 * q] < 0.0:
                sign = -sign
    return sign


@kernel
def solve(start, row, data, place, right, v, x):
    """x = K^-1 right, both in the order of the bodies; v is scratch."""
    count, lower = len(start) - 1, BLOCK * start[-1]
    for i in range(count):
        for q in range(6):
            v[6 * place[i] + q] = right[6 * i + q]
    for k in range(count):
        o = lower + BLOCK * start[k]
        for q in range(6):
            for p in range(q + 1, 6):
                v[6 * k + p] -= data[o + 6 * q + p] * v[6 * k + q]
        for a in range(start[k] + 1, start[k + 1]):
            subtract_transposed_times(data, lower + BLOCK * a, v, 6 * row[a], 6 * k)
    back_substitute(start, row, data, place, v, x)
