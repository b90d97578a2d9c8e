"""Small dense linear algebra inside compiled loops, where a call into LAPACK would cost more than the work."""

from __future__ import annotations

import math

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
def cholesky(U):
    """U'U = A in place of the upper triangle of A; False when a pivot is not positive."""
    n = len(U)
    for k in range(n):
        pivot = U[k, k]
        if not pivot > 0.0:
            return False
        root = math.sqrt(pivot)
        row = U[k]
        row[k] = root
        for j in range(k + 1, n):
            row[j] /= root
        for i in range(k + 1, n):
            factor = row[i]
            other = U[i]
            if factor != 0.0:
                for j in range(i, n):
                    other[j] -= factor * row[j]
    return True


@kernel
def cholesky_solve(U, b):
    """Solve U'U x = b in place."""
    n = len(b)
    for k in range(n):
        row = U[k]
        b[k] /= row[k]
        value = b[k]
        for j in range(k + 1, n):
            b[j] -= row[j] * value
    for k in range(n - 1, -1, -1):
        row = U[k]
        b[k] = (b[k] - dot(row, b, k + 1, n)) / row[k]


@kernel
def symmetric_multiply(A, x, out):
    """out = A x for a full dense A."""
    for i in range(len(x)):
        out[i] = dot(A[i], x, 0, len(x))
