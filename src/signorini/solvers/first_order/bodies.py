"""Which velocities belong to one rigid body, as far as the pattern of the problem tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels import pair_pack
from signorini.kernels.pair_pack import BODY, BlockedRows
from signorini.math.sparse import Indices, is_diagonal
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.inverse import BlockInverse
from signorini.solvers.first_order.dual import Rows

CONTACT_ROWS = 3
"""Rows of a contact, at most."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """Contiguous velocities that belong together."""

    first: Indices
    """First velocity of each body, then n."""
    pairs: Indices
    """The two bodies of each block, the smaller first, shape (blocks, 2)."""

    @property
    def count(self) -> int:
        """Number of bodies."""
        return len(self.first) - 1


def find_bodies(problem: ContactProblem, rows: Rows) -> Bodies | None:
    """Bodies of at most six velocities such that every block touches at most two; None when there are none.

    A diagonal H hides its bodies, so groups of 3 (planar) and of 6 (spatial) velocities are tried after its own blocks.
    """
    if problem.is_dual_only or not isinstance(problem.inverse, BlockInverse):
        return None
    if len(rows.mu) and np.diff(rows.start).max() > CONTACT_ROWS:
        return None
    if problem.E.nnz and not is_diagonal(problem.E):
        return None
    n, matrix = problem.velocities, rows.matrix
    blocked = BlockedRows(rows.start, matrix.indptr, matrix.indices, matrix.data)
    blocks = problem.inverse.starts
    pairs = np.empty((len(rows.mu), 2), dtype=np.int64)
    is_start = np.zeros(n + 1, dtype=np.bool_)
    is_start[blocks] = True
    candidates = [blocks] + [np.append(np.arange(0, n, size), n) for size in (3, BODY)]
    for first in candidates:
        if np.diff(first).max() > BODY or not np.all(is_start[first]):
            continue
        of = np.repeat(np.arange(len(first) - 1), np.diff(first))
        if pair_pack.pair_bodies(blocked, of, first, pairs):
            return Bodies(first, pairs)
    return None
