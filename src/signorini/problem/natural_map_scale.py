"""How solvers estimate the natural-map error where rows have different units: brakes beside contacts, rolling.

The certificate does not use it: it measures the same quantity by itself (`problem.certificate_terms`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from signorini.kernels.cones import general_blocks as kernels
from signorini.math.sparse import Array, Indices
from signorini.problem.cones import Cones


@dataclass(frozen=True, eq=False)
class NaturalMapScale:
    """`|x - P(x - g)| / |g_free|` in variables `x = root * impulse`, `g = slip / root`, which are roots of energies.

    root^2 is the mean of the diagonal of N: over the normals and tangents of all contacts together (FCLIB's `scaled`,
    which this is where nothing but contacts is present), of each interval by itself, and over the spin and the roll of
    each rolling block. So a flywheel in kg m2 weighs neither more nor less than a ball in kg.
    """

    start: Indices
    table: Array
    """Of the scaled set, see `Cones.scaled_table`."""
    root: Array
    """[kg^(-1/2)] in rows of impulses in N s, shape (contact rows,)."""
    size: float
    """|g_free|, 1 where nothing moves and nothing is prescribed."""
    moves: float
    """|g_free|, 0 where nothing moves."""

    @classmethod
    def of(
        cls, cones: Cones, N_diagonal: Array, free_slip: Array, least_slip: Array, least: float,
        joined_slip: Array | None,
    ) -> Self:  # fmt: skip
        """From diag N, the slips without impulses, what they are at least taken for, and the least size.

        `joined_slip`, that of the motion with joints, counts if it is larger.
        """
        weight = cones.group_means(N_diagonal)
        contact = np.zeros(cones.rows, dtype=bool)
        for offset in range(int(cones.dims.max(initial=0))):
            in_contact = ~cones.is_interval & (offset < np.where(cones.is_rolling, 3, cones.dims))
            contact[cones.start[:-1][in_contact] + offset] = True
        if contact.any():
            mean = float(N_diagonal[contact].mean())
            weight[contact] = mean if mean > 0 else 1.0
        root = np.sqrt(weight)
        size = max(float(np.linalg.norm(free_slip / root)), float(np.linalg.norm(least_slip / root)))
        size = max(size, least) if size > 0 else 0.0
        size = size if joined_slip is None else max(size, float(np.linalg.norm(joined_slip / root)))
        return cls(cones.start, cones.scaled_table(root), root, size or 1.0, size)

    def __call__(self, impulse: Array, slip: Array) -> float:
        """The error of impulses with these slips."""
        error = np.empty(len(self.table))
        return float(kernels.natural_map(self.start, self.table, self.root, impulse, slip, error)) / self.size
