"""Compact rows of contacts between rigid bodies.

What a contact does to the linear velocities of two bodies is opposite, so 27 numbers hold its three rows of D. For the
normal and each of the two tangents they are `(d, r, s)`: the entries of D are `(d, r)` in the six columns of the first
body and `(-d, s)` in those of the second. `pairs` names the two bodies, the smaller first; a contact of a single body
names it twice and has s = 0. Indices are unsigned: the wraparound of negative ones costs time.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.bodies.contact_jacobian import bent_offset
from signorini.kernels.compile import inlined, kernel
from signorini.kernels.simd.prefetch import FIRST, prefetch
from signorini.kernels.threads.parts import first_of, parts_of, shared

WIDTH = 27
LEAST = 512
"""Contacts of a part."""
LINE = 8
"""Numbers of a cache line, which threads do not share."""
AHEAD, LAST = 8, np.uint64(5)
"""Prefetch distance of second bodies: contacts are ordered by their first ones, so that accesses to the second are
random. The last number of a body may be in another cache line than the first."""


@inlined
def second_ahead(pairs, count):
    """Prefetch the second body of a later contact."""
    return np.uint64(pairs[np.uint64(min(count + AHEAD, len(pairs) - 1)), 1])


@kernel
def product(entries, i, k, x, z, y):
    """Of the row that begins at k in the entries of contact i: d'x + r'z + s'y."""
    return (
        (entries[i, k] * x[0] + entries[i, k + 1] * x[1])
        + (entries[i, k + 2] * x[2] + entries[i, k + 3] * z[0])
        + (
            (entries[i, k + 4] * z[1] + entries[i, k + 5] * z[2])
            + (entries[i, k + 6] * y[0] + entries[i, k + 7] * y[1])
        )
        + entries[i, k + 8] * y[2]
    )


@kernel
def magnitudes(entries, i, k, x, z, y):
    """The same with the magnitudes of the entries."""
    return (
        (abs(entries[i, k]) * x[0] + abs(entries[i, k + 1]) * x[1])
        + (abs(entries[i, k + 2]) * x[2] + abs(entries[i, k + 3]) * z[0])
        + (abs(entries[i, k + 4]) * z[1] + abs(entries[i, k + 5]) * z[2])
        + (abs(entries[i, k + 6]) * y[0] + abs(entries[i, k + 7]) * y[1])
        + abs(entries[i, k + 8]) * y[2]
    )


@kernel
def squares(entries, i, k, x, z, y):
    """The same with the squares of the entries."""
    return (
        (entries[i, k] ** 2 * x[0] + entries[i, k + 1] ** 2 * x[1])
        + (entries[i, k + 2] ** 2 * x[2] + entries[i, k + 3] ** 2 * z[0])
        + (entries[i, k + 4] ** 2 * z[1] + entries[i, k + 5] ** 2 * z[2])
        + (entries[i, k + 6] ** 2 * y[0] + entries[i, k + 7] ** 2 * y[1])
        + entries[i, k + 8] ** 2 * y[2]
    )


@kernel
def together(v, p, q, sign):
    """What meets the entries of a contact: v of both bodies where they move together (times `sign` for the second),
    then the last three numbers of each."""
    second = 0.0 if p == q else sign
    return (
        (v[p, 0] + second * v[q, 0], v[p, 1] + second * v[q, 1], v[p, 2] + second * v[q, 2]),
        (v[p, 3], v[p, 4], v[p, 5]),
        (v[q, 3], v[q, 4], v[q, 5]),
    )


@shared
@kernel
def slips_part(part, parts, pairs, entries, velocity, b, slip):
    """`slips` of one part of the contacts."""
    for count in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        i, ahead = np.uint64(count), second_ahead(pairs, count)
        prefetch(velocity, ahead, FIRST)
        prefetch(velocity, ahead, LAST)
        x, z, y = together(velocity, np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1]), -1.0)
        for row in range(3):
            k, j = np.uint64(9 * row), np.uint64(row)
            slip[i, j] = product(entries, i, k, x, z, y) - b[i, j]


@kernel
def slips(team, pairs, entries, velocity, b, slip):
    """slip = D v - b; velocity has six numbers per body, b and slip three per contact."""
    parts = parts_of(len(pairs), LEAST)
    slips_part(team, parts, (parts, pairs, entries, velocity, b, slip))


@shared
@kernel
def close_part(part, parts, pairs, entries, velocity, gap, bend, slip_bend, shallow, rest, step, fastest, b):
    """`close` of one part of the contacts."""
    for count in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        i, ahead = np.uint64(count), second_ahead(pairs, count)
        prefetch(velocity, ahead, FIRST)
        prefetch(velocity, ahead, LAST)
        x, z, y = together(velocity, np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1]), -1.0)
        slip = product(entries, i, np.uint64(0), x, z, y) - b[i, 0]
        b[i, 0] += bent_offset(gap[i], bend[i], slip, step, fastest, shallow[i], rest)
        b[i, 1] -= slip_bend[i, 0]
        b[i, 2] -= slip_bend[i, 1]


@kernel
def close(team, pairs, entries, velocity, gap, bends, step, fastest, b):
    """Add the offsets of contacts whose paths bend to b, three numbers per contact; see `bent_offsets`.

    velocity is that before the step, six numbers per body; b what other bodies cause.
    """
    bend, slip_bend, shallow, rest = bends
    parts = parts_of(len(pairs), LEAST)
    close_part(team, parts, (parts, pairs, entries, velocity, gap, bend, slip_bend, shallow, rest, step, fastest, b))


@shared
@kernel
def work_part(part, parts, pairs, entries, velocity, impulse, sums):
    """`work` of one part of the contacts."""
    sums[part, 0] = sums[part, 1] = sums[part, 2] = 0.0
    for count in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        i, ahead = np.uint64(count), second_ahead(pairs, count)
        prefetch(velocity, ahead, FIRST)
        prefetch(velocity, ahead, LAST)
        x, z, y = together(velocity, np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1]), -1.0)
        for row in range(3):
            sums[part, row] += impulse[i, np.uint64(row)] * product(entries, i, np.uint64(9 * row), x, z, y)


@kernel
def work(team, pairs, entries, velocity, impulse):
    """Sums over the contacts of impulse times slip D v: of normals, and of both tangents."""
    parts, out = parts_of(len(pairs), LEAST), np.zeros(3)
    sums = np.empty((parts, LINE))
    work_part(team, parts, (parts, pairs, entries, velocity, impulse, sums))
    for part in range(parts):
        for row in range(3):
            out[row] += sums[part, row]
    return out[0], out[1], out[2]


@shared
@kernel
def free_sums_part(part, parts, pairs, entries, velocity, b, weight, sums):
    """`free_sums` of one part of the contacts."""
    square, trace, asked = 0.0, 0.0, 0.0
    for count in range(first_of(part, parts, len(pairs)), first_of(part + 1, parts, len(pairs))):
        i, ahead = np.uint64(count), second_ahead(pairs, count)
        prefetch(velocity, ahead, FIRST)
        prefetch(velocity, ahead, LAST)
        prefetch(weight, ahead, FIRST)
        prefetch(weight, ahead, LAST)
        p, q = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        x, z, y = together(velocity, p, q, -1.0)
        w, u, t = together(weight, p, q, 1.0)
        for row in range(3):
            k = np.uint64(9 * row)
            offset = b[i, np.uint64(row)]
            slip = product(entries, i, k, x, z, y) - offset
            square, asked = square + slip * slip, asked + offset * offset
            trace += squares(entries, i, k, w, u, t)
    sums[part, 0], sums[part, 1], sums[part, 2] = square, trace, asked


@kernel
def free_sums(team, pairs, entries, velocity, b, weight):
    """Sums over all rows of (D v - b)^2, of diag(D W D'), W diagonal, as in `free_motion`, and of b^2."""
    parts = parts_of(len(pairs), LEAST)
    sums, square, trace, asked = np.empty((parts, 3)), 0.0, 0.0, 0.0
    free_sums_part(team, parts, (parts, pairs, entries, velocity, b, weight, sums))
    for part in range(parts):
        square, trace, asked = square + sums[part, 0], trace + sums[part, 1], asked + sums[part, 2]
    return square, trace, asked


@kernel
def free_motion(team, pairs, entries, velocity, b, weight, slip, diagonal):
    """slip = D v - b and diagonal = diag(D W D'), W diagonal; returns |slip| and the norm of `|D| |v| + |b|`.

    velocity and weight have six numbers per body, slip, diagonal and b three per contact.
    """
    size, square, term_square = np.abs(velocity), 0.0, 0.0
    slips(team, pairs, entries, velocity, b, slip)
    for count in range(len(pairs)):
        i = np.uint64(count)
        p, q = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        w, u, t = together(weight, p, q, 1.0)
        x, z, y = together(size, p, q, 1.0)
        for row in range(3):
            k, j = np.uint64(9 * row), np.uint64(row)
            diagonal[i, j] = squares(entries, i, k, w, u, t)
            square += slip[i, j] ** 2
            term_square += (magnitudes(entries, i, k, x, z, y) + abs(b[i, j])) ** 2
    return math.sqrt(square), math.sqrt(term_square)


@kernel
def row_pointers(pairs, indptr):
    """Row pointers of D in CSR form: six entries per body in each of the three rows of a contact."""
    total = 0
    indptr[0] = 0
    for i in range(len(pairs)):
        width = 0 if pairs[i, 0] < 0 else (6 if pairs[i, 0] == pairs[i, 1] else 12)
        for row in range(3 * i, 3 * i + 3):
            total += width
            indptr[row + 1] = total


@kernel
def write_out(pairs, entries, indptr, indices, data):
    """Columns and entries of D in CSR form; pairs are -1 where no body can move."""
    for i in range(len(pairs)):
        p, q = pairs[i, 0], pairs[i, 1]
        if p < 0:
            continue
        for row in range(3):
            at, k = indptr[3 * i + row], 9 * row
            for j in range(6):
                indices[at + j], data[at + j] = 6 * p + j, entries[i, k + j]
            if p != q:
                for j in range(6):
                    indices[at + 6 + j] = 6 * q + j
                    data[at + 6 + j] = -entries[i, k + j] if j < 3 else entries[i, k + 3 + j]
