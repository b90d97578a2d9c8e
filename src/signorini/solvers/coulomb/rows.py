"""Rows of a matrix in blocks, each a small dense matrix over its own columns (`kernels/linalg/block_rows.py`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.linalg import block_rows as kernels
from signorini.math.sparse import Array, Csr, Indices


@dataclass(frozen=True, eq=False)
class Rows:
    """A matrix as blocks of rows; letters and layout as in the kernels."""

    start: Indices
    """First row of each block, then the number of rows."""
    column_start: Indices
    value_start: Indices
    columns: Indices
    values: Array
    width: int
    """Number of columns."""

    @classmethod
    def of(cls, matrix: Csr, start: Indices, factor: Array) -> Rows:
        """The rows of `matrix`, each times its factor, grouped as `start` says, over the columns that they touch."""
        column_start = kernels.count_columns(start, matrix.indptr, matrix.indices, matrix.shape[1])
        sizes = np.diff(start) * np.diff(column_start)
        value_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        columns, values = np.empty(column_start[-1], dtype=np.int64), np.zeros(value_start[-1])
        kernels.gather(
            start, matrix.indptr, matrix.indices, matrix.data, factor, column_start, value_start, columns, values
        )
        return cls(start, column_start, value_start, columns, values, matrix.shape[1])

    def compressed(self) -> Rows:
        """The same over touched columns only, numbered anew."""
        place = np.full(self.width, -1, dtype=np.int64)
        touched = kernels.number_columns(self.columns, place)
        if touched == self.width:
            return self
        return Rows(self.start, self.column_start, self.value_start, place[self.columns], self.values, touched)

    def multiply(self, x: Array, values: Array | None = None) -> Array:
        """A x; `values` stand in for A's own (turned rows)."""
        out = np.empty(int(self.start[-1]))
        chosen = self.values if values is None else values
        kernels.multiply(self.start, self.column_start, self.value_start, self.columns, chosen, x, out)
        return out

    def multiply_transposed(self, x: Array, values: Array | None = None) -> Array:
        """A' x; `values` stand in for A's own (turned rows)."""
        out = np.zeros(self.width)
        chosen = self.values if values is None else values
        kernels.multiply_transposed(self.start, self.column_start, self.value_start, self.columns, chosen, x, out)
        return out

    def turned(self, frames: Array, reflector: Array, out: Array) -> Array:
        """Values with the rows of the first blocks, one per frame, turned into their eigenbases."""
        kernels.turn_rows(
            self.start, len(frames), self.column_start, self.value_start, self.values, frames, reflector, out
        )
        return out


def ranges(first: Indices, length: Indices) -> Indices:
    """The numbers first[k], first[k] + 1, ... of all ranges, one after another."""
    before = np.cumsum(length) - length
    return np.asarray(np.arange(int(length.sum())) + np.repeat(first - before, length))
