"""Which velocities belong to one rigid body, and which two bodies each block of rows touches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.sweeps import pair_pack
from signorini.kernels.sweeps.pair_pack import BlockedRows
from signorini.math.sparse import Array, Csr, Indices
from signorini.problem.mass_matrix import MassMatrix


@dataclass(frozen=True, eq=False)
class Bodies:
    """Contiguous velocities that belong together."""

    first: Indices
    """First velocity of each body, then n; six velocities at most."""
    pairs: Indices
    """The two bodies of each block, the smaller first, the same twice where there is one; shape (blocks, 2)."""
    centres: Array | None = None
    """Positions of the bodies [m], shape (bodies, 3), if the assembler provided them: near ones are stored together."""

    @property
    def count(self) -> int:
        """Number of bodies."""
        return len(self.first) - 1


def find_bodies(mass: MassMatrix, matrix: Csr, start: Indices) -> Bodies | None:
    """Bodies such that every block of rows (start[i]..start[i+1]-1) touches at most two; None when there are none."""
    pairs = np.empty((len(start) - 1, 2), dtype=np.int64)
    rows = BlockedRows(start, matrix.indptr, matrix.indices, matrix.data)
    for first, body_of in mass.bodies:
        if pair_pack.pair_bodies(rows, body_of, first, pairs):
            return Bodies(first, pairs)
    return None
