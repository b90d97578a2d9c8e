"""What contacts see of a step whose joints hold: `u = N lambda + r`."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import dot, row_dot, row_times
from signorini.kernels.step.joints import overlap, row_with
from signorini.kernels.step.whitening import solve_body_transposed, whiten_row


@kernel
def white_rows(bodies, factor, D):
    """Rows of D over whitened velocities and their spans."""
    m, n = len(D.indptr) - 1, 6 * len(bodies.mass)
    W, span = np.empty((m, n)), np.empty((m, 2), np.int64)
    for i in range(m):
        span[i, 0], span[i, 1] = whiten_row(bodies, factor, D, i, W[i])
    return W, span


@kernel
def _through_joints(joints, W, span):
    """Y = W A'L'^-1, shape (contact rows, joints), and where each of its rows begins and ends."""
    k, m = len(joints.scale), len(W)
    Y, part = np.empty((m, k)), np.empty((m, 2), np.int64)
    for c in range(m):
        first, last = k, k
        for i in range(k):
            meets = joints.span[i, 0] < span[c, 1] and span[c, 0] < joints.span[i, 1] and not joints.dependent[i]
            entry = row_with(joints, i, W, c, span) if meets else 0.0
            if entry == 0.0 and (first == k or max(joints.begin[i], first) >= last):
                Y[c, i] = 0.0
                continue
            first = min(first, i)
            if not joints.dependent[i]:
                entry -= row_times(joints.L, i, Y[c], max(joints.begin[i], first), i)
                entry /= joints.L[i, i]
            Y[c, i], last = entry, i + 1
        part[c, 0], part[c, 1] = first, last
    return Y, part


@kernel
def delassus(joints, W, span, diagonal):
    """N, and the diagonal that it has without joints."""
    m = len(W)
    N = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            if span[i, 0] < span[j, 1] and span[j, 0] < span[i, 1]:
                N[i, j] = overlap(W, i, W, j, span, span)
        diagonal[i] = N[i, i]
    if len(joints.scale):
        Y, part = _through_joints(joints, W, span)
        for i in range(m):
            for j in range(i, m):
                first, last = max(part[i, 0], part[j, 0]), min(part[i, 1], part[j, 1])
                if first < last:
                    N[i, j] -= row_dot(Y, i, Y, j, first, last)
    for i in range(m):
        for j in range(i):
            N[i, j] = N[j, i]
    return N


@kernel
def white_entries(bodies, D, diagonal):
    """Entries of D over whitened velocities of rigid bodies, and the diagonal of N."""
    white = D.data.copy()
    for i in range(len(D.indptr) - 1):
        total = 0.0
        for k in range(D.indptr[i], D.indptr[i + 1], 6):
            block = white[k : k + 6]
            solve_body_transposed(bodies, D.indices[k] // 6, block)
            total += dot(block, block, 0, 6)
        diagonal[i] = total
    return white


@kernel
def sparse_slips(D, white, w, b):
    """The same as `slips` from the entries of D over whitened velocities."""
    out = np.empty(len(b))
    for i in range(len(b)):
        total = -b[i]
        for k in range(D.indptr[i], D.indptr[i + 1]):
            total += white[k] * w[D.indices[k]]
        out[i] = total
    return out


@kernel
def slips(W, span, w, b):
    """W w - b."""
    out = np.empty(len(b))
    for i in range(len(b)):
        out[i] = row_times(W, i, w, span[i, 0], span[i, 1]) - b[i]
    return out
