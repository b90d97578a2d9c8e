"""Walls of the box container."""

from __future__ import annotations

import numpy as np

from signorini.math.rotations import IDENTITY
from signorini.math.sparse import Array
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Placed


def walls(size: Array, origin: Array, lid: bool) -> list[Placed]:
    """Floor, four walls and perhaps a lid as half-spaces around the box from `origin` to `origin + size` [m]."""
    low, high = origin, origin + size
    planes = [(low, 2, 1.0), (low, 0, 1.0), (high, 0, -1.0), (low, 1, 1.0), (high, 1, -1.0)]
    if lid:
        planes.append((high, 2, -1.0))
    result = []
    for corner, axis, sign in planes:
        x, y, z = (sign * np.eye(3)[axis]).tolist()
        result.append(Placed(HalfSpace((x, y, z)), corner.copy(), IDENTITY.copy()))
    return result
