"""The sparsity of a body: which nodes share an element, as a matrix of 3 x 3 blocks in CSR form."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.math.sparse import Array, Csr, Indices, assembled


@dataclass(frozen=True, eq=False)
class Pattern:
    """Where the entries of element matrices go; made once per body."""

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    first: NDArray[np.int32]
    """Place of entry (0, 0) of the block of nodes a and b of each element, shape (elements, nodes, nodes)."""
    stride: NDArray[np.int32]
    """Distance from one row of a block to the next, by node, shape (nodes,)."""

    @classmethod
    def of(cls, cells: Indices, nodes: int) -> Pattern:
        """Of elements that couple all their nodes."""
        k = cells.shape[1]
        row, column = np.repeat(cells, k, axis=1).reshape(-1), np.tile(cells, k).reshape(-1)
        graph: Any = sp.csr_array((np.ones(len(row)), (row, column)), shape=(nodes, nodes))
        graph.sum_duplicates()
        graph.sort_indices()
        start, neighbours = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
        degree = np.diff(start)
        # Rank of b among the neighbours of a: neighbours rise within a row, so keys a * nodes + b rise overall.
        keys = np.repeat(np.arange(nodes), degree) * nodes + neighbours
        rank = np.searchsorted(keys, row * nodes + column) - start[row]
        first = (9 * start[row] + 3 * rank).reshape(len(cells), k, k)
        indptr = np.concatenate(([0], np.cumsum(np.repeat(3 * degree, 3)))).astype(np.int32)
        wide = (3 * neighbours[:, None] + np.arange(3)).reshape(-1)
        indices = np.concatenate([np.tile(wide[3 * a : 3 * b], 3) for a, b in pairwise(start)])
        return cls(indptr, indices.astype(np.int32), first.astype(np.int32), (3 * degree).astype(np.int32))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.stride)

    def zeros(self) -> Array:
        """Data without anything in it."""
        return np.zeros(len(self.indices))

    def matrix(self, data: Array) -> Csr:
        """The matrix with these data, which are given away."""
        return assembled(data, self.indices, self.indptr, (3 * self.nodes, 3 * self.nodes))

    def add_scalars(self, cells: Indices, values: Array, data: Array) -> None:
        """Add `values[e, a, b]` times the unit matrix of 3 x 3 to the blocks of each element."""
        step = self.stride[cells][:, :, None]
        for i in range(3):
            np.add.at(data, self.first + i * step + i, values)

    def add_blocks(self, cells: Indices, values: Array, data: Array) -> None:
        """Add whole element matrices, shape (elements, nodes, 3, nodes, 3)."""
        step = self.stride[cells][:, :, None]
        for i in range(3):
            for j in range(3):
                np.add.at(data, self.first + i * step + j, values[:, :, i, :, j])
