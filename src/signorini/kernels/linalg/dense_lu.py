"""LU factorisation of small dense matrices with row pivoting."""

from __future__ import annotations

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import dot


@kernel
def lu(A, pivots):
    """P A = L U in place of A, unit diagonal in L; False when a pivot is zero or not finite."""
    n = len(A)
    for k in range(n):
        best, largest = k, abs(A[k, k])
        for i in range(k + 1, n):
            if abs(A[i, k]) > largest:
                best, largest = i, abs(A[i, k])
        if not 0.0 < largest < 1e300:
            return False
        pivots[k] = best
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        inverse = 1.0 / A[k, k]
        row = A[k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                below = A[i]
                factor = below[k] * inverse
                below[k] = factor
                for j in range(k + 1, n):
                    below[j] -= factor * row[j]
    return True


@kernel
def lu_solve(A, pivots, b):
    """Solve A x = b in place, from the factors of `lu`."""
    n = len(b)
    for k in range(n):
        other = pivots[k]
        if other != k:
            b[k], b[other] = b[other], b[k]
    for i in range(1, n):
        b[i] -= dot(A[i], b, 0, i)
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - dot(A[i], b, i + 1, n)) / A[i, i]
