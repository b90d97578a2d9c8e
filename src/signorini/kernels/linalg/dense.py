"""Small dense linear algebra inside compiled loops, where the overhead of a LAPACK call would dominate."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel


@kernel
def dot(a, b, first, last):
    """Sum of a[k] b[k] over first..last-1 in four running sums, so that it vectorises in IEEE arithmetic."""
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    k = first
    while k + 3 < last:
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
        k += 4
    while k < last:
        s0 += a[k] * b[k]
        k += 1
    return (s0 + s1) + (s2 + s3)


@kernel
def row_dot(A, i, B, j, first, last):
    """`dot` of row i of A and row j of B, without views of the rows, which cost more than a short sum."""
    # Unsigned indices: the wraparound of negative ones costs time.
    p, q, k, end = np.uint64(i), np.uint64(j), np.uint64(first), np.uint64(last)
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    while k + four <= end:
        s0 += A[p, k] * B[q, k]
        s1 += A[p, k + one] * B[q, k + one]
        s2 += A[p, k + two] * B[q, k + two]
        s3 += A[p, k + three] * B[q, k + three]
        k += four
    while k < end:
        s0 += A[p, k] * B[q, k]
        k += one
    return (s0 + s1) + (s2 + s3)


@kernel
def row_times(A, i, x, first, last):
    """`dot` of row i of A and x, without a view of the row."""
    p, k, end = np.uint64(i), np.uint64(first), np.uint64(last)
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    while k + four <= end:
        s0 += A[p, k] * x[k]
        s1 += A[p, k + one] * x[k + one]
        s2 += A[p, k + two] * x[k + two]
        s3 += A[p, k + three] * x[k + three]
        k += four
    while k < end:
        s0 += A[p, k] * x[k]
        k += one
    return (s0 + s1) + (s2 + s3)


@kernel
def six_dot(A, i, B, j, column):
    """Product of the six entries of row i of A and of row j of B that begin at a column."""
    p, q, k = np.uint64(i), np.uint64(j), np.uint64(column)
    one, two, three = k + np.uint64(1), k + np.uint64(2), k + np.uint64(3)
    four, five = k + np.uint64(4), k + np.uint64(5)
    low = (A[p, k] * B[q, k] + A[p, one] * B[q, one]) + A[p, two] * B[q, two]
    return low + ((A[p, three] * B[q, three] + A[p, four] * B[q, four]) + A[p, five] * B[q, five])


@kernel
def six_times(A, i, x, column):
    """`six_dot` of row i of A and a vector."""
    p, k = np.uint64(i), np.uint64(column)
    one, two, three = k + np.uint64(1), k + np.uint64(2), k + np.uint64(3)
    four, five = k + np.uint64(4), k + np.uint64(5)
    low = (A[p, k] * x[k] + A[p, one] * x[one]) + A[p, two] * x[two]
    return low + ((A[p, three] * x[three] + A[p, four] * x[four]) + A[p, five] * x[five])


@kernel
def _eliminate(U, k, width):
    """Turn the rows k..k+width-1 of A into rows of U; False when a pivot is not positive."""
    n = len(U)
    for p in range(k, k + width):
        row = U[p]
        for q in range(k, p):
            above = U[q]
            factor = above[p]
            for j in range(p, n):
                row[j] -= factor * above[j]
        if not row[p] > 0.0:
            return False
        root = math.sqrt(row[p])
        row[p] = root
        inverse = 1.0 / root
        for j in range(p + 1, n):
            row[j] *= inverse
    return True


@kernel
def cholesky(U):
    """U'U = A in place of the upper triangle of A; False when a pivot is not positive.

    Four rows at a time: the trailing matrix is read and written once for all four.
    """
    n = len(U)
    whole = n - n % 4
    for k in range(0, whole, 4):
        if not _eliminate(U, k, 4):
            return False
        r0, r1, r2, r3 = U[k], U[k + 1], U[k + 2], U[k + 3]
        for i in range(k + 4, n):
            f0, f1, f2, f3 = r0[i], r1[i], r2[i], r3[i]
            row = U[i]
            for j in range(i, n):
                row[j] -= (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j])
    return _eliminate(U, whole, n - whole)


@kernel
def cholesky_solve(U, b):
    """Solve U'U x = b in place."""
    n = len(b)
    for k in range(n):
        row = U[k]
        value = b[k] / row[k]
        b[k] = value
        for j in range(k + 1, n):
            b[j] -= row[j] * value
    for k in range(n - 1, -1, -1):
        row = U[k]
        b[k] = (b[k] - row_times(U, k, b, k + 1, n)) / row[k]


@kernel
def symmetric_multiply(A, x, out):
    """out = A x for a full dense A."""
    for i in range(len(x)):
        out[i] = row_times(A, i, x, 0, len(x))
