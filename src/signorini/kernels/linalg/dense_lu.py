"""LU factorisation of small dense matrices with row pivoting."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.linalg.dense import row_times

WIDTH = 4
"""Columns that are eliminated at once: the rest of the matrix is read and written once for all of them."""


@kernel
def _eliminate(A, pivots, first, last):
    """Factors of the columns first..last-1, with whole rows exchanged; False when a pivot is zero or not finite."""
    n = len(A)
    for k in range(first, last):
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
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                A[i, k] *= inverse
                for j in range(k + 1, last):
                    A[i, j] -= A[i, k] * A[k, j]
    return True


@kernel
def lu(A, pivots):
    """P A = L U in place of A, unit diagonal in L; False when a pivot is zero or not finite."""
    n = len(A)
    for k in range(0, n, WIDTH):
        last = min(k + WIDTH, n)
        if not _eliminate(A, pivots, k, last):
            return False
        if last == n:
            break
        for p in range(k + 1, last):
            row = A[p]
            for q in range(k, p):
                factor, above = row[q], A[q]
                if factor != 0.0:
                    for j in range(last, n):
                        row[j] -= factor * above[j]
        r0, r1, r2, r3 = A[k], A[k + 1], A[k + 2], A[k + 3]
        for i in range(last, n):
            row = A[i]
            f0, f1, f2, f3 = row[k], row[k + 1], row[k + 2], row[k + 3]
            if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                # Unsigned: signed places might count from the end, which costs time.
                for j in range(np.uint64(last), np.uint64(n)):
                    row[j] -= (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j])
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
        b[i] -= row_times(A, i, b, 0, i)
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - row_times(A, i, b, i + 1, n)) / A[i, i]
