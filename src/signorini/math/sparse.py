"""Sparse matrices in one canonical form, and the block structure hidden in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Csr = sp.csr_array


def canonical(matrix: Any, shape: tuple[int, int] | None = None) -> Csr:
    """`matrix` (dense or sparse) as a read-only CSR array: float64, sorted, no duplicates, 32-bit indices."""
    result = sp.csr_array(matrix, shape=shape, dtype=np.float64, copy=True)
    result.sum_duplicates()
    result.sort_indices()
    if result.indices.dtype != np.int32:
        result.indices = result.indices.astype(np.int32)
        result.indptr = result.indptr.astype(np.int32)
    for part in (result.data, result.indices, result.indptr):
        part.flags.writeable = False
    return result


def frozen_vector(values: ArrayLike) -> Array:
    """`values` as a read-only float64 vector, copied."""
    result = np.array(values, dtype=np.float64).reshape(-1)
    result.flags.writeable = False
    return result


def asymmetry(matrix: Csr) -> float:
    """`max |A - A'| / max |A|`, 0 for an empty matrix."""
    if matrix.nnz == 0:
        return 0.0
    size = float(np.abs(matrix.data).max())
    difference = (matrix - matrix.T).tocsr()
    return float(np.abs(difference.data).max()) / size if difference.nnz and size > 0 else 0.0


def is_diagonal(matrix: Csr) -> bool:
    """Whether every stored entry lies on the diagonal."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return bool(np.all(rows == matrix.indices))


def diagonal_blocks(matrix: Csr, largest: int) -> Indices | None:
    """Starts of the contiguous diagonal blocks of a symmetric `matrix`, or None.

    None is returned when a block is larger than `largest` or its rows are not contiguous:
    then `matrix` is treated as a general sparse matrix.

    Returns
    -------
    starts : shape (blocks + 1,), first row of each block and the number of rows.
    """
    n = matrix.shape[0]
    if n == 0:
        return np.zeros(1, dtype=np.int64)
    if is_diagonal(matrix):
        return np.arange(n + 1, dtype=np.int64)
    _, label = connected_components(matrix, directed=False)
    change = np.flatnonzero(np.diff(label)) + 1
    starts = np.concatenate(([0], change, [n])).astype(np.int64)
    blocks = len(starts) - 1
    if blocks != label.max() + 1 or np.diff(starts).max() > largest:
        return None
    return starts
