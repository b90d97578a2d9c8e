"""Pressure and traction on part of the surface of a flexible body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class SurfaceLoad:
    """Pressure follows the surface: it pushes against it as it is now; traction keeps its direction and total."""

    corners: Indices
    """Nodes of the loaded triangles among those of a state, counter-clockwise from outside, shape (triangles, 3)."""
    pressure: float
    """[Pa], positive pushes inwards."""
    traction: Array
    """Force per area at t = 0 [Pa], world, shape (3,)."""
    areas: Array
    """At t = 0 [m2], shape (triangles,)."""

    def add(self, state: State, force: Array) -> None:
        """A third of each triangle's force on each of its corners."""
        p = state.node_position[self.corners]
        outward = 0.5 * np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
        share = (np.outer(self.areas, self.traction) - self.pressure * outward) / 3.0
        for k in range(3):
            np.add.at(force, self.corners[:, k], share)
