"""From sparse D and block diagonal H to one record per contact (see `pair_sweeps`)."""

from __future__ import annotations

import numpy as np

from signorini.kernels.block_scales import scale_block
from signorini.kernels.compile import kernel


@kernel
def pair_bodies(start, indptr, indices, data, body_of, body):
    """The two bodies that each block of rows touches; False when one touches three. One body is named twice."""
    for i in range(len(start) - 1):
        a, b = -1, -1
        for k in range(indptr[start[i]], indptr[start[i + 1]]):
            if data[k] == 0.0:
                continue
            touched = body_of[indices[k]]
            if a < 0 or touched == a:
                a = touched
            elif b < 0 or touched == b:
                b = touched
            else:
                return False
        body[i, 0] = max(a, 0)
        body[i, 1] = b if b >= 0 else max(a, 0)
    return True


@kernel
def diagonal_block(A, g):
    """g = A A' of one contact; six sums side by side, so that none waits for itself."""
    nn = ns = nt = ss = st = tt = 0.0
    for j in range(12):
        n, s, t = A[j], A[12 + j], A[24 + j]
        nn += n * n
        ns += n * s
        nt += n * t
        ss += s * s
        st += s * t
        tt += t * t
    g[0, 0], g[1, 1], g[2, 2] = nn, ss, tt
    g[0, 1], g[0, 2], g[1, 2] = ns, nt, st
    g[1, 0], g[2, 0], g[2, 1] = ns, nt, st


@kernel
def whiten(start, indptr, indices, data, g_indptr, g_indices, g_data, body_of, first_of, order, body, record):
    """Rows of D G, one contact per record, in sweeping order; the first six columns belong to the first body."""
    for k in range(len(order)):
        i = order[k]
        a = body[i, 0]
        A = record[k]
        place = 0
        for row in range(start[i], start[i + 1]):
            for p in range(indptr[row], indptr[row + 1]):
                column, value = indices[p], data[p]
                touched = body_of[column]
                shift = place - first_of[touched] + (0 if touched == a else 6)
                for q in range(g_indptr[column], g_indptr[column + 1]):
                    A[shift + g_indices[q]] += value * g_data[q]
            place += 12


@kernel
def pack_scales(start, order, rule, fallback, E, record, scale, soft):
    """Scale every record; fills `scale` (contacts, 3) and the scaled compliance `soft`."""
    g = np.zeros((3, 3))
    softened = len(soft) > 0
    for k in range(len(order)):
        first = start[order[k]]
        d = start[order[k] + 1] - first
        A = record[k]
        diagonal_block(A, g)
        if softened:
            for q in range(d):
                g[q, q] += E[first + q]
        normal, tangent = scale_block(g, d, rule, fallback)
        scale[k, 0], scale[k, 1], scale[k, 2] = normal, tangent, tangent
        for j in range(12):
            A[j] *= normal
        for j in range(12, 36):
            A[j] *= tangent
        if softened:
            for q in range(d):
                soft[k, q] = E[first + q] * scale[k, q] * scale[k, q]


@kernel
def pack_offsets(start, order, offset, mu, scale, record):
    """Scaled b (the slip at z = 0) and the friction coefficient of the scaled cone, -1 for free impulses."""
    for k in range(len(order)):
        i = order[k]
        for q in range(start[i + 1] - start[i]):
            record[k, 36 + q] = offset[start[i] + q] * scale[k, q]
        record[k, 39] = mu[i] * scale[k, 0] / scale[k, 1] if mu[i] > 0.0 else mu[i]


@kernel
def gather_rows(start, order, scale, values, out):
    """Padded variables (contacts, 3) in sweeping order from rows: values / scale."""
    for k in range(len(order)):
        i = order[k]
        for q in range(start[i + 1] - start[i]):
            out[k, q] = values[start[i] + q] / scale[k, q]


@kernel
def scatter_rows(start, order, scale, x, out):
    """Rows from padded variables: x * scale."""
    for k in range(len(order)):
        i = order[k]
        for q in range(start[i + 1] - start[i]):
            out[start[i] + q] = x[k, q] * scale[k, q]


@kernel
def body_velocities(body_of, first_of, position, values, z):
    """Whitened velocities (bodies, 8) in breadth-first order from a vector over the velocities."""
    for k in range(len(values)):
        z[position[body_of[k]], k - first_of[body_of[k]]] = values[k]
