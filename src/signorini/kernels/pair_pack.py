"""From sparse D and block diagonal H to one record per contact (see `pair_sweeps`), in one pass over D."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.block_scales import scale_block
from signorini.kernels.compile import kernel

BODY = 6
"""Velocities of a body, at most; a record has room for two bodies in each of its three rows."""
ROW = 2 * BODY


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
    a, b = -1, -1
    for row in range(rows.start[i], rows.start[i + 1]):
        k, last = rows.indptr[row], rows.indptr[row + 1]
        while k < last:
            column = rows.indices[k]
            touched = body_of[column]
            # Columns rise, so that a run is known by its ends.
            run = first[touched + 1] - column
            whole = k + run <= last and rows.indices[k + run - 1] == column + run - 1
            if a < 0 or touched == a:
                a = touched
            elif b < 0 or touched == b:
                b = touched
            elif rows.data[k] != 0.0:
                return False
            else:
                whole = False
            k += run if whole else 1
    a, b = max(a, 0), b if b >= 0 else max(a, 0)
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
def load_block(rows, i, a, b, A):
    """The rows of block i, padded: six columns of the body that begins at column a, six of the one at b."""
    A[:36] = 0.0
    place = 0
    for row in range(rows.start[i], rows.start[i + 1]):
        k, last = rows.indptr[row], rows.indptr[row + 1]
        if last - k == ROW:
            for j in range(ROW):
                A[place + j] = rows.data[k + j]
        else:
            for p in range(k, last):
                column = rows.indices[p]
                if a <= column < a + BODY:
                    A[place + column - a] = rows.data[p]
                elif b <= column < b + BODY:
                    A[place + BODY + column - b] = rows.data[p]
        place += ROW


@kernel
def whiten_block(factor, a, a_end, b, b_end, A):
    """A <- A G in place; columns from the last to the first, because G is upper triangular."""
    for first, last, shift in ((a, a_end, 0), (b, b_end, BODY)):
        for j in range(last - first - 1, -1, -1):
            begin, end = factor.indptr[first + j], factor.indptr[first + j + 1]
            for place in range(shift, 3 * ROW, ROW):
                value = A[place + j]
                A[place + j] = 0.0
                for q in range(begin, end):
                    A[place + factor.indices[q] - first] += value * factor.data[q]


@kernel
def scale_columns(factor, a, a_end, b, b_end, A):
    """A <- A G for a diagonal G."""
    for place in range(0, 3 * ROW, ROW):
        for j in range(a_end - a):
            A[place + j] *= factor.data[a + j]
        for j in range(b_end - b):
            A[place + BODY + j] *= factor.data[b + j]


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
def pack(rows, factor, limits, first, pairs, order, rule, fallback, record, scale, soft):
    """Records in sweeping order, their scales (contacts, 3) and scaled compliance `soft`, (0, 3) when rigid.

    A record holds the scaled rows of D G, the scaled offset (the slip at z = 0) and the friction coefficient of the
    scaled cone, -1 for free impulses.
    """
    g = np.zeros((3, 3))
    for k in range(len(order)):
        i = order[k]
        row, d = rows.start[i], rows.start[i + 1] - rows.start[i]
        a, b, a_end, b_end = first[pairs[i, 0]], first[pairs[i, 1]], first[pairs[i, 0] + 1], first[pairs[i, 1] + 1]
        A = record[k]
        load_block(rows, i, a, b, A)
        if factor.is_diagonal:
            scale_columns(factor, a, a_end, b, b_end, A)
        else:
            whiten_block(factor, a, a_end, b, b_end, A)
        diagonal_block(A, g)
        if len(soft):
            for q in range(d):
                g[q, q] += limits.compliance[row + q]
        normal, tangent = scale_block(g, d, rule, fallback)
        scale[k, 0], scale[k, 1], scale[k, 2] = normal, tangent, tangent
        for j in range(ROW):
            A[j] *= normal
        for j in range(ROW, 3 * ROW):
            A[j] *= tangent
        A[36], A[37], A[38] = 0.0, 0.0, 0.0
        for q in range(d):
            A[36 + q] = limits.offset[row + q] * scale[k, q]
            if len(soft):
                soft[k, q] = limits.compliance[row + q] * scale[k, q] * scale[k, q]
        mu = limits.mu[i]
        A[39] = mu * normal / tangent if mu > 0.0 else mu


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
def body_velocities(factor, first, position, c, z):
    """z = -G' c, whitened velocities (bodies, 8) in breadth-first order."""
    for body in range(len(first) - 1):
        row = z[position[body]]
        for i in range(first[body], first[body + 1]):
            for q in range(factor.indptr[i], factor.indptr[i + 1]):
                row[factor.indices[q] - first[body]] -= factor.data[q] * c[i]
