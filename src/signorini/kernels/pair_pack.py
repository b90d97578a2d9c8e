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
def factor_blocks(indptr, indices, data, body_of, first_of, blocks):
    """The blocks of the sparse factor G as dense (bodies, 6, 6)."""
    for row in range(len(indptr) - 1):
        body = body_of[row]
        for k in range(indptr[row], indptr[row + 1]):
            blocks[body, row - first_of[body], indices[k] - first_of[body]] = data[k]


@kernel
def pack(start, indptr, indices, data, body_of, first_of, blocks, order, body, rule, fallback, E, record, scale, soft):
    """Fill `record` (rows of D G), `scale` (contacts, 3) and the scaled compliance `soft`, in sweeping order."""
    row = np.empty(12)
    g = np.zeros((3, 3))
    softened = len(soft) > 0
    for k in range(len(order)):
        i = order[k]
        a = body[i, 0]
        A = record[k]
        d = start[i + 1] - start[i]
        for q in range(d):
            row[:] = 0.0
            for p in range(indptr[start[i] + q], indptr[start[i] + q + 1]):
                touched = body_of[indices[p]]
                local = indices[p] - first_of[touched]
                side = 0 if touched == a else 6
                value = data[p]
                if value != 0.0:
                    for j in range(6):
                        row[side + j] += value * blocks[touched, local, j]
            for j in range(12):
                A[12 * q + j] = row[j]
        for q in range(d):
            for p in range(d):
                total = 0.0
                for j in range(12):
                    total += A[12 * q + j] * A[12 * p + j]
                g[q, p] = total
            if softened:
                g[q, q] += E[start[i] + q]
        normal, tangent = scale_block(g, d, rule, fallback)
        for q in range(3):
            factor = normal if q == 0 else tangent
            scale[k, q] = factor
            for j in range(12):
                A[12 * q + j] *= factor
            if softened and q < d:
                soft[k, q] = E[start[i] + q] * factor * factor


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
