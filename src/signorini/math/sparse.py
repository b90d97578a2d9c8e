"""Sparse matrices in one canonical form."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Csr = sp.csr_array
_BLANK = sp.csr_array((1, 1))
_BLANK.has_canonical_format = True


def canonical(matrix: Any, shape: tuple[int, int] | None = None) -> Csr:
    """`matrix` (dense or sparse) as a read-only CSR array: float64, sorted, no duplicates, 32-bit indices.

    A copy, except where `matrix` is such an array already: then it cannot change, and the parts are shared.
    """
    if shape is None and _is_canonical(matrix):
        return copy(matrix)
    result = sp.csr_array(matrix, shape=shape, dtype=np.float64, copy=True)
    result.sum_duplicates()
    result.sort_indices()
    if result.indices.dtype != np.int32:
        result.indices = result.indices.astype(np.int32)
        result.indptr = result.indptr.astype(np.int32)
    _freeze(result.data, result.indices, result.indptr)
    return result


def assembled(data: Array, indices: NDArray[np.int32], indptr: NDArray[np.int32], shape: tuple[int, int]) -> Csr:
    """A canonical matrix from its parts, which the caller guarantees and hands over: nothing is copied or sorted.

    Nothing is checked either: scipy's checks cost more than the products with small matrices.
    """
    _freeze(data, indices, indptr)
    result = _twin(_BLANK)
    vars(result).update(data=data, indices=indices, indptr=indptr, _shape=shape)
    return result


def with_data(template: Csr, data: Array) -> Csr:
    """A matrix of the same pattern with other values, without scipy's checks: they cost more than small matrices."""
    result = _twin(template)
    vars(result)["data"] = data
    return result


def room_for(count: int) -> int:
    """The next power of two: arrays of that size serve many counts, which change from step to step."""
    return 1 << max(count - 1, 0).bit_length()


def _twin(matrix: Csr) -> Csr:
    """Another matrix with the same attributes; `copy.copy` takes several times as long."""
    result = object.__new__(type(matrix))
    vars(result).update(vars(matrix))
    return result


def stacked_rows(matrices: Sequence[Csr]) -> Csr:
    """Canonical matrices of the same width, one below another."""
    indptr, end = [np.zeros(1, dtype=np.int32)], 0
    for matrix in matrices:
        indptr.append((matrix.indptr[1:] + end).astype(np.int32))
        end += matrix.indptr[-1]
    data, indices = (np.concatenate([getattr(m, part) for m in matrices]) for part in ("data", "indices"))
    shape = (sum(m.shape[0] for m in matrices), matrices[0].shape[1])
    return assembled(data, indices, np.concatenate(indptr), shape)


def identity(n: int) -> Csr:
    """The identity, canonical."""
    return assembled(np.ones(n), np.arange(n, dtype=np.int32), np.arange(n + 1, dtype=np.int32), (n, n))


def _freeze(*arrays: NDArray[Any]) -> None:
    """Make arrays, and those that they are views of, read-only."""
    for array in arrays:
        part: Any = array
        while isinstance(part, np.ndarray):
            part.flags.writeable = False
            part = part.base


def _is_canonical(matrix: Any) -> bool:
    return (
        isinstance(matrix, sp.csr_array)
        and matrix.ndim == 2
        and matrix.dtype == np.float64
        and matrix.indices.dtype == np.int32
        and matrix.indptr.dtype == np.int32
        and all(_is_frozen(part) for part in (matrix.data, matrix.indices, matrix.indptr))
        and bool(matrix.has_canonical_format)
    )


def _is_frozen(array: NDArray[Any]) -> bool:
    """Whether no writable array shares the memory."""
    part: Any = array
    while isinstance(part, np.ndarray):
        if part.flags.writeable:
            return False
        part = part.base
    return part is None


def frozen_vector(values: ArrayLike) -> Array:
    """`values` as a read-only float64 vector, copied."""
    result = np.array(values, dtype=np.float64).reshape(-1)
    result.flags.writeable = False
    return result


def entry_rows(matrix: Csr) -> Indices:
    """Row of each stored entry."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def row_squares(matrix: Csr) -> Array:
    """The diagonal of `M M'`."""
    return np.bincount(entry_rows(matrix), matrix.data**2, minlength=matrix.shape[0]).astype(np.float64)


def is_diagonal(matrix: Csr) -> bool:
    """Whether every stored entry lies on the diagonal."""
    return bool(np.all(entry_rows(matrix) == matrix.indices))


def as_slice(indices: Indices) -> Indices | slice:
    """These rows as a slice where they follow one another: they need not be copied one by one then."""
    count = len(indices)
    if count and indices[-1] - indices[0] == count - 1 and bool((np.diff(indices) == 1).all()):
        return slice(int(indices[0]), int(indices[0]) + count)
    return indices
