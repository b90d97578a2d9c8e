"""Contacts with whole rows: three rows each, every one with all six velocities of the one or two bodies it touches.

`sixes` holds the entries of D in rows of six, as they lie in memory: a contact of bodies p < q has six of them,
(normal of p, of q, first tangent of p, of q, second tangent of p, of q), one of a single body has three; `pairs` names
the bodies, a single one twice. Places are unsigned: signed ones might count from the end, which costs time.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel

ZERO, ONE = np.uint64(0), np.uint64(1)


@kernel
def dot(a, b):
    """a'b of six numbers each."""
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5])


@kernel
def scaled(row, factor):
    """Products of six numbers each."""
    return (
        row[0] * factor[0], row[1] * factor[1], row[2] * factor[2],
        row[3] * factor[3], row[4] * factor[4], row[5] * factor[5],
    )  # fmt: skip


@kernel
def terms(row, velocity, weight):
    """Of one row and one body: row'v, |row|'|v| and row' W row."""
    a, b, c, d, e, f = scaled(row, velocity)
    size = ((abs(a) + abs(b)) + (abs(c) + abs(d))) + (abs(e) + abs(f))
    return ((a + b) + (c + d)) + (e + f), size, dot(row, scaled(row, weight))


@kernel
def free_motion(pairs, sixes, velocity, b, weight, slip, squares):
    """slip = D v - b and squares = diag(D W D'), W diagonal; returns |slip| and the norm of `|D| |v| + |b|`.

    velocity and weight have six numbers per body, slip, squares and b three per contact.
    """
    square, term_square, at = 0.0, 0.0, ZERO
    for i in range(len(pairs)):
        p, q = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        stride = ONE if p == q else ONE + ONE
        for k in range(3):
            total, size, weighted = terms(sixes[at], velocity[p], weight[p])
            if p != q:
                more = terms(sixes[at + ONE], velocity[q], weight[q])
                total, size, weighted = total + more[0], size + more[1], weighted + more[2]
            at += stride
            total, size = total - b[i, k], size + abs(b[i, k])
            slip[i, k], squares[i, k] = total, weighted
            square, term_square = square + total * total, term_square + size * size
    return math.sqrt(square), math.sqrt(term_square)


@kernel
def slips(pairs, sixes, velocity, b, slip):
    """slip = D v - b, as in `free_motion`."""
    at = ZERO
    for i in range(len(pairs)):
        p, q = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        if p == q:
            for k in range(3):
                slip[i, k] = dot(sixes[at], velocity[p]) - b[i, k]
                at += ONE
        else:
            for k in range(3):
                slip[i, k] = dot(sixes[at], velocity[p]) + dot(sixes[at + ONE], velocity[q]) - b[i, k]
                at += ONE + ONE


@kernel
def add_forces(n, s, t, impulse, force, size):
    """Add what the three rows of a contact do to one body."""
    x, y, z = impulse[0], impulse[1], impulse[2]
    for j in range(6):
        a, b, c = n[j] * x, s[j] * y, t[j] * z
        force[j] += (a + b) + c
        size[j] += (abs(a) + abs(b)) + abs(c)


@kernel
def forces(pairs, sixes, impulse, force, size):
    """force += D' impulse and size += |D|' |impulse|, six numbers per body; impulse has three per contact."""
    at = ZERO
    for i in range(len(pairs)):
        p, q = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        stride = ONE if p == q else ONE + ONE
        second = at + stride
        third = second + stride
        add_forces(sixes[at], sixes[second], sixes[third], impulse[i], force[p], size[p])
        if p != q:
            add_forces(sixes[at + ONE], sixes[second + ONE], sixes[third + ONE], impulse[i], force[q], size[q])
        at = third + stride


@kernel
def body_velocities(weight, position, c, z):
    """z = -G'c of a diagonal G, `weight`, six numbers per body each; body i goes to the row position[i] of z."""
    for i in range(len(position)):
        row = z[np.uint64(position[i])]
        for j in range(6):
            row[j] = -weight[i, j] * c[i, j]


@kernel
def are_opposite(a, b):
    """Whether the linear parts of a row are the same for two bodies, but for the sign."""
    return (a[0] == -b[0]) & (a[1] == -b[1]) & (a[2] == -b[2])


@kernel
def put(six, other, factor, out):
    """out = factor * (six numbers, the last three of six others)."""
    out[0], out[1], out[2] = six[0] * factor, six[1] * factor, six[2] * factor
    out[3], out[4], out[5] = six[3] * factor, six[4] * factor, six[5] * factor
    out[6], out[7], out[8] = other[3] * factor, other[4] * factor, other[5] * factor
