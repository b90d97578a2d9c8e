"""From sparse D and block diagonal H to one record per contact (see `pair_sweeps`), in one pass over D."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.cones.block_scales import scale_block
from signorini.kernels.cones.coulomb_cones import project_outside
from signorini.kernels.simd.prefetch import prefetch_scalar
from signorini.kernels.threads.parts import first_of, parts_of, shared

BODY = 6
"""Velocities of a body, at most; a record has room for two bodies in each of its three rows."""
ROW = 2 * BODY
ONE = np.uint64(1)
AHEAD = 8
"""Blocks that are asked for before they are read."""
LEAST = 512
"""Blocks of a part."""


class BlockedRows(NamedTuple):
    """Rows of a canonical CSR matrix in blocks: block i has the rows start[i]..start[i+1]-1."""

    start: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class Factor(NamedTuple):
    """Upper triangular G in canonical CSR form, body by body, with `G G' = H^-1`."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    is_diagonal: bool


class Limits(NamedTuple):
    """The right-hand side of every row, its compliance, and the friction coefficient of every block."""

    offset: np.ndarray
    compliance: np.ndarray
    """Diagonal of E, shape (rows,), or empty when rigid."""
    mu: np.ndarray


@kernel
def bodies_of_block(rows, i, body_of, first, body):
    """Whether block i touches two bodies at most; body[i] names them, the smaller first, one body twice."""
    a, a_first, a_end, b, b_first, b_end = -1, -1, -1, -1, -1, -1
    for row in range(rows.start[i], rows.start[i + 1]):
        k, last = rows.indptr[row], rows.indptr[row + 1]
        while k < last:
            column = rows.indices[k]
            if a_first <= column < a_end:
                end = a_end
            elif b_first <= column < b_end:
                end = b_end
            elif a < 0:
                a = body_of[column]
                a_first, a_end = first[a], first[a + 1]
                end = a_end
            elif b < 0:
                b = body_of[column]
                b_first, b_end = first[b], first[b + 1]
                end = b_end
            elif rows.data[k] == 0.0:
                end = column + 1
            else:
                return False
            # Columns rise, so that the rest of a body is known by its last one.
            rest = end - column
            k += rest if k + rest <= last and rows.indices[k + rest - 1] == end - 1 else 1
    a = max(a, 0)
    b = b if b >= 0 else a
    body[i, 0], body[i, 1] = min(a, b), max(a, b)
    return True


@kernel
def pair_bodies(rows, body_of, first, body):
    """The two bodies that each block of rows touches; False when one touches three.

    first holds the first column of every body, then the number of columns; body_of the body of every column.
    """
    for i in range(len(rows.start) - 1):  # noqa: SIM110 - compiled: a generator is slower
        if not bodies_of_block(rows, i, body_of, first, body):
            return False
    return True


@kernel
def is_full(rows, row, a, b):
    """Whether three rows hold the six columns from a and the six from b, and no others."""
    for q in range(3):
        k = rows.indptr[row + q]
        if rows.indptr[row + q + 1] - k != ROW:
            return False
        if rows.indices[k] != a or rows.indices[k + BODY] != b or rows.indices[k + ROW - 1] != b + BODY - 1:
            return False
    return b >= a + BODY


@kernel
def load_block(rows, i, first, p, q, A):
    """The rows of block i, padded: six places for the columns of body p, then six for those of body q."""
    row, end = rows.start[i], rows.start[i + 1]
    a, a_end, b, b_end = first[p], first[p + 1], first[q], first[q + 1]
    if end - row == 3 and a_end - a == BODY == b_end - b and is_full(rows, row, a, b):
        A[:] = rows.data[rows.indptr[row] : rows.indptr[end]]
        return
    A[:] = 0.0
    for k in range(end - row):
        for entry in range(rows.indptr[row + k], rows.indptr[row + k + 1]):
            column = rows.indices[entry]
            # Bodies may have fewer than six columns: the next ones are another body's.
            if a <= column < a_end:
                A[ROW * k + column - a] = rows.data[entry]
            elif b <= column < b_end:
                A[ROW * k + BODY + column - b] = rows.data[entry]


@kernel
def whiten_body(factor, first, last, shift, A):
    """A <- A G in place for one body; columns from the last to the first, because G is upper triangular."""
    for j in range(last - first - 1, -1, -1):
        begin, end = factor.indptr[first + j], factor.indptr[first + j + 1]
        for place in range(shift, 3 * ROW, ROW):
            value = A[place + j]
            A[place + j] = 0.0
            for q in range(begin, end):
                A[place + factor.indices[q] - first] += value * factor.data[q]


@kernel
def scale_body(factor, first, last, shift, A):
    """A <- A G in place for one body and a diagonal G."""
    g = factor.data[first:last]
    if len(g) == BODY:  # as below, but with a number of turns that the compiler knows
        for j in range(BODY):
            A[shift + j] *= g[j]
            A[shift + j + ROW] *= g[j]
            A[shift + j + 2 * ROW] *= g[j]
    else:
        for j in range(len(g)):
            A[shift + j] *= g[j]
            A[shift + j + ROW] *= g[j]
            A[shift + j + 2 * ROW] *= g[j]


@kernel
def diagonal_block(A, g):
    """g = A A' of one contact; six sums side by side, so that none waits for itself."""
    nn = ns = nt = ss = st = tt = 0.0
    for j in range(ROW):
        n, s, t = A[j], A[ROW + j], A[2 * ROW + j]
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
def pack(rows, factor, limits, first, pairs, place, rule, fallback, record, scale, soft):
    """Records, their scales (contacts, 3) and scaled compliance `soft`, (0, 3) when rigid; block i goes to place[i].

    A record holds the scaled rows of D G, the scaled offset (the slip at z = 0) and the friction coefficient of the
    scaled cone, -1 for free impulses. Blocks are read in their own order and written to where they are swept:
    a processor waits for what it reads, not for what it writes.
    """
    g, A = np.zeros((3, 3)), np.empty(3 * ROW)
    for i in range(len(place)):
        k, row, d = place[i], rows.start[i], rows.start[i + 1] - rows.start[i]
        p, q = pairs[i, 0], pairs[i, 1]
        load_block(rows, i, first, p, q, A)
        if factor.is_diagonal:
            scale_body(factor, first[p], first[p + 1], 0, A)
            scale_body(factor, first[q], first[q + 1], BODY, A)
        else:
            whiten_body(factor, first[p], first[p + 1], 0, A)
            whiten_body(factor, first[q], first[q + 1], BODY, A)
        diagonal_block(A, g)
        if len(soft):
            for j in range(d):
                g[j, j] += limits.compliance[row + j]
        normal, tangent = scale_block(g, d, rule, fallback)
        scale[k, 0], scale[k, 1], scale[k, 2] = normal, tangent, tangent
        out = record[k]
        for j in range(ROW):
            out[j] = A[j] * normal
        for j in range(ROW, 3 * ROW):
            out[j] = A[j] * tangent
        for j in range(3):
            out[36 + j] = limits.offset[row + j] * scale[k, j] if j < d else 0.0
        mu = limits.mu[i]
        out[39] = mu * normal / tangent if mu > 0.0 else mu
        if len(soft):
            for j in range(d):
                soft[k, j] = limits.compliance[row + j] * scale[k, j] * scale[k, j]


@kernel
def gather_rows(start, order, scale, values, out):
    """Padded variables (contacts, 3) in sweeping order from rows: values / scale."""
    for k in range(len(order)):
        i = order[k]
        for q in range(start[i + 1] - start[i]):
            out[k, q] = values[start[i] + q] / scale[k, q]


@shared
@kernel
def gather_projected_part(part, parts, start, order, scale, mu, values, out):
    """`gather_projected` of one part of the contacts."""
    last = len(order) - 1
    for count in range(first_of(part, parts, len(order)), first_of(part + 1, parts, len(order))):
        k, i = np.uint64(count), np.uint64(order[count])
        # Blocks of three rows are the rule: what is asked for is then what will be needed.
        ahead = np.uint64(order[min(count + AHEAD, last)])
        prefetch_scalar(start, ahead)
        prefetch_scalar(mu, ahead)
        prefetch_scalar(values, np.uint64(3) * ahead)
        first, end = np.uint64(start[i]), np.uint64(start[i + ONE])
        n = values[first] / scale[k, 0]
        s = values[first + ONE] / scale[k, 1] if end > first + ONE else 0.0
        t = values[end - ONE] / scale[k, 2] if end > first + ONE + ONE else 0.0
        friction = mu[i] * scale[k, 0] / scale[k, 1] if mu[i] > 0.0 else mu[i]
        out[k, 0], out[k, 1], out[k, 2] = project_outside(n, s, t, friction)


@kernel
def gather_projected(team, start, order, scale, mu, values, out):
    """`gather_rows`, projected on the cones; mu are the unscaled friction coefficients of the blocks."""
    parts = parts_of(len(order), LEAST)
    gather_projected_part(team, parts, (parts, start, order, scale, mu, values, out))


@shared
@kernel
def scatter_rows_part(part, parts, start, order, scale, x, out):
    """`scatter_rows` of one part of the contacts."""
    last = len(order) - 1
    for count in range(first_of(part, parts, len(order)), first_of(part + 1, parts, len(order))):
        k, i = np.uint64(count), np.uint64(order[count])
        ahead = np.uint64(order[min(count + AHEAD, last)])
        prefetch_scalar(start, ahead)
        prefetch_scalar(out, np.uint64(3) * ahead)
        first, end = np.uint64(start[i]), np.uint64(start[i + ONE])
        out[first] = x[k, 0] * scale[k, 0]
        if end > first + ONE:
            out[first + ONE] = x[k, 1] * scale[k, 1]
        if end > first + ONE + ONE:
            out[end - ONE] = x[k, 2] * scale[k, 2]


@kernel
def scatter_rows(team, start, order, scale, x, out):
    """Rows from padded variables: x * scale."""
    parts = parts_of(len(order), LEAST)
    scatter_rows_part(team, parts, (parts, start, order, scale, x, out))


@kernel
def body_velocities(factor, first, position, c, z):
    """z = -G' c, whitened velocities (bodies, 8) in breadth-first order."""
    for body in range(len(first) - 1):
        row = z[position[body]]
        for i in range(first[body], first[body + 1]):
            for q in range(factor.indptr[i], factor.indptr[i + 1]):
                row[factor.indices[q] - first[body]] -= factor.data[q] * c[i]
