"""Joints taken out of a step: whitened velocities are confined to the plane in which all joints hold.

With `w = U v`, joint rows A of unit length and the velocities w that forces and contacts cause, the joints add `A'x`
with `A A' x = b - A w`. `A A' = L L'` is factored once, in an order that keeps L within a narrow envelope: rows meet
only where joints share a body. Solving is repeated on what is left of `b - A w`, for what round-off has left.

A row of which nothing is left beside earlier ones is redundant: it gets no impulse at first. With Z a basis of the
impulses that cause nothing, `A'Z' = 0`, the part of b along Z is a contradiction of the rows: it is taken out of b, so
that all rows share it in the sense of least squares; and that of x is taken out of x, so that of all impulses that do
the same the smallest remain.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import cholesky, cholesky_solve, dot, row_dot, row_times, six_dot, six_times
from signorini.kernels.stack import vector, zeros
from signorini.kernels.step.tables import JointFactor
from signorini.kernels.step.whitening import whiten_row

SUSPECT, DEPENDENT = 1e-6, 1e-10
"""Rows of which less than the first share of their square is left beside earlier rows are looked at closely; they are
redundant where less than the second share of the row itself is left."""
ROUNDS, ENOUGH = 4, 1e-15
"""Most repetitions of a solve, and what of the rows' terms may be left."""


@kernel
def overlap(A, i, B, j, span_a, span_b):
    """Product of row i of A and row j of B, whose spans are given."""
    return row_dot(A, i, B, j, max(span_a[i, 0], span_b[j, 0]), min(span_a[i, 1], span_b[j, 1]))


@kernel
def _shared(rows, i, j, A, p, q):
    """Product of the white rows p and q of A, rows i and j of rigid bodies: only bodies that both touch count."""
    total = 0.0
    for k in range(rows.start[i], rows.start[i + 1]):
        body = rows.body[k]
        for m in range(rows.start[j], rows.start[j + 1]):
            if body == rows.body[m]:
                total += six_dot(A, p, A, q, 6 * body)
    return total


@kernel
def _blocks(rows, rigid):
    """`start` and `column` of a `JointFactor`."""
    m = rows.joints
    start, column = np.zeros(m + 1, np.int64), np.empty(rows.start[m] if rigid else 0, np.int64)
    for i in range(m if rigid else 0):
        first, count = rows.start[rows.order[i]], rows.start[rows.order[i] + 1] - rows.start[rows.order[i]]
        start[i + 1] = start[i] + count
        for k in range(count):
            column[start[i] + k] = 6 * rows.body[first + k]
    return start, column


@kernel
def row_of(joints, i, w):
    """Product of row i of A and w."""
    if len(joints.column) == 0:
        return row_times(joints.rows, i, w, joints.span[i, 0], joints.span[i, 1])
    total = 0.0
    for k in range(joints.start[i], joints.start[i + 1]):
        total += six_times(joints.rows, i, w, joints.column[k])
    return total


@kernel
def add_row(joints, i, x, w):
    """w += x times row i of A."""
    if len(joints.column) == 0:
        for j in range(joints.span[i, 0], joints.span[i, 1]):
            w[j] += x * joints.rows[i, j]
        return
    for k in range(joints.start[i], joints.start[i + 1]):
        first = joints.column[k]
        for j in range(np.uint64(first), np.uint64(first + 6)):
            w[j] += x * joints.rows[np.uint64(i), j]


@kernel
def row_with(joints, i, B, j, span):
    """Product of row i of A and row j of B, which is 0 outside of its span."""
    if len(joints.column) == 0:
        return overlap(joints.rows, i, B, j, joints.span, span)
    total = 0.0
    for k in range(joints.start[i], joints.start[i + 1]):
        if span[j, 0] < joints.column[k] + 6 and joints.column[k] < span[j, 1]:
            total += six_dot(joints.rows, i, B, j, joints.column[k])
    return total


@kernel
def factor_joints(bodies, factor, rows, C, b):
    """Joint rows made white and scaled, and the factor of their products."""
    m, n = rows.joints, 6 * len(bodies.mass)
    A, span, scale, asked = np.empty((m, n)), np.empty((m, 2), np.int64), np.empty(m), np.empty(m)
    L, dependent, rigid = np.zeros((m, m)), np.zeros(m, np.bool_), len(factor) == 0
    begin, inverse = rows.first if rigid else np.zeros(m, np.int64), vector(m)
    start, column = _blocks(rows, rigid)
    for i in range(m):
        row = rows.order[i]
        span[i, 0], span[i, 1] = whiten_row(bodies, factor, C, row, A[i])
        length = math.sqrt(row_dot(A, i, A, i, span[i, 0], span[i, 1]))
        scale[i] = 1.0 / length if length > 0.0 else 1.0
        for j in range(span[i, 0], span[i, 1]):
            A[i, j] *= scale[i]
        asked[i] = scale[i] * b[row]
        first = begin[i]
        for j in range(first, i):
            if not dependent[j]:
                entry = _shared(rows, row, rows.order[j], A, i, j) if rigid else overlap(A, i, A, j, span, span)
                L[i, j] = (entry - row_dot(L, i, L, j, max(first, begin[j]), j)) * inverse[j]
        square = row_dot(A, i, A, i, span[i, 0], span[i, 1])
        left = square - row_dot(L, i, L, i, first, i)
        if not left > SUSPECT * square:
            left = _rest(A, span, L, begin, dependent, i) ** 2
        dependent[i] = not left > DEPENDENT**2 * square
        L[i, i] = 1.0 if dependent[i] else math.sqrt(left)
        inverse[i] = 1.0 / L[i, i]
        if dependent[i]:
            for j in range(i):
                L[i, j] = 0.0
    Z, gram = _redundancy(A, span, L, begin, dependent)
    joints = JointFactor(A, start, column, span, scale, L, begin, dependent, asked, Z, gram)
    take_out(joints, asked, zeros(m))
    return joints


@kernel
def _rest(A, span, L, begin, dependent, i):
    """Length of what is left of row i beside the independent rows before it, to the round-off of the rows."""
    rest, share, n = vector(A.shape[1]), vector(i), A.shape[1]
    for k in range(n):
        rest[k] = A[i, k]
    for _ in range(2):
        for j in range(i):
            share[j] = row_times(A, j, rest, span[j, 0], span[j, 1])
        solve_factor(L, begin, dependent, share)
        for j in range(i):
            for k in range(span[j, 0], span[j, 1]):
                rest[k] -= share[j] * A[j, k]
    return math.sqrt(dot(rest, rest, 0, n))


@kernel
def _redundancy(A, span, L, begin, dependent):
    """Z, and the factor of Z Z'."""
    m, count = len(L), 0
    for i in range(m):
        count += dependent[i]
    Z, gram, at = np.zeros((count, m)), np.empty((count, count)), 0
    for i in range(m):
        if dependent[i]:
            for j in range(m):
                Z[at, j] = -overlap(A, i, A, j, span, span)
            solve_factor(L, begin, dependent, Z[at])
            Z[at, i] = 1.0
            at += 1
    for i in range(count):
        for j in range(count):
            gram[i, j] = row_dot(Z, i, Z, j, 0, m)
    if not cholesky(gram):
        return np.zeros((0, m)), np.empty((0, 0))
    return Z, gram


@kernel
def take_out(joints, x, part):
    """x less its part along Z, which is added to `part`, 0 at first."""
    count, m = joints.Z.shape
    if count == 0:
        return
    share = vector(count)
    for i in range(count):
        share[i] = row_times(joints.Z, i, x, 0, m)
    cholesky_solve(joints.gram, share)
    for i in range(count):
        for j in range(m):
            part[j] += share[i] * joints.Z[i, j]
    for j in range(m):
        x[j] -= part[j]


@kernel
def solve_factor(L, begin, dependent, x):
    """x := (L L')^-1 x on independent rows, 0 on others; rows of L begin at `begin`."""
    m = len(x)
    for i in range(m):
        x[i] = 0.0 if dependent[i] else (x[i] - row_times(L, i, x, begin[i], i)) / L[i, i]
    for i in range(m - 1, -1, -1):
        x[i] /= L[i, i]
        value = x[i]
        for j in range(begin[i], i):
            x[j] -= L[i, j] * value


@kernel
def add_impulses(joints, x, w):
    """w += A'x."""
    for i in range(len(x)):
        if x[i] != 0.0:
            add_row(joints, i, x[i], w)


@kernel
def _largest_term(joints, i, w):
    """Of the velocities that row i of A sees, and of what is asked of it."""
    size = abs(joints.asked[i])
    for j in range(joints.span[i, 0], joints.span[i, 1]):
        size = max(size, abs(w[j]))
    return size


@kernel
def confine(joints, w, x):
    """Move w until it meets the joints, and x by the impulses that this takes."""
    m, step = len(x), vector(len(x))
    for _ in range(ROUNDS):
        done = True
        for i in range(m):
            step[i] = joints.asked[i] - row_of(joints, i, w)
            done = done and (joints.dependent[i] or not abs(step[i]) > ENOUGH * _largest_term(joints, i, w))
        if done:
            break
        solve_factor(joints.L, joints.begin, joints.dependent, step)
        add_impulses(joints, step, w)
        for i in range(m):
            x[i] += step[i]


@kernel
def smallest_impulses(joints, w, x):
    """Take out of x what causes no velocities, where joints are redundant; w changes by round-off alone."""
    if len(joints.Z) == 0:
        return
    part = zeros(len(x))
    take_out(joints, x, part)
    for j in range(len(part)):
        part[j] = -part[j]
    add_impulses(joints, part, w)
    confine(joints, w, x)
