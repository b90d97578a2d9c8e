"""Velocities in which H is 1: `w = U v` with `U'U = H`, block by block for rigid bodies, one matrix beside springs.

Beside springs U is lower triangular: the last body is eliminated first. Bodies of a robot come after the one that they
hang on, so that springs and servos in the joints of a tree fill nothing in; zeros are passed over.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import dot
from signorini.kernels.step.tables import Sparse


@kernel
def factor_mass(bodies, inertia):
    """U of H = M + stiff in `inertia.factor`, where there are springs; False when H is not positive definite."""
    n = len(inertia.stiff)
    if n == 0:
        return True
    for i in range(n):
        for j in range(i + 1):
            inertia.factor[i, j] = inertia.stiff[i, j]
    for k in range(len(bodies.mass)):
        for j in range(3):
            inertia.factor[6 * k + j, 6 * k + j] += bodies.mass[k]
            for i in range(3):
                inertia.factor[6 * k + 3 + i, 6 * k + 3 + j] += bodies.inertia[k, i, j]
    return _factor_from_last(inertia.factor)


@kernel
def _factor_from_last(U):
    """U'U = A in place of the lower triangle of A; False when a pivot is not positive."""
    for i in range(len(U) - 1, -1, -1):
        row = U[i]
        if not row[i] > 0.0:
            return False
        root, first = math.sqrt(row[i]), i
        row[i] = root
        for j in range(i - 1, -1, -1):
            if row[j] != 0.0:
                row[j] /= root
                first = j
        for j in range(first, i):
            factor = row[j]
            if factor != 0.0:
                out = U[j]
                for k in range(first, j + 1):
                    out[k] -= factor * row[k]
    return True


@kernel
def solve_transposed(bodies, factor, first, x):
    """x := U'^-1 x, whose entries before the body `first` are 0."""
    if len(factor):
        for i in range(len(x) - 1, -1, -1):
            if x[i] != 0.0:
                row = factor[i]
                x[i] /= row[i]
                share = x[i]
                for j in range(i):
                    x[j] -= share * row[j]
        return
    for k in range(first, len(bodies.mass)):
        solve_block_transposed(bodies, k, x)


@kernel
def solve_block_transposed(bodies, k, x):
    """The block of one body in `solve_transposed`."""
    solve_body_transposed(bodies, k, x[6 * k : 6 * k + 6])


@kernel
def solve_body_transposed(bodies, k, x):
    """The same of the six velocities of a body."""
    scale, R = 1.0 / math.sqrt(bodies.mass[k]), bodies.root[k]
    x[0], x[1], x[2] = scale * x[0], scale * x[1], scale * x[2]
    x[3] /= R[0, 0]
    x[4] = (x[4] - R[0, 1] * x[3]) / R[1, 1]
    x[5] = (x[5] - R[0, 2] * x[3] - R[1, 2] * x[4]) / R[2, 2]


@kernel
def solve_upper(bodies, factor, x):
    """x := U^-1 x."""
    if len(factor):
        for i in range(len(x)):
            x[i] = (x[i] - dot(factor[i], x, 0, i)) / factor[i, i]
        return
    for k in range(len(bodies.mass)):
        scale, R, o = 1.0 / math.sqrt(bodies.mass[k]), bodies.root[k], 6 * k
        x[o], x[o + 1], x[o + 2] = scale * x[o], scale * x[o + 1], scale * x[o + 2]
        x[o + 5] /= R[2, 2]
        x[o + 4] = (x[o + 4] - R[1, 2] * x[o + 5]) / R[1, 1]
        x[o + 3] = (x[o + 3] - R[0, 1] * x[o + 4] - R[0, 2] * x[o + 5]) / R[0, 0]


@kernel
def solve_mass(bodies, factor, x):
    """x := H^-1 x."""
    solve_transposed(bodies, factor, 0, x)
    solve_upper(bodies, factor, x)


@kernel
def whiten_row(bodies, factor, matrix, row, out):
    """out = (row of a matrix) U^-1, dense; the first column that is not 0 and the one after the last."""
    for j in range(len(out)):
        out[j] = 0.0
    begin, end = matrix.indptr[row], matrix.indptr[row + 1]
    if begin == end:
        return 0, 0
    first, last = matrix.indices[begin] // 6, matrix.indices[begin] // 6
    for k in range(begin, end):
        out[matrix.indices[k]] = matrix.data[k]
        first, last = min(first, matrix.indices[k] // 6), max(last, matrix.indices[k] // 6)
    if len(factor):
        solve_transposed(bodies, factor, first, out)
        begin = 0
        while begin < 6 * first and out[begin] == 0.0:
            begin += 1
        return begin, 6 * last + 6
    for k in range(first, last + 1):
        solve_block_transposed(bodies, k, out)
    return 6 * first, 6 * last + 6


@kernel
def mass_matrix(bodies, stiff):
    """H in CSR form."""
    n, bodies_count = 6 * len(bodies.mass), len(bodies.mass)
    size = n * n if len(stiff) else 12 * bodies_count
    indptr, indices, data = np.empty(n + 1, np.int32), np.empty(size, np.int32), np.empty(size)
    at = 0
    for i in range(n):
        indptr[i] = at
        k, row = i // 6, i % 6
        if len(stiff):
            for j in range(6 * k):
                if stiff[i, j] != 0.0:
                    indices[at], data[at] = j, stiff[i, j]
                    at += 1
            for column in range(6):
                indices[at], data[at] = 6 * k + column, stiff[i, 6 * k + column]
                if row == column and row < 3:
                    data[at] += bodies.mass[k]
                elif row >= 3 and column >= 3:
                    data[at] += bodies.inertia[k, row - 3, column - 3]
                at += 1
            for j in range(6 * k + 6, n):
                if stiff[i, j] != 0.0:
                    indices[at], data[at] = j, stiff[i, j]
                    at += 1
        elif row < 3:
            indices[at], data[at] = i, bodies.mass[k]
            at += 1
        else:
            for j in range(3):
                indices[at], data[at] = 6 * k + 3 + j, bodies.inertia[k, row - 3, j]
                at += 1
    indptr[n] = at
    return Sparse(indptr, indices[:at], data[:at])
