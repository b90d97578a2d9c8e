"""Rows that couple coordinates of several joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.coordinate import Coordinate
from signorini.model.state import State


def weighted_row(weights: Sequence[float], coordinates: Sequence[Coordinate], state: State) -> tuple[Indices, Array]:
    """Columns, each once, and derivatives of a weighted sum of coordinates, shape (1, columns)."""
    parts = [coordinate.at(state)[1] for coordinate in coordinates]
    columns, place = np.unique(np.concatenate([c.columns for c in coordinates]), return_inverse=True)
    row = np.zeros((1, len(columns)))
    slopes = np.concatenate([weight * part for weight, part in zip(weights, parts, strict=True)])
    np.add.at(row[0], place, slopes)
    return columns, row


def bodies_of(coordinates: Sequence[Coordinate]) -> tuple[int, ...]:
    """All bodies that the coordinates speak of, each once."""
    return tuple(sorted({body for coordinate in coordinates for body in coordinate.bodies}))
