"""Places of the contact blocks in sparse matrices over the impulses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Csr, Indices, canonical, entry_rows
from signorini.solvers.primal_dual_barrier.scaled import ScaledProblem

REGULARISATION = 1e-14
"""delta I added to systems whose diagonal is about 1."""


def block_entries(start: Indices) -> tuple[Indices, Indices]:
    """Row and column of every entry of the diagonal blocks, packed as by `kernels.condense`."""
    dims = np.diff(start)
    block = np.repeat(np.arange(len(dims)), dims * dims)
    first_entry = np.concatenate(([0], np.cumsum(dims * dims)))[:-1]
    local = np.arange(len(block)) - first_entry[block] if len(block) else np.zeros(0, dtype=np.int64)
    return start[block] + local // dims[block], start[block] + local % dims[block]


def with_blocks(scaled: ScaledProblem) -> Csr:
    """Upper triangle of P with all entries of the diagonal blocks stored."""
    n = len(scaled.q)
    P: Any = sp.coo_array(sp.triu(scaled.P))
    row, column = block_entries(scaled.start)
    upper = row <= column
    every = np.arange(n)
    rows = np.concatenate((P.row, row[upper], every))
    columns = np.concatenate((P.col, column[upper], every))
    values = np.concatenate((P.data, np.zeros(len(rows) - P.nnz)))
    return canonical(sp.coo_array((values, (rows, columns)), shape=(n, n)))


def places(pattern: Csr, row: Indices, column: Indices) -> Indices:
    """Where the entries (row, column) stand in `pattern.data`."""
    n = pattern.shape[1]
    keys = entry_rows(pattern) * n + pattern.indices
    return np.searchsorted(keys, row * n + column)
