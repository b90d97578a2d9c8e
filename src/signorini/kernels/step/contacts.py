"""What contacts see of a step whose joints hold: `u = N lambda + r`."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import dot, row_times
from signorini.kernels.step.joints import overlap
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
    """Y = L^-1 A W', shape (joints, contact rows)."""
    k, m = len(joints.scale), len(W)
    Y = np.zeros((k, m))
    for i in range(k):
        if joints.dependent[i]:
            continue
        row = Y[i]
        for c in range(m):
            if joints.span[i, 0] < span[c, 1] and span[c, 0] < joints.span[i, 1]:
                row[c] = overlap(joints.rows, i, W, c, joints.span, span)
        for j in range(joints.begin[i], i):
            below = joints.L[i, j]
            if below != 0.0:
                above = Y[j]
                for c in range(m):
                    row[c] -= below * above[c]
        inverse = 1.0 / joints.L[i, i]
        for c in range(m):
            row[c] *= inverse
    return Y


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
        Y = _through_joints(joints, W, span)
        for k in range(len(Y)):
            for i in range(m):
                factor = Y[k, i]
                if factor != 0.0:
                    for j in range(i, m):
                        N[i, j] -= factor * Y[k, j]
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
