"""Scales of rows and blocks of the standard form."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array, Csr, Indices


def row_squares(matrix: Csr) -> Array:
    """The diagonal of `M M'`."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.bincount(rows, matrix.data**2, minlength=matrix.shape[0]).astype(np.float64)


def block_scale(diagonal: Array, start: Indices) -> Array:
    """One factor per row, equal within a block: `1/sqrt(mean of the block's diagonal)`."""
    if len(start) == 1:
        return np.zeros(0)
    sizes = np.diff(start)
    mean = np.add.reduceat(diagonal, start[:-1]) / sizes
    return np.repeat(1.0 / np.sqrt(positive(mean)), sizes)


def positive(values: Array) -> Array:
    """Rows of zeros (a contact between two fixed bodies) are left unscaled."""
    return np.where(values > 0, values, 1.0)
