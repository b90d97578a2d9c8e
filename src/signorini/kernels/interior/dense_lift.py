"""Intervals as half-lines: the impulse above the lower end, and the slip that the upper end takes.

`low <= x <= high` with the slip u is `p = x - low >= 0`, `e >= 0`, `u + e >= 0` and `high - low - p >= 0`, the first
perpendicular to the third and the second to the fourth: two half-lines, coupled by an antisymmetric part of N. An
interval without an upper or a lower end is one half-line, if need be with its sign turned. Rows of e come last.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel


@kernel
def lift(start, ends, N, r, unit):
    """(start, N, r, unit) of the problem without intervals."""
    n, blocks, more = len(r), len(start) - 1, 0
    for i in range(blocks):
        more += start[i + 1] - start[i] == 1 and ends[i, 1] != math.inf
    lifted, whole = np.empty(blocks + more + 1, dtype=np.int64), np.zeros((n + more, n + more))
    slips, units = np.zeros(n + more), np.empty((2, n + more))
    for i in range(blocks + 1):
        lifted[i] = start[i]
    for k in range(n):
        slips[k], units[0, k], units[1, k] = r[k], unit[0, k], unit[1, k]
        for j in range(n):
            whole[k, j] = N[k, j]
    row = n
    for i in range(blocks):
        k = start[i]
        if start[i + 1] - k > 1 or (ends[i, 0] == 0.0 and ends[i, 1] == math.inf):
            continue
        for j in range(n):
            slips[j] += N[j, k] * ends[i, 0]
        if ends[i, 1] == math.inf:
            continue
        whole[k, row], whole[row, k] = 1.0, -1.0
        slips[row], units[0, row], units[1, row] = ends[i, 1] - ends[i, 0], unit[1, k], unit[0, k]
        row += 1
        lifted[blocks + row - n] = row
    return lifted, whole, slips, units


@kernel
def lift_impulses(start, ends, x, slip, out):
    """Of the problem without intervals, from impulses x and their slips."""
    row = len(x)
    for k in range(len(x)):
        out[k] = x[k]
    for i in range(len(start) - 1):
        k = start[i]
        if start[i + 1] - k > 1 or (ends[i, 0] == 0.0 and ends[i, 1] == math.inf):
            continue
        out[k] = x[k] - ends[i, 0]
        if ends[i, 1] != math.inf:
            out[row] = max(0.0, -slip[k])
            row += 1


@kernel
def lower_impulses(start, ends, lifted, out):
    """Impulses x from those of the problem without intervals."""
    for k in range(len(out)):
        out[k] = lifted[k]
    for i in range(len(start) - 1):
        if start[i + 1] - start[i] == 1 and (ends[i, 0] != 0.0 or ends[i, 1] != math.inf):
            out[start[i]] += ends[i, 0]
