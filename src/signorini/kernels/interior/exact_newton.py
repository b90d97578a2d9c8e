"""Linear solves of the exact law for rigid bodies without joints, refined, in one call."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.dense_step import largest
from signorini.kernels.interior.lorentz3 import ROOT_HALF
from signorini.kernels.linalg.block_rows import multiply, multiply_transposed
from signorini.kernels.linalg.body_lu import solve
from signorini.kernels.linalg.condensed import multiply_blocks


@kernel
def _regularisation(start, tau, along, delta, dx, out):
    """out = delta tau (1 + e h') dx: what the factors add to the exact system."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        slip = 0.0
        if last - first > 1:
            for k in range(first, last):
                slip += along[k] * dx[k]
            slip *= ROOT_HALF
        for k in range(first, last):
            out[k] = delta * tau[k] * (dx[k] + (slip if k < first + 2 else 0.0))


@kernel
def refined_solve(rows, squares, inverse, weight, slopes, factor, delta, refinements, accuracy, worth_while, right, dx):
    """dx of `rest dx + tau (1 + e h') A A' dx = right` from the factors of `K = 1 + A'MA`.

    With `B = rest + delta tau (1 + e h')` and `M = B^-1 tau (1 + e h')` (`inverse` and `weight`, block by block from
    `squares` on), K solves `dw - A'dx = e1`, `rest dx + tau (1 + e h') A dw = e2` but for the term of delta; what is
    left of both is solved for again until it is below `accuracy`. `slopes` are (tau, along).
    """
    start, column_start, value_start, columns, values = rows
    first, row, place, data = factor
    tau, along = slopes
    n = 6 * len(place)
    e1, e2, push, dw, work = np.zeros(n), right.copy(), np.empty(n), np.empty(n), np.empty(n)
    step, slip, back = np.empty_like(right), np.empty_like(right), np.empty_like(right)
    for k in range(len(dx)):
        dx[k] = 0.0
    last = math.inf
    for _ in range(refinements + 1):
        multiply_blocks(start, squares, inverse, e2, step)
        for k in range(n):
            push[k] = e1[k]
        multiply_transposed(start, column_start, value_start, columns, values, step, push)
        solve(first, row, data, place, push, work, dw)
        multiply(start, column_start, value_start, columns, values, dw, slip)
        multiply_blocks(start, squares, weight, slip, back)
        for k in range(len(step)):
            step[k] -= back[k]
            dx[k] += step[k]
        for k in range(n):
            e1[k] -= dw[k]
        multiply_transposed(start, column_start, value_start, columns, values, step, e1)
        _regularisation(start, tau, along, delta, step, e2)
        size = max(largest(e1), largest(e2))
        if size <= accuracy or not size < worth_while * last:
            break
        last = size
