"""Rows of joints, limits and brakes over the unknown velocities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.assembly.masses import Masses
from signorini.math.sparse import Array, Csr, assembled
from signorini.model.component import FrictionRows, JointRows
from signorini.model.state import State


def stacked(parts: Sequence[JointRows | FrictionRows], masses: Masses, state: State) -> tuple[Csr, Array]:
    """The rows of all parts as one matrix over the unknown velocities, and what known velocities add to each row."""
    rows = np.array([len(part.jacobian) for part in parts], dtype=np.int64)
    count = int(rows.sum())
    if not count:
        nothing = np.zeros(0, dtype=np.int32)
        return assembled(np.zeros(0), nothing, np.zeros(1, dtype=np.int32), (0, masses.velocities)), np.zeros(0)
    widths = np.repeat([len(part.columns) for part in parts], rows)
    row = np.repeat(np.arange(count), widths)
    column = np.concatenate([np.tile(part.columns, len(part.jacobian)) for part in parts])
    data = np.concatenate([part.jacobian.reshape(-1) for part in parts])
    place = masses.column[column]
    known = place < 0
    slip = np.zeros(count)
    np.add.at(slip, row[known], (data * state.velocities[column])[known])
    wanted = ~known & (data != 0.0)
    row, place, data = row[wanted], place[wanted], data[wanted]
    order = np.lexsort((place, row))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=count)))).astype(np.int32)
    return assembled(data[order], place[order].astype(np.int32), indptr, (count, masses.velocities)), slip


def joined(vectors: Sequence[Array]) -> Array:
    """One after another; empty for none."""
    return np.concatenate(vectors) if vectors else np.zeros(0)
