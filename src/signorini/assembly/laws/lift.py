"""How far the convex cones open a contact that slides."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.cones import Cones


def lifts(cones: Cones, slip: Array) -> Array:
    """`mu |y_t| + spinning |y_s| + rolling |y_r|` of each block [m/s], shape (blocks,).

    The dual cones require `y_n` of at least this; Coulomb's law requires 0. 0 for half-lines and intervals.
    """
    if not cones.count:
        return np.zeros(0)
    first, roll = cones.start[:-1], cones.is_rolling
    squares = slip * slip
    squares[first] = 0.0
    spin = np.zeros(cones.count)
    spin[roll] = np.abs(slip[first[roll] + 3])
    turn = np.zeros(cones.count)
    turn[roll] = np.hypot(slip[first[roll] + 4], slip[first[roll] + 5])
    tangent = np.sqrt(np.maximum(np.add.reduceat(squares, first) - spin**2 - turn**2, 0.0))
    if roll.any():
        tangent[roll] = np.hypot(slip[first[roll] + 1], slip[first[roll] + 2])
    spinning, rolling = np.where(roll, cones.spinning, 0.0), np.where(roll, cones.rolling, 0.0)
    return np.asarray(cones.friction * tangent + spinning * spin + rolling * turn)


def first_rows(cones: Cones, values: Array, count: int) -> Array:
    """Rows (normal, t1, t2) of the first `count` blocks, shape (count, 3)."""
    if cones.start[count] == 3 * count:
        return values[: 3 * count].reshape(-1, 3)
    return np.asarray(values[cones.start[:count, None] + np.arange(3)])
