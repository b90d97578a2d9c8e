"""Where everything is and how fast it moves, as arrays over all bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array


@dataclass(frozen=True, eq=False)
class State:
    """Positions and velocities of all bodies of a model, fixed ones included, in the order of `Model.bodies`."""

    time: float
    """[s]."""
    position: Array
    """Centres of mass in the world [m], shape (bodies, 3)."""
    orientation: Array
    """Unit quaternions (w, x, y, z), body to world, shape (bodies, 4)."""
    velocity: Array
    """Of the centres of mass, in the world [m/s], shape (bodies, 3)."""
    angular_velocity: Array
    """In the body frame [rad/s], shape (bodies, 3)."""

    def copy(self) -> State:
        """An independent copy."""
        return State(self.time, *(np.array(getattr(self, name)) for name in ARRAYS))


ARRAYS = ("position", "orientation", "velocity", "angular_velocity")
