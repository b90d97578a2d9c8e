"""Sweeps, projected gradient steps and scales with an explicit N in CSR form, over blocks of all kinds.

`start` holds the first row of every block, then the number of rows; `table` is that of `general_blocks` in the scaled
variables. A free impulse is an interval without ends.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.cones.block_scales import ANISOTROPIC, LARGEST_EIGENVALUE, TRACE, largest_eigenvalue, scale_block
from signorini.kernels.cones.coulomb_cones import project_outside
from signorini.kernels.cones.general_blocks import (
    CONE,
    KIND,
    MU,
    ROLLING,
    ROLLING_ROWS,
    de_saxce_term,
    project,
    project_block,
)


@kernel
def product(indptr, indices, data, x, b, offset, out):
    """out = N x + offset b."""
    for row in range(len(out)):
        u = offset * b[row]
        for k in range(indptr[row], indptr[row + 1]):
            u += data[k] * x[indices[k]]
        out[row] = u


@kernel
def sweeps(done, count, symmetric, start, table, indptr, indices, data, b, exact, omega, mixing, work, x):
    """Sweeps of projected SOR: done, done + 1, ..., `count` of them; odd ones backwards when `symmetric`.

    `exact` adds the de Saxce term to the normal slip of a block when it is visited.
    """
    blocks = len(table)
    for sweep in range(done, done + count):
        backwards = symmetric and sweep % 2 == 1
        for j in range(blocks):
            i = blocks - 1 - j if backwards else j
            first, last = start[i], start[i + 1]
            for row in range(first, last):
                u = b[row]
                for k in range(indptr[row], indptr[row + 1]):
                    u += data[k] * x[indices[k]]
                work[row] = u
            if exact:
                work[first] += de_saxce_term(work, first, last, table[i])
            for row in range(first, last):
                work[row] = x[row] - omega * work[row]
            if table[i, KIND] == CONE and last - first == 3:
                work[first], work[first + 1], work[first + 2] = project_outside(
                    work[first], work[first + 1], work[first + 2], table[i, MU]
                )
            else:
                project_block(work, start, i, table, work)
            for row in range(first, last):
                x[row] += mixing * (work[row] - x[row])


@kernel
def forward(start, table, step, y, gy, x):
    """x = P(y - step gy); `x` may be `y`."""
    for k in range(len(x)):
        x[k] = y[k] - step * gy[k]
    project(start, table, x, x)


@kernel
def direction(start, table, step, x, g, d):
    """d = P(x - step g) - x; returns (g'd, d'd)."""
    forward(start, table, step, x, g, d)
    slope, square = 0.0, 0.0
    for k in range(len(x)):
        d[k] -= x[k]
        slope += g[k] * d[k]
        square += d[k] * d[k]
    return slope, square


@kernel
def _scale_rolling(g, rule, fallback, factor):
    """One factor for each group of equal units, (n, t, t), s and (r, r), of a rolling block; `g` is overwritten."""
    first = (0, 1, 3, 4) if rule == ANISOTROPIC else (0, 0, 3, 4)
    last = (1, 3, 4, 6) if rule == ANISOTROPIC else (3, 3, 4, 6)
    trace = 0.0
    for k in range(ROLLING_ROWS):
        trace += g[k, k]
    for q in range(4):
        mean = 0.0
        for k in range(first[q], last[q]):
            mean += g[k, k] / (last[q] - first[q])
        for k in range(first[q], last[q]):
            factor[k] = 1.0 / math.sqrt(mean) if mean > 1e-12 * trace and mean > 0.0 else fallback
    if rule == TRACE:
        return
    for i in range(ROLLING_ROWS):
        for j in range(ROLLING_ROWS):
            g[i, j] *= factor[i] * factor[j]
    excess = largest_eigenvalue(g, ROLLING_ROWS) / LARGEST_EIGENVALUE
    if excess > 1.0:
        for k in range(ROLLING_ROWS):
            factor[k] /= math.sqrt(excess)


@kernel
def scales(start, table, indptr, indices, data, rule, fallback, scale):
    """Scale of every row of an explicit N in CSR form."""
    largest = 1
    for i in range(len(table)):
        largest = max(largest, start[i + 1] - start[i])
    g = np.zeros((largest, largest))
    for i in range(len(table)):
        first, last = start[i], start[i + 1]
        g[:] = 0.0
        for row in range(first, last):
            for k in range(indptr[row], indptr[row + 1]):
                if first <= indices[k] < last:
                    g[row - first, indices[k] - first] = data[k]
        if table[i, KIND] == ROLLING:
            _scale_rolling(g, rule, fallback, scale[first:last])
            continue
        normal, tangent = scale_block(g, last - first, rule, fallback)
        for row in range(first, last):
            scale[row] = normal if row == first else tangent
