"""Blocks of a small dense problem: half-lines, Lorentz cones, and intervals.

`ends` holds (low, high) of every block; (0, inf) for half-lines and cones.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.starts import project_lorentz


@kernel
def is_mixed(start, ends):
    """Whether there are intervals."""
    for i in range(len(start) - 1):  # noqa: SIM110 - compiled: a generator is slower
        if ends[i, 0] != 0.0 or ends[i, 1] != math.inf:
            return True
    return False


@kernel
def interval_square(x, g, low, high):
    """Square of `x - P(x - g)` with the projection P on [low, high]."""
    p = x - g
    error = x - low if p < low else x - high if p > high else g
    return error * error


@kernel
def linearise_intervals(start, ends, x, y, tau, rest, right):
    """Semismooth Newton equation of the intervals: slopes of P, `rest = 1 - tau` and `right = P - x`."""
    for i in range(len(start) - 1):
        first, low, high = start[i], ends[i, 0], ends[i, 1]
        if start[i + 1] - first > 1 or (low == 0.0 and high == math.inf):
            continue
        p = x[first] - y[first]
        if p < low or p > high:
            tau[first], rest[first], right[first] = 0.0, 1.0, (low if p < low else high) - x[first]
        else:
            tau[first], rest[first], right[first] = 1.0, 0.0, -y[first]


@kernel
def project_block(first, last, low, high, x):
    """Project one block on its set."""
    if last - first == 1:
        x[first] = min(max(x[first], low), high)
    else:
        project_lorentz(first, last, x)


@kernel
def project(start, ends, x):
    """Project every block on its set."""
    for i in range(len(start) - 1):
        project_block(start[i], start[i + 1], ends[i, 0], ends[i, 1], x)


@kernel
def sweep(start, N, r, ends, x):
    """One Gauss-Seidel sweep of the exact law: `x_i <- P(x_i - y_i / d)`, d the norm of the block's own N."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        size, tangent = 0.0, 0.0
        for k in range(first, last):
            row = 0.0
            for j in range(first, last):
                row += abs(N[k, j])
            size = max(size, row)
        if size == 0.0:
            continue
        u0 = _slip(N[first], x, r[first])
        if last - first == 3:
            u1, u2 = _slip(N[first + 1], x, r[first + 1]), _slip(N[first + 2], x, r[first + 2])
            tangent = math.sqrt(u1 * u1 + u2 * u2)
            slip = (u0 + tangent, u1, u2)
        else:
            slip = (u0, 0.0, 0.0)
        for k in range(last - first):
            x[first + k] -= slip[k] / size
        project_block(first, last, ends[i, 0], ends[i, 1], x)


@kernel
def _slip(row, x, r):
    total = r
    for k in range(len(x)):
        total += row[k] * x[k]
    return total


@kernel
def self_dual(start, mu, diagonal):
    """(start, kept, factor) of self-dual blocks: `impulse[kept] = factor x`, one scale per block.

    Coulomb cones become Lorentz cones, contacts without friction keep their normal alone, and the mean of the
    `diagonal` of N over a block becomes 1.
    """
    blocks, kept = np.empty(len(start), np.int64), np.empty(len(diagonal), np.int64)
    factor, count = np.empty(len(diagonal)), 0
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if mu[i] == 0.0:
            last = first + 1
        blocks[i], mean = count, 0.0
        for k in range(first, last):
            kept[count] = k
            factor[count] = 1.0 / mu[i] if k == first and last - first > 1 else 1.0
            mean += diagonal[k] * factor[count] ** 2 / (last - first)
            count += 1
        for k in range(blocks[i], count):
            factor[k] /= math.sqrt(mean) if mean > 0.0 else 1.0
    blocks[len(start) - 1] = count
    return blocks, kept[:count], factor[:count]


@kernel
def largest_slip(kept, factor, r):
    """Of the scaled rows; 1 where all are 0."""
    found = 0.0
    for i in range(len(kept)):
        found = max(found, abs(factor[i] * r[kept[i]]))
    return found if found > 0.0 else 1.0
