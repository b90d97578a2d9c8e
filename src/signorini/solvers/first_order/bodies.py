"""Which velocities belong to one rigid body, as far as the pattern of the problem tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels import pair_pack
from signorini.kernels.pair_pack import BlockedRows
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
    """Bodies of at most six velocities such that every block touches at most two; None when there are none."""
    if problem.is_dual_only or not isinstance(problem.inverse, BlockInverse):
        return None
    if len(rows.mu) and np.diff(rows.start).max() > CONTACT_ROWS:
        return None
    if problem.E.nnz and not is_diagonal(problem.E):
        return None
    matrix, pairs = rows.matrix, np.empty((len(rows.mu), 2), dtype=np.int64)
    blocked = BlockedRows(rows.start, matrix.indptr, matrix.indices, matrix.data)
    for first, body_of in problem.inverse.bodies:
        if pair_pack.pair_bodies(blocked, body_of, first, pairs):
            return Bodies(first, pairs)
    return None
