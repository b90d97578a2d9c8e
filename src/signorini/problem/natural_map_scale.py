"""How solvers estimate the natural-map error where rows have different units: brakes beside contacts, rolling.

The certificate does not use it: it measures the same quantity by itself (`problem.certificate_terms`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from signorini.kernels.cones import general_blocks as kernels
from signorini.math.sparse import Array, Indices
from signorini.problem.cones import Cones

CANCELLED = 1e-12
"""Share of N below which N - E is round-off."""


@dataclass(frozen=True, eq=False)
class NaturalMapScale:
    """`|x - P(x - g)| / |g_free|` in variables `x = root * impulse`, `g = slip / root`, which are roots of energies.

    root^2 is the mean of the diagonal of N: over the normals and tangents of all contacts together (FCLIB's `scaled`,
    which this is where nothing but contacts is present), and of each interval by itself: a flywheel in kg m2 weighs
    neither more nor less than a ball in kg. Spins and rolls become speeds by two lengths of each contact, the roots of
    (mean diag of D H^-1 D' over normal and tangents) over (that of the spin, or of the rolls), about radii of gyration.
    """

    start: Indices
    table: Array
    """Of the scaled set, see `Cones.scaled_table`."""
    root: Array
    """[kg^(-1/2)] in rows of impulses in N s, shape (contact rows,)."""
    size: float
    """|g_free|, 1 where nothing moves and nothing is prescribed."""

    @classmethod
    def of(
        cls, cones: Cones, diagonals: tuple[Array, Array], slips: tuple[Array, Array], bounds: tuple[float, float],
        joined: Callable[[], Array | None],
    ) -> Self:  # fmt: skip
        """From the diagonals of N and E, and the slips without impulses and what they are at least taken for.

        `bounds` are the least size and that below which the slips of the motion with joints count if they are larger.
        """
        N_diagonal, soft = diagonals
        weight = cones.group_means(N_diagonal)
        contact = np.zeros(cones.rows, dtype=bool)
        for offset in range(int(cones.dims.max(initial=0))):
            in_contact = ~cones.is_interval & (offset < np.where(cones.is_rolling, 3, cones.dims))
            contact[cones.start[:-1][in_contact] + offset] = True
        if contact.any():
            mean = float(N_diagonal[contact].mean())
            weight[contact] = mean if mean > 0 else 1.0
        if cones.is_rolling.any():
            weight = _of_turns(cones, N_diagonal, soft, weight)
        root = np.sqrt(weight)
        size = max(float(np.linalg.norm(slip / root)) for slip in slips)
        size = max(size, bounds[0]) if size > 0 else 0.0
        joined_slip = joined() if size < bounds[1] else None
        size = size if joined_slip is None else max(size, float(np.linalg.norm(joined_slip / root)))
        return cls(cones.start, cones.scaled_table(root), root, size or 1.0)

    def __call__(self, impulse: Array, slip: Array) -> float:
        """The error of impulses with these slips."""
        error = np.empty(len(self.table))
        return float(kernels.natural_map(self.start, self.table, self.root, impulse, slip, error)) / self.size


def _of_turns(cones: Cones, N_diagonal: Array, soft: Array, weight: Array) -> Array:
    """`weight` with that of the normal over the squares of the lengths in the rows of spin and roll."""
    weight, first = weight.copy(), cones.start[:-1][cones.is_rolling]
    slide, turns = first[:, None] + np.arange(3), (first[:, None] + [3], first[:, None] + [4, 5])
    for turn in turns:
        full = [N_diagonal[rows].mean(axis=1) for rows in (slide, turn)]
        rigid = [one - soft[rows].mean(axis=1) for one, rows in zip(full, (slide, turn), strict=True)]
        known = (rigid[0] > CANCELLED * full[0]) & (rigid[1] > CANCELLED * full[1])
        mass, inertia = (np.where(known, *pair) for pair in zip(rigid, full, strict=True))
        none = (mass <= 0.0) | (inertia <= 0.0)
        share = np.where(none, 1.0, inertia) / np.where(none, 1.0, mass)
        weight[turn] = (weight[first] * share)[:, None]
    return weight
