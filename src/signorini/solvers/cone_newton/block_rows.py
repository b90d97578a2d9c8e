"""A matrix whose rows come in blocks, each a small dense matrix over its own columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.kernels.linalg import block_rows as kernels
from signorini.math.sparse import Array, Csr, Indices, assembled, canonical


@dataclass(frozen=True, eq=False)
class BlockRows:
    """Rows of a matrix in blocks, each a small dense matrix over its own columns (`kernels/linalg/block_rows.py`)."""

    start: Indices
    """First row of each block, then the number of rows."""
    column_start: Indices
    """First entry of each block in `columns`."""
    value_start: Indices
    """First entry of each block in `values`."""
    columns: Indices
    values: Array
    width: int
    """Number of columns."""

    @classmethod
    def from_csr(cls, matrix: Csr, start: Indices, factor: Array | None = None) -> BlockRows:
        """Group the rows of `matrix` as `start` says, each times its `factor`."""
        indptr, indices = matrix.indptr, matrix.indices
        column_start = kernels.count_columns(start, indptr, indices, matrix.shape[1])
        sizes = np.diff(start) * np.diff(column_start)
        value_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        columns = np.empty(column_start[-1], dtype=np.int64)
        values = np.zeros(value_start[-1])
        factor = np.ones(matrix.shape[0]) if factor is None else factor
        kernels.gather(start, indptr, indices, matrix.data, factor, column_start, value_start, columns, values)
        return cls(start, column_start, value_start, columns, values, matrix.shape[1])

    @classmethod
    def stacked(cls, D: Csr, C: Csr, start: Indices, factor: Array) -> BlockRows:
        """The contact rows D in the blocks of `start`, then one block per joint row of C, each row times its factor."""
        if not C.shape[0]:
            return cls.of_bodies(D, start, factor) or cls.from_csr(D, start, factor)
        starts = np.concatenate((start, start[-1] + 1 + np.arange(C.shape[0])))
        indptr = np.concatenate((D.indptr, D.indptr[-1] + C.indptr[1:])).astype(np.int32)
        indices, data = np.concatenate((D.indices, C.indices)), np.concatenate((D.data, C.data))
        both = assembled(data, indices.astype(np.int32), indptr, (D.shape[0] + C.shape[0], D.shape[1]))
        return cls.from_csr(both, starts, factor)

    @classmethod
    def of_square(cls, matrix: Csr, start: Indices) -> BlockRows:
        """A square matrix by blocks of rows; each block stores its own columns, zeros included."""
        height = np.diff(start)
        block = np.repeat(np.arange(len(height)), height)
        row = np.repeat(block, np.diff(matrix.indptr))
        if np.count_nonzero(row == block[matrix.indices]) == height @ height:
            return cls.from_csr(matrix, start)
        size = height[block]
        row, column = np.repeat(np.arange(len(size)), size), ranges(start[block], size)
        stored: Any = sp.coo_array(matrix)
        # Not the sum of two matrices, from which scipy drops zeros.
        at = np.concatenate((stored.row, row)), np.concatenate((stored.col, column))
        data = np.concatenate((stored.data, np.zeros(len(row))))
        whole: Any = sp.coo_array((data, at), shape=matrix.shape)
        return cls.from_csr(canonical(whole), start)

    @classmethod
    def of_bodies(cls, matrix: Csr, start: Indices, factor: Array) -> BlockRows | None:
        """The same over whole groups of six columns, the velocities of bodies; None where a block has more than two."""
        blocks, width = len(start) - 1, int(matrix.shape[1])
        pair = np.empty((blocks, 2), dtype=np.int64)
        total = -1 if width % 6 else kernels.sixes_of(start, matrix.indptr, matrix.indices, pair)
        if total < 0:
            return None
        column_start, value_start = np.empty(blocks + 1, dtype=np.int64), np.empty(blocks + 1, dtype=np.int64)
        columns = np.empty(total, dtype=np.int64)
        values = np.zeros(int(np.diff(start) @ np.where(pair[:, 1] < 0, 6, 12)))
        kernels.gather_sixes(
            start, matrix.indptr, matrix.indices, matrix.data, factor, pair, column_start, value_start, columns, values
        )
        return cls(start, column_start, value_start, columns, values, width)

    def compressed(self) -> tuple[BlockRows, Indices]:
        """The same over the columns that occur, renumbered, and these columns."""
        place = np.full(self.width, -1, dtype=np.int64)
        touched = kernels.number_columns(self.columns, place)
        if touched == self.width:
            return self, np.arange(self.width)
        return replace(self, columns=place[self.columns], width=touched), np.flatnonzero(place >= 0)

    def positions(self) -> tuple[Indices, Indices]:
        """Row and column of every stored value."""
        width = np.repeat(np.diff(self.column_start), np.diff(self.start))
        first = np.repeat(self.column_start[:-1], np.diff(self.start))
        return np.repeat(np.arange(self.rows), width), self.columns[ranges(first, width)]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.start[-1])

    def multiply(self, x: Array, values: Array | None = None) -> Array:
        """A x; `values` stand in for A's own (turned rows)."""
        out = np.empty(self.rows)
        kernels.multiply(self.start, self.column_start, self.value_start, self.columns, self._or(values), x, out)
        return out

    def multiply_transposed(self, x: Array, values: Array | None = None, out: Array | None = None) -> Array:
        """A' x, added to `out` where it is given; `values` stand in for A's own (turned rows)."""
        out = np.zeros(self.width) if out is None else out
        kernels.multiply_transposed(
            self.start, self.column_start, self.value_start, self.columns, self._or(values), x, out
        )
        return out

    def absolute_transposed(self, x: Array) -> Array:
        """|A|' x."""
        return self.multiply_transposed(x, np.abs(self.values))

    def turned(self, frames: Array, reflector: Array, out: Array) -> Array:
        """Values with the rows of the first blocks, one per frame, turned into their eigenbases."""
        kernels.turn_rows(
            self.start, len(frames), self.column_start, self.value_start, self.values, frames, reflector, out
        )
        return out

    def _or(self, values: Array | None) -> Array:
        return self.values if values is None else values


def ranges(first: Indices, length: Indices) -> Indices:
    """The numbers first[k], first[k] + 1, ... of all ranges, one after another."""
    before = np.cumsum(length) - length
    return np.asarray(np.arange(int(length.sum())) + np.repeat(first - before, length))
