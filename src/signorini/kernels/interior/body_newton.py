"""The most frequent operations of an interior-point iteration, in one call each, for rigid bodies without joints."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.cones.coulomb_cones import natural_map
from signorini.kernels.interior.dense_step import largest
from signorini.kernels.linalg.block_rows import add_three_rows_transposed, multiply, three_rows_times
from signorini.kernels.linalg.body_cholesky import solve
from signorini.kernels.linalg.condensed import right_side, rows_and_rest


@kernel
def _once(rows, weight, factor, r1, r2, work, dw, dx, rest):
    """(dw, dx) from the factor of K, and what they leave of the first equation."""
    start, column_start, value_start, columns, values = rows
    right_side(start, column_start, value_start, columns, values, weight, r1, r2, rest)
    first, row, place, data = factor
    solve(first, row, data, place, rest, work, dw)
    for k in range(len(dw)):
        rest[k] = r1[k] - dw[k]
    rows_and_rest(start, column_start, value_start, columns, values, weight, r2, dw, dx, rest)


@kernel
def refined_solve(rows, weight, factor, delta, refinements, accuracy, worth_while, r1, r2, dw, dx):
    """`dw - A'dx = r1`, `A dw + Theta dx = r2` from K = 1 + A' weight A with weight = 1 / (Theta + delta).

    The second equation is missed by `delta dx`; what is left is solved for again until it is below `accuracy` or has
    not shrunk by the factor `worth_while`.
    """
    work, rest = np.empty(len(r1)), np.empty(len(r1))
    _once(rows, weight, factor, r1, r2, work, dw, dx, rest)
    last = math.inf
    left = dx
    for number in range(refinements):
        size = max(largest(rest), delta * largest(left))
        if size < accuracy or not size < worth_while * last:
            break
        last = size
        if number == 0:
            e1, e2, left, ew = np.empty_like(r1), np.empty_like(r2), dx.copy(), np.empty_like(r1)
        for k in range(len(e1)):
            e1[k] = rest[k]
        for k in range(len(e2)):
            e2[k] = delta * left[k]
        _once(rows, weight, factor, e1, e2, work, ew, left, rest)
        for k in range(len(dw)):
            dw[k] += ew[k]
        for k in range(len(dx)):
            dx[k] += left[k]


@kernel
def residuals(rows, c, b, w, x, r1, slips):
    """`r1 = w + c - A'x` and `slips = A w - b` in one pass over A."""
    start, column_start, value_start, columns, values = rows
    for k in range(len(w)):
        r1[k] = w[k] + c[k]
    for i in range(len(start) - 1):
        base, end, offset, row = column_start[i], column_start[i + 1], value_start[i], start[i]
        if start[i + 1] - row == 3:
            s0, s1, s2 = three_rows_times(columns, base, end, values, offset, w)
            slips[row], slips[row + 1], slips[row + 2] = s0 - b[row], s1 - b[row + 1], s2 - b[row + 2]
            add_three_rows_transposed(columns, base, end, values, offset, -x[row], -x[row + 1], -x[row + 2], r1)
            continue
        for row in range(start[i], start[i + 1]):
            total = -b[row]
            for k in range(base, end):
                total += values[offset] * w[columns[k]]
                r1[columns[k]] -= values[offset] * x[row]
                offset += 1
            slips[row] = total


@kernel
def natural_error(rows, x, r1, slips, units, cones, rho, impulse, slip, work, error):
    """The natural map at the impulses x and the slips that they alone cause, `slips - A r1`; and the largest reach.

    `units` are (impulse per x, slip per slip of the form, reach per x), one entry per row; `cones` (start, mu).
    """
    start, column_start, value_start, columns, values = rows
    per_x, per_slip, reach_per_x = units
    multiply(start, column_start, value_start, columns, values, r1, slip)
    reach = 0.0
    for k in range(len(slip)):
        slip[k] = (slips[k] - slip[k]) * per_slip[k]
        impulse[k] = x[k] * per_x[k]
        reach = max(reach, abs(x[k] * reach_per_x[k]))
    return natural_map(cones[0], cones[1], rho, impulse, slip, work, error), reach
