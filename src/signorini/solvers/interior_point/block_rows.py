"""A Jacobian whose rows come in blocks, each a small dense matrix over its own columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.linalg import block_rows as kernels
from signorini.math.sparse import Array, Csr, Indices


@dataclass(frozen=True, eq=False)
class BlockRows:
    """A of the interior point: cone blocks first, then one block per joint row."""

    start: Indices
    """First row of each block, then the number of rows."""
    column_start: Indices
    """First entry of each block in `columns`."""
    value_start: Indices
    """First entry of each block in `values`."""
    columns: Indices
    values: Array
    width: int
    """Number of columns of A."""

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

    @property
    def rows(self) -> int:
        """Number of rows of A."""
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

    def turned(self, cones: int, scaling: Array, reflector: Array, out: Array) -> Array:
        """Values of A with the rows of the first `cones` blocks turned into the eigenbases of their scalings."""
        kernels.turn_rows(self.start, cones, self.column_start, self.value_start, self.values, scaling, reflector, out)
        return out

    def _or(self, values: Array | None) -> Array:
        return self.values if values is None else values
