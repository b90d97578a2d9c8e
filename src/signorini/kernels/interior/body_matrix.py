"""N of rigid bodies without joints in the systems of the exact law: `N = A A'`, never formed; see `exact_matrix.py`.

A holds the rows of contacts over whitened velocities in self-dual units, three by six per body. Systems are condensed
to the velocities: `1 + A'M A` with one small block M per contact, factored by six-by-six blocks (`linalg.body_lu`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.coulomb import de_saxce, rigid_block
from signorini.kernels.interior.dense_step import enter_central, largest
from signorini.kernels.interior.exact_matrix import Operations, answers
from signorini.kernels.interior.exact_newton import refined_solve
from signorini.kernels.interior.scaling import turn_block
from signorini.kernels.linalg import body_lu
from signorini.kernels.linalg.block_rows import multiply, multiply_transposed, turn_rows
from signorini.kernels.linalg.body_graph import columns_of, landing, minimum_fill
from signorini.kernels.simd.simd6 import BLOCK

MOST_PRODUCTS = 10**9
"""Of blocks in a factorisation: no bound, because models are small."""


class BodyRows(NamedTuple):
    """A, the pattern of the factor, and room for what is made of them."""

    start: np.ndarray
    """First row of each block, then their number."""
    column_start: np.ndarray
    value_start: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    """A in the layout of `linalg.block_rows`."""
    turned: np.ndarray
    """Its rows in the eigenbases of the present slopes."""
    squares: np.ndarray
    """First entry of each block in `inverse` and `weight`."""
    inverse: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    row: np.ndarray
    place: np.ndarray
    land: np.ndarray
    """Pattern of the factor, see `linalg.body_graph`; before there is one, the bodies of each block."""
    factors: np.ndarray
    push: np.ndarray
    """Room for velocities."""


@kernel
def _layout(start, kept, number, D, pairs):
    """(column_start, value_start, squares) of blocks with the `kept` rows of D; their bodies go to `pairs`."""
    blocks = len(start) - 1
    column_start, value_start = np.zeros(blocks + 1, np.int64), np.zeros(blocks + 1, np.int64)
    squares = np.zeros(blocks + 1, np.int64)
    for i in range(blocks):
        begin, size = D.indptr[kept[start[i]]], start[i + 1] - start[i]
        width = D.indptr[kept[start[i]] + 1] - begin
        pairs[i, 0] = number[D.indices[begin] // 6]
        pairs[i, 1] = number[D.indices[begin + 6] // 6] if width > 6 else -1
        column_start[i + 1] = column_start[i] + width
        value_start[i + 1] = value_start[i] + size * width
        squares[i + 1] = squares[i] + size * size
    return column_start, value_start, squares


@kernel
def body_rows(bodies, number, start, kept, factor, D, white):
    """Of so many `bodies`, whose `number` in this matrix is given.

    `white` holds the entries of D over whitened velocities, rows `kept` times their factor.

    There is no room for factors yet: products need none.
    """
    blocks, none = len(start) - 1, np.empty(0, np.int64)
    pairs = np.empty((blocks, 2), np.int64)
    column_start, value_start, squares = _layout(start, kept, number, D, pairs)
    columns, values = np.empty(column_start[blocks], np.int64), np.empty(value_start[blocks])
    for i in range(blocks):
        begin, base, at = D.indptr[kept[start[i]]], column_start[i], value_start[i]
        width = column_start[i + 1] - base
        for k in range(width):
            column = D.indices[begin + k]
            columns[base + k] = 6 * number[column // 6] + column % 6
        for row in range(start[i], start[i + 1]):
            begin = D.indptr[kept[row]]
            for k in range(width):
                values[at + k] = factor[row] * white[begin + k]
            at += width
    return BodyRows(
        start, column_start, value_start, columns, values, np.empty(0), squares, np.empty(0), np.empty(0), none, none,
        none, pairs, np.empty(0), np.empty(6 * bodies),
    )  # fmt: skip


@kernel
def with_factors(N):
    """The same with the pattern of the factors, and room for them."""
    blocks, bodies = len(N.start) - 1, len(N.push) // 6
    sequence, touch = minimum_fill(bodies, N.land, MOST_PRODUCTS)
    (place, first, row), land = columns_of(sequence, touch), np.empty((blocks, 3), np.int64)
    landing(N.land, place, first, row, land)
    squares, size = N.squares, N.squares[blocks]
    return BodyRows(
        N.start, N.column_start, N.value_start, N.columns, N.values, np.empty(len(N.values)), squares, np.empty(size),
        np.empty(size), first, row, place, land, np.empty(2 * BLOCK * len(row)), N.push,
    )  # fmt: skip


@kernel
def _apply(N, x, out):
    for k in range(len(N.push)):
        N.push[k] = 0.0
    multiply_transposed(N.start, N.column_start, N.value_start, N.columns, N.values, x, N.push)
    multiply(N.start, N.column_start, N.value_start, N.columns, N.values, N.push, out)


@kernel
def _factor(start, N, share, delta, w):
    for i in range(len(start) - 1):
        k, at = start[i], N.squares[i]
        if start[i + 1] - k == 1:
            N.inverse[at] = 1.0 / (w.rest[k] + w.tau[k] * delta)
            N.weight[at] = w.tau[k] * N.inverse[at]
            continue
        turn_block(k, start[i + 1], w.frames[i, 2], w.reflector, w.along, w.along)
        for row in range(k, start[i + 1]):
            w.along[row] *= share
        rigid_block(k, start[i + 1], w.tau, w.rest, w.along, delta, at, N.inverse, N.weight)
    turn_rows(start, len(start) - 1, N.column_start, N.value_start, N.values, w.frames, w.reflector, N.turned)
    body_lu.assemble(N.first, start, N.value_start, N.turned, N.squares, N.weight, N.land, N.factors)
    return body_lu.factor(N.first, N.row, N.factors)


@kernel
def _solve_rows(start, N, share, rules, steps, w, right, dx):
    refined_solve(
        (start, N.column_start, N.value_start, N.columns, N.turned), N.squares, N.inverse, N.weight,
        (w.tau, w.along), (N.first, N.row, N.place, N.factors), steps.delta, steps.refinements,
        rules.accuracy * largest(right), steps.worth_while, right, dx,
    )  # fmt: skip


@kernel
def _cold(start, N, r, rules, warm, w):
    """From no impulses at all, as the general loop begins."""
    de_saxce(start, r, w.lawful, w.along)
    for k in range(len(w.work)):
        w.work[k] = 0.0
    enter_central(start, w.work, rules.cold, warm, w)
    return True


@kernel
def _stays_idle(start, N, slip, along):
    """Where no contact closes."""
    for i in range(len(start) - 1):  # noqa: SIM110 - compiled: a generator is slower
        if not slip[start[i]] > 0.0:
            return False
    return True


answers(BodyRows, Operations(_apply, _factor, _solve_rows, _cold, _stays_idle))
