"""Compact records (see `compact_records`) from the rows of contacts between rigid bodies (see `rigid_rows`)."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import fused_kernel, inlined, kernel
from signorini.kernels.cones.block_scales import ANISOTROPIC, LARGEST_EIGENVALUE, scale_block
from signorini.kernels.simd.prefetch import FIRST, prefetch_for_write
from signorini.kernels.sweeps.compact_records import FOURTH_LINE, FRICTION, OFFSET, SECOND_LINE, SHARE, THIRD_LINE
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 512
"""Contacts or bodies of a part."""
AHEAD = 8
"""Prefetch distance of records."""


@inlined
def dot(a, b):
    """a'b of three numbers each."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def load(entries, i, k, factor):
    """Three entries of a contact, times three factors."""
    return entries[i, k] * factor[0], entries[i, k + 1] * factor[1], entries[i, k + 2] * factor[2]


@inlined
def put(three, factor, record, k, j):
    """record[k, j:j + 3] = factor * three."""
    record[k, j], record[k, j + 1], record[k, j + 2] = factor * three[0], factor * three[1], factor * three[2]


@fused_kernel
def usual_scales(nn, ss, tt, ns, nt, st, rule):
    """The rule `ANISOTROPIC` where its bound of the eigenvalues is enough, as for nearly all contacts; else 0, 0."""
    trace = nn + ss + tt
    floor = 1e-6 * trace
    if rule == ANISOTROPIC and nn > floor and trace - nn > 2.0 * floor:
        normal, tangent = 1.0 / math.sqrt(nn), 1.0 / math.sqrt(0.5 * (trace - nn))
        cross, square = normal * tangent, tangent * tangent
        a, b, c = cross * abs(ns), cross * abs(nt), square * abs(st)
        if max(1.0 + a + b, max(a + square * ss + c, b + c + square * tt)) <= LARGEST_EIGENVALUE:
            return normal, tangent
    return 0.0, 0.0


@fused_kernel
def scales(nn, ss, tt, ns, nt, st, rule, fallback, g):
    """`block_scales.scale_block` for the block of N of one contact; g is a 3 x 3 array that may be written over."""
    g[0, 0], g[1, 1], g[2, 2] = nn, ss, tt
    g[0, 1], g[0, 2], g[1, 2] = ns, nt, st
    g[1, 0], g[2, 0], g[2, 1] = ns, nt, st
    return scale_block(g, 3, rule, fallback)


@inlined
def ask_for_record(record, scale, k):
    """Prefetch the cache lines of one record and its scales."""
    prefetch_for_write(record, k, FIRST)
    prefetch_for_write(record, k, SECOND_LINE)
    prefetch_for_write(record, k, THIRD_LINE)
    prefetch_for_write(record, k, FOURTH_LINE)
    prefetch_for_write(scale, k, FIRST)


@shared
@fused_kernel
def pack_part(part, parts, pairs, entries, weight, b, mu, place, rule, fallback, record, scale):
    """`pack` of one part of the contacts."""
    g, last = np.empty((3, 3)), len(pairs) - 1
    for count in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        i, k = np.uint64(count), np.uint64(place[count])
        ask_for_record(record, scale, np.uint64(place[min(count + AHEAD, last)]))
        p, q = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        share = 0.0 if p == q else -weight[q, 0] / weight[p, 0]
        mass, both = weight[p, 0], 1.0 + share * share
        linear, first = (mass, mass, mass), (weight[p, 3], weight[p, 4], weight[p, 5])
        second = (weight[q, 3], weight[q, 4], weight[q, 5])
        n, nr, nq = load(entries, i, 0, linear), load(entries, i, 3, first), load(entries, i, 6, second)
        s, sr, sq = load(entries, i, 9, linear), load(entries, i, 12, first), load(entries, i, 15, second)
        t, tr, tq = load(entries, i, 18, linear), load(entries, i, 21, first), load(entries, i, 24, second)
        nn, ss = both * dot(n, n) + (dot(nr, nr) + dot(nq, nq)), both * dot(s, s) + (dot(sr, sr) + dot(sq, sq))
        tt, ns = both * dot(t, t) + (dot(tr, tr) + dot(tq, tq)), both * dot(n, s) + (dot(nr, sr) + dot(nq, sq))
        nt, st = both * dot(n, t) + (dot(nr, tr) + dot(nq, tq)), both * dot(s, t) + (dot(sr, tr) + dot(sq, tq))
        normal, tangent = usual_scales(nn, ss, tt, ns, nt, st, rule)
        if normal == 0.0:
            normal, tangent = scales(nn, ss, tt, ns, nt, st, rule, fallback, g)
        scale[k, 0], scale[k, 1], scale[k, 2] = normal, tangent, tangent
        put(n, normal, record, k, 0)
        put(nr, normal, record, k, 3)
        put(nq, normal, record, k, 6)
        put(s, tangent, record, k, 9)
        put(sr, tangent, record, k, 12)
        put(sq, tangent, record, k, 15)
        put(t, tangent, record, k, 18)
        put(tr, tangent, record, k, 21)
        put(tq, tangent, record, k, 24)
        record[k, SHARE], record[k, OFFSET], record[k, OFFSET + 1] = share, -b[i, 0] * normal, -b[i, 1] * tangent
        record[k, OFFSET + 2], record[k, FRICTION] = -b[i, 2] * tangent, mu[i] * normal / tangent


@kernel
def pack(team, pairs, entries, weight, b, mu, place, rule, fallback, record, scale):
    """Records and their scales (contacts, 3) of rigid contacts, contact i at place[i].

    weight is the diagonal of G, six numbers per body, the first three of them equal; b has three numbers per contact.
    Contacts are read in their own order and written to where they are swept.
    """
    parts = parts_of(len(pairs), LEAST)
    pack_part(team, parts, (parts, pairs, entries, weight, b, mu, place, rule, fallback, record, scale))


@shared
@kernel
def velocities_part(part, parts, weight, position, c, z):
    """`body_velocities` of one part of the bodies."""
    for i in range(first_of(part, parts, len(position)), first_of(part + 1, parts, len(position))):
        k = np.uint64(position[i])
        for j in range(3):
            z[k, j], z[k, j + 4] = -weight[i, j] * c[i, j], -weight[i, j + 3] * c[i, j + 3]
        z[k, 3], z[k, 7] = 0.0, 0.0


@kernel
def body_velocities(team, weight, position, c, z):
    """z = -G'c of a diagonal G, `weight`, six numbers per body each; body i goes to the row position[i] of z.

    Rows of z are those of `compact_records`.
    """
    parts = parts_of(len(position), LEAST)
    velocities_part(team, parts, (parts, weight, position, c, z))
