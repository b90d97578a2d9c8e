"""The matrix of a saddle-point system from its blocks, with the pattern computed once."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg as spla

from signorini.math.sparse import Array, Csr, entry_rows, with_data

REDUNDANT = 1e-6
"""Rows are dependent when more than this share of a random vector of multipliers does no work."""

SAME = 1e-11
"""Multipliers are equivalent when their forces differ by less than this share."""
DENSE = 300
"""Up to this many rows least multipliers are found by a dense factorisation."""


class SaddleMatrix:
    """`[H C'; C -delta I]` over one pattern, rows of C scaled; the full matrix or its upper triangle."""

    def __init__(self, H: Csr, C: Csr, upper: bool) -> None:
        self._H, self._C = (H.indptr, H.indices), (C.indptr, C.indices)
        n, m = H.shape[0], C.shape[0]
        self.n, self.m = n, m
        h_row, c_row = entry_rows(H), entry_rows(C)
        h_column, c_column = H.indices.astype(np.int64), C.indices.astype(np.int64)
        corner = n + np.arange(m)
        parts = [(h_row, h_column), (c_column, n + c_row), (n + c_row, c_column), (corner, corner)]
        row = np.concatenate([part[0] for part in parts])
        column = np.concatenate([part[1] for part in parts])
        source = np.concatenate(
            (
                np.arange(len(h_row)),
                np.tile(len(h_row) + np.arange(len(c_row)), 2),
                len(h_row) + len(c_row) + np.arange(m),
            )
        )
        if upper:
            keep = row <= column
            row, column, source = row[keep], column[keep], source[keep]
        order = np.lexsort((column, row))
        self._source = source[order]
        size = n + m
        indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=size)))).astype(np.int32)
        self.matrix = Csr((np.zeros(len(row)), column[order].astype(np.int32), indptr), shape=(size, size))

    def fits(self, H: Csr, C: Csr) -> bool:
        """Whether the blocks have the pattern that this was made for."""
        return all(
            len(old) == len(new) and (old is new or np.array_equal(old, new))
            for old, new in zip((*self._H, *self._C), (H.indptr, H.indices, C.indptr, C.indices), strict=True)
        )

    def fill(self, H: Csr, scaled_C: Array, delta: Array | float) -> Array:
        """Values of the matrix, in the order of its pattern; `scaled_C` are those of C."""
        values = np.concatenate((H.data, scaled_C, np.broadcast_to(-np.asarray(delta), (self.m,))))
        self.matrix.data[:] = values[self._source]
        return self.matrix.data


def row_scales(H: Csr, C: Csr) -> Array:
    """Factors that give the rows of C length one in the metric of the diagonal of H; 1 for rows of zeros."""
    inverse = 1.0 / np.maximum(np.abs(H.diagonal()), np.finfo(float).tiny)
    size = np.bincount(entry_rows(C), weights=C.data**2 * inverse[C.indices], minlength=C.shape[0])
    return np.asarray(1.0 / np.sqrt(np.where(size > 0, size, 1.0)))


def scaled_rows(C: Csr, scale: Array) -> Csr:
    """Rows of C times their factors; the same pattern."""
    return with_data(C, C.data * np.repeat(scale, np.diff(C.indptr)))


def least_norm(C: Csr, y: Array) -> Array:
    """The multipliers of least norm with the same `C' y`; y itself where they cannot be found to round-off."""
    push: Array = C.T @ y
    if C.shape[0] <= DENSE:
        found = np.linalg.lstsq(C.toarray().T, push, rcond=1e-12)[0]
    else:
        A: Any = C.T
        found = np.asarray(spla.lsqr(A, push, atol=1e-15, btol=1e-15, iter_lim=20 * sum(C.shape))[0])
    return found if same_push(C, y, found) else y


def same_push(C: Csr, y: Array, z: Array) -> bool:
    """Whether `C' y = C' z` to round-off."""
    size = float((abs(C).T @ np.abs(y)).max(initial=0.0))
    return bool(np.abs(C.T @ (y - z)).max(initial=0.0) <= SAME * size)


def dependent(C: Csr) -> bool:
    """Whether rows of C depend on one another: a random vector of multipliers then has a part that does no work."""
    if C.shape[0] == 0:
        return False
    y = np.random.default_rng(0).normal(size=C.shape[0])
    return bool(np.linalg.norm(y - least_norm(C, y)) > REDUNDANT * np.linalg.norm(y))
