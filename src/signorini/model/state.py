"""Where everything is and how fast it moves, as arrays over all bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    node_position: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Nodes of the flexible bodies in the world [m], shape (nodes, 3)."""
    node_velocity: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """[m/s], shape (nodes, 3)."""

    def __repr__(self) -> str:
        nodes = f", {len(self.node_position)} nodes" if len(self.node_position) else ""
        fastest = float(np.linalg.norm(self.velocity, axis=1).max(initial=0.0))
        return f"State(t = {self.time:g} s, {len(self.position)} bodies{nodes}, fastest {fastest:.3g} m/s)"

    @property
    def velocities(self) -> Array:
        """Velocities of everything, in the columns of `model.component`."""
        bodies = np.hstack((self.velocity, self.angular_velocity)).reshape(-1)
        return np.concatenate((bodies, self.node_velocity.reshape(-1))) if len(self.node_velocity) else bodies

    @property
    def rigid(self) -> tuple[Array, Array, Array, Array]:
        """Positions, orientations, velocities and angular velocities of the bodies."""
        return self.position, self.orientation, self.velocity, self.angular_velocity

    def copy(self) -> State:
        """An independent copy."""
        return State(self.time, *(np.array(getattr(self, name)) for name in ARRAYS))


ARRAYS = ("position", "orientation", "velocity", "angular_velocity", "node_position", "node_velocity")
