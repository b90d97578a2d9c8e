"""What compiled collision detection knows of a convex shape."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.shapes.descriptor import Triple


def _no_corners() -> Array:
    return np.zeros((0, 3))


def _no_numbers() -> Indices:
    return np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ConvexCore:
    """A shape of a known kind, or a polyhedron, swollen by `rounding` in every direction; in the frame of the shape."""

    kind: int
    """See `kernels.collision.conventions`: polyhedra are `CONVEX`, a point is a `SPHERE`."""
    parameters: Triple = (0.0, 0.0, 0.0)
    """See `kernels.collision.convex.Convex`."""
    rounding: float = 0.0
    """[m]."""
    corners: Array = field(default_factory=_no_corners)
    """Of a polyhedron [m], shape (corners, 3)."""
    face_start: Indices = field(default_factory=_no_numbers)
    """Where the corners of each face begin in `face_corner`."""
    face_corner: Indices = field(default_factory=_no_numbers)
    """Corners of all faces, in order."""
