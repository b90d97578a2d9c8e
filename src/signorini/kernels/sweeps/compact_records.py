"""Sweeps and products over records that hold the directions of a contact once for both of its bodies.

What a contact does to the linear velocities of two rigid bodies is opposite. In whitened velocities (z of the first
body, y of the second) the linear parts of its rows are therefore T and `share * T`, `share = -sqrt(m_1 / m_2)`, and 0
where there is no second body:

    u = T (z_linear + share * y_linear) + R_1 z_angular + R_2 y_angular + b.

A record holds T, R_1, R_2 row by row (3 x (3 + 3 + 3)), then share, b (3) and the friction coefficient: 256 bytes, four
cache lines, and fewer products than the 3 x 12 entries of `pair_sweeps`, which it stands for.

Rows of z are `(linear, 0, angular, 0)`, so that four numbers are read and written at once (see `simd4`); packs of a
record hold three of its numbers and one that is multiplied by zero.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import fused_kernel, inlined
from signorini.kernels.cones.coulomb_cones import project_three
from signorini.kernels.simd.prefetch import prefetch
from signorini.kernels.simd.simd4 import load, plus, plus_times, spread, store, sums, times, without_last

WIDTH = 32
SHARE, OFFSET, FRICTION = 27, 28, 31
N0, N1, N2 = np.uint64(0), np.uint64(3), np.uint64(6)
S0, S1, S2 = np.uint64(9), np.uint64(12), np.uint64(15)
T0, T1, T2 = np.uint64(18), np.uint64(21), np.uint64(24)
"""Where T, R_1 and R_2 of the normal and of both tangents begin."""
SECOND_LINE, THIRD_LINE, FOURTH_LINE = np.uint64(8), np.uint64(16), np.uint64(24)
"""First numbers of the cache lines of a record."""
LINEAR, ANGULAR = np.uint64(0), np.uint64(4)
"""Where the velocities of a body begin in a row of z."""
AHEAD = 16
"""Contacts that are asked for before they are swept."""


@inlined
def slip(record, i, z, a, b):
    """A z of contact i of the bodies a and b, without its offset."""
    x = plus_times(load(z, a, LINEAR), spread(record[i, SHARE]), load(z, b, LINEAR))
    first, second = load(z, a, ANGULAR), load(z, b, ANGULAR)
    n = plus_times(times(load(record, i, N0), x), load(record, i, N1), first)
    s = plus_times(times(load(record, i, S0), x), load(record, i, S1), first)
    t = plus_times(times(load(record, i, T0), x), load(record, i, T1), first)
    return sums(
        plus_times(n, load(record, i, N2), second),
        plus_times(s, load(record, i, S2), second),
        plus_times(t, load(record, i, T2), second),
    )


@inlined
def push(record, i, n, s, t, z, a, b):
    """z += A' (n, s, t) of contact i of the bodies a and b."""
    n, s, t, share = spread(n), spread(s), spread(t), spread(record[i, SHARE])
    x = plus_times(times(load(record, i, N0), n), load(record, i, S0), s)
    x = without_last(plus_times(x, load(record, i, T0), t))
    first = plus_times(plus_times(load(z, a, ANGULAR), load(record, i, N1), n), load(record, i, S1), s)
    first = without_last(plus_times(first, load(record, i, T1), t))
    second = plus_times(plus_times(load(z, b, ANGULAR), load(record, i, N2), n), load(record, i, S2), s)
    second = without_last(plus_times(second, load(record, i, T2), t))
    y, x = plus_times(load(z, b, LINEAR), share, x), plus(load(z, a, LINEAR), x)
    # Second body first: where it is the first one again, the write below wins.
    store(y, z, b, LINEAR)
    store(second, z, b, ANGULAR)
    store(x, z, a, LINEAR)
    store(first, z, a, ANGULAR)


@inlined
def change(record, u, x, i, exact, omega, mixing):
    """What one step at the slip u changes in the impulse x[i]; `exact` adds the de Saxce term to the normal slip."""
    pn, ps, pt = x[i, 0], x[i, 1], x[i, 2]
    un, us, ut = u[0] + record[i, OFFSET], u[1] + record[i, OFFSET + 1], u[2] + record[i, OFFSET + 2]
    if exact:
        un += record[i, FRICTION] * math.sqrt(us * us + ut * ut)
    n, s, t = project_three(pn - omega * un, ps - omega * us, pt - omega * ut, record[i, FRICTION])
    return mixing * (n - pn), mixing * (s - ps), mixing * (t - pt)


@inlined
def add(n, s, t, x, i):
    """x[i] += (n, s, t)."""
    x[i, 0], x[i, 1], x[i, 2] = x[i, 0] + n, x[i, 1] + s, x[i, 2] + t


@inlined
def prefetch_contact(body, record, z, i):
    """Prefetch the record of contact i and the velocities of its bodies, if there is such a contact."""
    k = np.uint64(min(max(i, 0), len(body) - 1))
    prefetch(record, k, N0)
    prefetch(record, k, SECOND_LINE)
    prefetch(record, k, THIRD_LINE)
    prefetch(record, k, FOURTH_LINE)
    prefetch(z, np.uint64(body[k, 0]), LINEAR)
    prefetch(z, np.uint64(body[k, 1]), LINEAR)


@fused_kernel
def sweep_range(first, last, stride, body, record, exact, omega, mixing, x, z):
    """`pair_sweeps.sweep_range` for compact records.

    Two successive contacts without a common body are visited side by side, which gives the same bits as one after the
    other: each has a long chain of operations to wait for, and a processor does not look far enough ahead by itself.
    """
    i, ahead = first, AHEAD * stride
    while i != last:
        j = i + stride
        prefetch_contact(body, record, z, i + ahead)
        prefetch_contact(body, record, z, j + ahead)
        p, q = np.uint64(i), np.uint64(j if j != last else i)  # unsigned: signed ones might count from the end
        a, b, c, d = np.uint64(body[p, 0]), np.uint64(body[p, 1]), np.uint64(body[q, 0]), np.uint64(body[q, 1])
        if (a != c) & (a != d) & (b != c) & (b != d):
            u = slip(record, p, z, a, b)
            v = slip(record, q, z, c, d)
            n, s, t = change(record, u, x, p, exact, omega, mixing)
            m, r, w = change(record, v, x, q, exact, omega, mixing)
            # All writing comes last: a compiler reads again what may have been written over.
            add(n, s, t, x, p)
            add(m, r, w, x, q)
            push(record, p, n, s, t, z, a, b)
            push(record, q, m, r, w, z, c, d)
            i = j + stride
        else:
            u = slip(record, p, z, a, b)
            n, s, t = change(record, u, x, p, exact, omega, mixing)
            add(n, s, t, x, p)
            push(record, p, n, s, t, z, a, b)
            i = j


@fused_kernel
def scatter_range(first, last, body, record, x, z):
    """z += A' x over contacts first..last-1."""
    for count in range(first, last):
        i = np.uint64(count)
        prefetch_contact(body, record, z, count + AHEAD)
        push(record, i, x[i, 0], x[i, 1], x[i, 2], z, np.uint64(body[i, 0]), np.uint64(body[i, 1]))


@fused_kernel
def gather_range(first, last, body, record, z, offset, out):
    """out = A z, plus `offset` times b, over contacts first..last-1."""
    for count in range(first, last):
        i = np.uint64(count)
        n, s, t = slip(record, i, z, np.uint64(body[i, 0]), np.uint64(body[i, 1]))
        out[i, 0], out[i, 1] = n + offset * record[i, OFFSET], s + offset * record[i, OFFSET + 1]
        out[i, 2] = t + offset * record[i, OFFSET + 2]
