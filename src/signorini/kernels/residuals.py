"""Residuals of sparse equations, row by row, together with the size of the terms that cancel in them."""

from __future__ import annotations

from signorini.kernels.compile import kernel


@kernel
def add_product(indptr, indices, data, x, sign, total, size):
    """total += sign * A x and size += |A| |x| for a CSR matrix A."""
    for i in range(len(indptr) - 1):
        row, magnitude = 0.0, 0.0
        for k in range(indptr[i], indptr[i + 1]):
            term = data[k] * x[indices[k]]
            row += term
            magnitude += abs(term)
        total[i] += sign * row
        size[i] += magnitude


@kernel
def add_transposed_product(indptr, indices, data, x, sign, total, size):
    """total += sign * A' x and size += |A|' |x| for a CSR matrix A."""
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            term = data[k] * x[i]
            total[indices[k]] += sign * term
            size[indices[k]] += abs(term)
