"""Sweeps and products over records that hold the directions of a contact once for both of its bodies.

What a contact does to the linear velocities of two rigid bodies is opposite. In whitened velocities (z of the first
body, y of the second) the linear parts of its rows are therefore T and `share * T`, `share = -sqrt(m_1 / m_2)`, and 0
where there is no second body:

    u = T (z_linear + share * y_linear) + R_1 z_angular + R_2 y_angular + b.

A record holds T, R_1, R_2 row by row (3 x (3 + 3 + 3)), then share, b (3) and the friction coefficient: 256 bytes, four
cache lines, and fewer products than the 3 x 12 entries of `pair_sweeps`, which it stands for.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import inlined
from signorini.kernels.fused import fused_kernel

WIDTH = 32
SHARE, OFFSET, FRICTION = 27, 28, 31
TINY = 1e-300
"""Divisor where a tangent impulse is zero."""


@inlined
def slip(A, z, a, b):
    """A z of one contact, without its offset."""
    share = A[SHARE]
    x0, x1, x2 = z[a, 0] + share * z[b, 0], z[a, 1] + share * z[b, 1], z[a, 2] + share * z[b, 2]
    z3, z4, z5 = z[a, 3], z[a, 4], z[a, 5]
    y3, y4, y5 = z[b, 3], z[b, 4], z[b, 5]
    # Sums in three lanes: a chain of nine additions would wait for itself.
    return (
        (A[0] * x0 + A[3] * z3 + A[6] * y3) + (A[1] * x1 + A[4] * z4 + A[7] * y4) + (A[2] * x2 + A[5] * z5 + A[8] * y5),
        (A[9] * x0 + A[12] * z3 + A[15] * y3)
        + (A[10] * x1 + A[13] * z4 + A[16] * y4)
        + (A[11] * x2 + A[14] * z5 + A[17] * y5),
        (A[18] * x0 + A[21] * z3 + A[24] * y3)
        + (A[19] * x1 + A[22] * z4 + A[25] * y4)
        + (A[20] * x2 + A[23] * z5 + A[26] * y5),
    )


@inlined
def push(A, n, s, t, z, a, b):
    """z += A' (n, s, t) of one contact."""
    share = A[SHARE]
    x0, x1, x2 = A[0] * n + A[9] * s + A[18] * t, A[1] * n + A[10] * s + A[19] * t, A[2] * n + A[11] * s + A[20] * t
    y0, y1, y2 = z[b, 0] + share * x0, z[b, 1] + share * x1, z[b, 2] + share * x2
    y3 = z[b, 3] + (A[6] * n + A[15] * s + A[24] * t)
    y4 = z[b, 4] + (A[7] * n + A[16] * s + A[25] * t)
    y5 = z[b, 5] + (A[8] * n + A[17] * s + A[26] * t)
    z0, z1, z2 = z[a, 0] + x0, z[a, 1] + x1, z[a, 2] + x2
    z3 = z[a, 3] + (A[3] * n + A[12] * s + A[21] * t)
    z4 = z[a, 4] + (A[4] * n + A[13] * s + A[22] * t)
    z5 = z[a, 5] + (A[5] * n + A[14] * s + A[23] * t)
    # Second body first: where it is the first one again, the write below wins.
    z[b, 0], z[b, 1], z[b, 2], z[b, 3], z[b, 4], z[b, 5] = y0, y1, y2, y3, y4, y5
    z[a, 0], z[a, 1], z[a, 2], z[a, 3], z[a, 4], z[a, 5] = z0, z1, z2, z3, z4, z5


@inlined
def project(n, s, t, mu):
    """`gradient_steps.project_three` for mu >= 0 without a branch.

    Whether a contact sticks, slides or opens is hard to guess, and a processor that guesses wrong loses more time than
    a square root takes. With the excess `e = max(0, |(s, t)| - mu n)` the normal part of the projection is
    `max(0, n + mu e / (1 + mu^2))` in all three cases, and the tangent is cut to mu times that.
    """
    tangent = math.sqrt(s * s + t * t)
    n = max(0.0, n + mu / (1.0 + mu * mu) * max(0.0, tangent - mu * n))
    cut = min(1.0, mu * n / max(tangent, TINY))
    return n, cut * s, cut * t


@inlined
def change(A, u, x, i, omega, mixing):
    """What one step at the slip u changes in the impulse x[i]."""
    pn, ps, pt = x[i, 0], x[i, 1], x[i, 2]
    n, s, t = project(
        pn - omega * (u[0] + A[OFFSET]),
        ps - omega * (u[1] + A[OFFSET + 1]),
        pt - omega * (u[2] + A[OFFSET + 2]),
        A[FRICTION],
    )
    return mixing * (n - pn), mixing * (s - ps), mixing * (t - pt)


@inlined
def add(n, s, t, x, i):
    """x[i] += (n, s, t)."""
    x[i, 0], x[i, 1], x[i, 2] = x[i, 0] + n, x[i, 1] + s, x[i, 2] + t


@fused_kernel
def sweep_range(first, last, stride, body, record, omega, mixing, x, z):
    """`pair_sweeps.sweep_range` for compact records.

    Two successive contacts without a common body are visited side by side, which gives the same bits as one after the
    other: each has a long chain of operations to wait for, and a processor does not look far enough ahead by itself.
    """
    i = first
    while i != last:
        j = i + stride
        p, q = np.uint64(i), np.uint64(j if j != last else i)  # unsigned: signed ones might count from the end
        a, b, c, d = body[p, 0], body[p, 1], body[q, 0], body[q, 1]
        A, B = record[p], record[q]
        if (a != c) & (a != d) & (b != c) & (b != d):
            u = slip(A, z, a, b)
            v = slip(B, z, c, d)
            n, s, t = change(A, u, x, p, omega, mixing)
            m, r, w = change(B, v, x, q, omega, mixing)
            # All writing comes last: a compiler reads again what may have been written over.
            add(n, s, t, x, p)
            add(m, r, w, x, q)
            push(A, n, s, t, z, a, b)
            push(B, m, r, w, z, c, d)
            i = j + stride
        else:
            u = slip(A, z, a, b)
            n, s, t = change(A, u, x, p, omega, mixing)
            add(n, s, t, x, p)
            push(A, n, s, t, z, a, b)
            i = j


@fused_kernel
def scatter_range(first, last, body, record, x, z):
    """z += A' x over contacts first..last-1."""
    for i in range(first, last):
        push(record[i], x[i, 0], x[i, 1], x[i, 2], z, body[i, 0], body[i, 1])


@fused_kernel
def gather_range(first, last, body, record, z, offset, out):
    """out = A z, plus `offset` times b, over contacts first..last-1."""
    for i in range(first, last):
        A = record[i]
        n, s, t = slip(A, z, body[i, 0], body[i, 1])
        out[i, 0], out[i, 1] = n + offset * A[OFFSET], s + offset * A[OFFSET + 1]
        out[i, 2] = t + offset * A[OFFSET + 2]
