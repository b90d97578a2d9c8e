"""From the cones of a contact problem to self-dual ones: `lambda = T x`, and slips `T^-T` of those of the form.

Coulomb cones become Lorentz cones (`x_0 = mu lambda_n`), contacts without friction keep their normal row alone, and
each block of rows is scaled by one factor. That T is diagonal on the rows that are kept (`DiagonalMap`). Cones in the
plane may be split into two half-lines, which takes a sparse T (`SparseMap`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from signorini.kernels.interior import dense_form
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical, entry_rows
from signorini.problem.cones import Cones
from signorini.problem.products import add_transposed_product, multiply


@dataclass(frozen=True, eq=False)
class DiagonalMap:
    """One row of the problem for each row of the form, times a factor."""

    start: Indices
    """First row of each self-dual block, then their number."""
    kept: Indices | None
    """Rows of the problem that have one in the form, None for all of them."""
    factor: Array
    """Diagonal of T, shape (cone rows,)."""
    contact_rows: int
    """Of the problem."""

    @classmethod
    def of(cls, cones: Cones) -> DiagonalMap:
        """T of half-lines and Coulomb cones of any dimension, without block factors."""
        first, frictional = cones.start[:-1], (cones.friction > 0) & (cones.dims > 1)
        root = np.ones(cones.rows)
        root[first[frictional]] = 1.0 / cones.friction[frictional]
        dropped = ~frictional & (cones.dims > 1)
        if not dropped.any():
            return cls(cones.start, None, root, cones.rows)
        start = np.concatenate(([0], np.cumsum(np.where(frictional, cones.dims, 1)))).astype(np.int64)
        block = cones.block_of_row
        kept = np.flatnonzero(frictional[block] | (np.arange(cones.rows) == first[block]))
        return cls(start, kept, root[kept], cones.rows)

    @property
    def contact_row(self) -> Indices:
        """A contact row of the problem that each row of the form belongs to."""
        return np.arange(self.contact_rows) if self.kept is None else self.kept

    def scaled(self, factor: Array) -> DiagonalMap:
        """`T diag(factor)`."""
        return replace(self, factor=self.factor * factor)

    def impulses(self, x: Array) -> Array:
        """`T x`, for the leading entries of x."""
        return self._spread(x[: len(self.factor)] * self.factor)

    def rows(self, impulse: Array) -> Array:
        """`T^-1 impulse`."""
        return self.picked(impulse) / self.factor

    def slips(self, rows: Array) -> Array:
        """`T^-T rows`, 0 in rows that are left out; for the leading entries of `rows`."""
        return self._spread(rows[: len(self.factor)] / self.factor)

    def transposed(self, slip: Array) -> Array:
        """`T' slip`."""
        return self.picked(slip) * self.factor

    def factored_rows(self, D: Csr) -> tuple[Csr, Array]:
        """(M, f) with `T'D = diag(f) M`."""
        return D if self.kept is None else canonical(D[self.kept]), self.factor

    def congruence(self, matrix: Csr) -> Csr:
        """`T' matrix T`."""
        part = matrix if self.kept is None else canonical(matrix[self.kept][:, self.kept])
        return scale_both(part, self.factor)

    def picked(self, rows: Array) -> Array:
        """The rows of the problem that are kept."""
        return rows if self.kept is None else rows[self.kept]

    def _spread(self, rows: Array) -> Array:
        if self.kept is None:
            return rows
        out = np.zeros(self.contact_rows)
        out[self.kept] = rows
        return out


@dataclass(frozen=True, eq=False)
class SparseMap:
    """T as a matrix; methods as in `DiagonalMap`."""

    start: Indices
    T: Csr
    """Shape (contact rows, cone rows or more)."""
    T_dual: Csr
    """`T^-T`, same shape."""

    @classmethod
    def of(cls, cones: Cones) -> SparseMap:
        """T with cones in the plane split into two half-lines, without block factors."""
        indptr, indices, values, duals, start = dense_form.cone_map(cones.start, cones.friction)
        shape = (cones.rows, int(start[-1]))
        T, T_dual = (canonical(sp.csr_array((part, indices, indptr), shape=shape)) for part in (values, duals))
        return cls(start, T, T_dual)

    @property
    def contact_row(self) -> Indices:
        row = np.empty(self.T.shape[1], dtype=np.int64)
        row[self.T.indices] = entry_rows(self.T)
        return row

    def scaled(self, factor: Array) -> SparseMap:
        return SparseMap(self.start, scale_columns(self.T, factor), scale_columns(self.T_dual, 1.0 / factor))

    def impulses(self, x: Array) -> Array:
        return multiply(self.T, x[: self.T.shape[1]])

    def rows(self, impulse: Array) -> Array:
        return add_transposed_product(self.T_dual, impulse, np.zeros(self.T.shape[1]))

    def slips(self, rows: Array) -> Array:
        return multiply(self.T_dual, rows[: self.T.shape[1]])

    def transposed(self, slip: Array) -> Array:
        return add_transposed_product(self.T, slip, np.zeros(self.T.shape[1]))

    def factored_rows(self, D: Csr) -> tuple[Csr, Array]:
        return canonical(self.T.T @ D), np.ones(self.T.shape[1])

    def congruence(self, matrix: Csr) -> Csr:
        return canonical(self.T.T @ matrix @ self.T)


ConeMap = DiagonalMap | SparseMap
"""T; problem rows on the left, rows of the form on the right."""


def cone_map(cones: Cones, split: bool) -> ConeMap:
    """T of half-lines and Coulomb cones; `split` cones in the plane into half-lines."""
    plane = split and bool(np.any((cones.dims == 2) & (cones.friction > 0)))
    return SparseMap.of(cones) if plane else DiagonalMap.of(cones)


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


def scale_columns(matrix: Csr, factor: Array) -> Csr:
    """`matrix diag(factor)`."""
    return assembled(matrix.data * factor[matrix.indices], matrix.indices, matrix.indptr, matrix.shape)


def scale_both(matrix: Csr, factor: Array) -> Csr:
    """`diag(factor) matrix diag(factor)`."""
    data = matrix.data * np.repeat(factor, np.diff(matrix.indptr)) * factor[matrix.indices]
    return assembled(data, matrix.indices, matrix.indptr, matrix.shape)
