"""The exact Coulomb law on products of half-lines and Lorentz cones, and its linear systems.

In the self-dual units of the cones the law is `x in K, y in K, x'y = 0` with `y = u + |u_t| e`: u the slip, e the
normal (de Saxce). Blocks and eigenbases as in `scaling.py`; rows after the last cone are joints, y = u.

The derivative of y is `1 + e h'`, h the unit vector along u_t; where a share of it is counted, h is as long as that
share. All linear systems are written with slopes tau and `rest = 1 - tau`, both within 0..1, in the turned basis::

    rest dx + tau (1 + e h') (N + delta) dx = right
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.lorentz3 import ROOT_HALF
from signorini.kernels.interior.scaling import tangent_length, turn_block
from signorini.kernels.linalg.delassus_blocks import turn_both_sides


@kernel
def de_saxce(start, slip, y, along):
    """y = slip + |slip_t| e and `along` = slip_t / |slip_t|, 0 in normals, joints and for slips without tangents."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        length = tangent_length(slip, first, last)
        y[first] = slip[first] + length
        along[first] = 0.0
        factor = 1.0 / length if length > 0.0 else 0.0
        for k in range(first + 1, last):
            y[k] = slip[k]
            along[k] = factor * slip[k]
    for k in range(start[-1], len(slip)):
        y[k] = slip[k]
        along[k] = 0.0


@kernel
def block_weights(start, frames, reflector, tau, rest, along, delta, squares, compliance, inverse, weight):
    """`B^-1` and `B^-1 tau (1 + e h')` with `B = rest + tau (1 + e h')(E + delta)`, block by block, row by row.

    `squares` holds where each block begins in `compliance` (E, empty for rigid contact), `inverse` and `weight`;
    blocks after the cones are joints of one row. `along` is turned in place.
    """
    cones = len(frames)
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        at = squares[i]
        if last - first == 1:
            soft = delta + (compliance[at] if i < cones and len(compliance) else 0.0)
            inverse[at] = 1.0 / (rest[first] + tau[first] * soft)
            weight[at] = tau[first] * inverse[at]
            continue
        turn_block(first, last, frames[i, 2], reflector, along, along)
        if len(compliance):
            _compliant_block(first, last, frames[i, 2], reflector, tau, rest, along, delta, at, compliance,
                             inverse, weight)  # fmt: skip
        else:
            rigid_block(first, last, tau, rest, along, delta, at, inverse, weight)


@kernel
def rigid_block(first, last, tau, rest, along, delta, at, inverse, weight):
    """With E = 0, B is a diagonal plus `delta (tau e) h'`: Sherman and Morrison."""
    size = last - first
    cross = 0.0
    for k in range(2):
        row = first + k
        cross += along[row] * tau[row] / (rest[row] + delta * tau[row])
    factor = 1.0 / (1.0 + delta * ROOT_HALF * cross)
    for a in range(size):
        row = first + a
        left = ROOT_HALF * tau[row] / (rest[row] + delta * tau[row]) if a < 2 else 0.0
        for b in range(size):
            column = first + b
            right = along[column] / (rest[column] + delta * tau[column])
            inverse[at + a * size + b] = -delta * factor * left * right
            weight[at + a * size + b] = factor * left * rest[column] * right
        inverse[at + a * size + a] += 1.0 / (rest[row] + delta * tau[row])
        weight[at + a * size + a] += tau[row] / (rest[row] + delta * tau[row])


@kernel
def _compliant_block(first, last, sign, reflector, tau, rest, along, delta, at, compliance, inverse, weight):
    size = last - first
    soft, slope = np.empty((size, size)), np.zeros((size, size))
    for a in range(size):
        for b in range(size):
            soft[a, b] = compliance[at + a * size + b]
    turn_both_sides(soft, size, size, first, first, sign, sign, reflector)
    for a in range(size):
        soft[a, a] += delta
        slope[a, a] = tau[first + a]
        if a < 2:
            for b in range(size):
                slope[a, b] += tau[first + a] * ROOT_HALF * along[first + b]
    matrix = slope @ soft
    for a in range(size):
        matrix[a, a] += rest[first + a]
    inverted = np.linalg.inv(matrix)
    weighted = inverted @ slope
    for a in range(size):
        for b in range(size):
            inverse[at + a * size + b] = inverted[a, b]
            weight[at + a * size + b] = weighted[a, b]


@kernel
def delassus_rows(start, column_start, value_start, columns, values, frames, reflector, tau, rest, along, delta,
                  out):  # fmt: skip
    """Rows of `rest Q' + tau (1 + e h') Q'(N + delta)`, Q the eigenbases: rows are turned, columns are not.

    `values` are those of N by blocks of rows, each over its `columns`, which include the block's own. `along` is
    turned in place.
    """
    largest = 1
    for i in range(len(start) - 1):
        largest = max(largest, start[i + 1] - start[i])
    own, column = np.empty(largest), np.empty(largest)
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        size, width = last - first, column_start[i + 1] - column_start[i]
        offset = value_start[i]
        if size > 1:
            turn_block(first, last, frames[i, 2], reflector, along, along)
        mirror = reflector[first:last]
        for c in range(width):
            inner = columns[column_start[i] + c] - first
            mine = 0 <= inner < size
            for a in range(size):
                column[a] = values[offset + a * width + c]
                own[a] = 1.0 if a == inner else 0.0
            if size > 1:
                turn_block(0, size, frames[i, 2], mirror, column, column)
                turn_block(0, size, frames[i, 2], mirror, own, own)
            slip = 0.0
            for a in range(size):
                if mine:
                    column[a] += delta * own[a]
                slip += along[first + a] * column[a]
            for a in range(size):
                entry = tau[first + a] * (column[a] + (ROOT_HALF * slip if a < 2 and size > 1 else 0.0))
                out[offset + a * width + c] = entry + (rest[first + a] * own[a] if mine else 0.0)


@kernel
def subtract_product(start, tau, rest, along, dx, du, out):
    """out -= rest dx + tau (1 + e h') du, all turned (h in `along`): what a solution leaves of the exact equations."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        slip = 0.0
        if last - first > 1:
            for k in range(first, last):
                slip += along[k] * du[k]
        for k in range(first, last):
            out[k] -= rest[k] * dx[k] + tau[k] * (du[k] + (ROOT_HALF * slip if k < first + 2 else 0.0))
    for k in range(start[-1], len(dx)):
        out[k] -= rest[k] * dx[k] + tau[k] * du[k]
