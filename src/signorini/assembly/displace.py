"""Moving a state by displacements of the unknowns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.masses import Masses
from signorini.kernels.bodies import poses
from signorini.kernels.threads.team import team
from signorini.math.sparse import Array, Indices
from signorini.math.tangent import inverse_tangent
from signorini.model.body import Motion
from signorini.model.flexible_body import HeldNodes
from signorini.model.model import Model
from signorini.model.motion import DIFFERENCE, velocity_at
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class Displacer:
    """Applies displacements and velocities of the unknowns (columns as in `Masses`) to states.

    `x <- x + s` and `q <- q exp(s)`, s in body axes; bodies with a motion go where it says.
    """

    movable: Indices
    """Index in `Model.bodies`, shape (movable,)."""
    motions: tuple[tuple[int, Motion], ...]
    free: Indices
    """Nodes of flexible bodies that are unknowns, among those of a state."""
    held: tuple[HeldNodes, ...]
    """Nodes with prescribed motion."""

    @classmethod
    def of(cls, model: Model, masses: Masses) -> Displacer:
        """For the states of a model."""
        motions = model.motions
        return cls(masses.movable, motions, masses.free, tuple(model.held))

    def velocities(self, state: State) -> Array:
        """Of the unknowns, shape (n,)."""
        bodies = np.hstack((state.velocity[self.movable], state.angular_velocity[self.movable]))
        return np.concatenate((bodies.reshape(-1), state.node_velocity[self.free].reshape(-1)))

    def move(self, state: State, s: Array, v: Array, time: float) -> State:
        """The state displaced by s, with velocities v, at another time."""
        bodies = 6 * len(self.movable)
        way, speed = (np.ascontiguousarray(x[:bodies]).reshape(-1, 6) for x in (s, v))
        position, orientation, velocity, angular = poses.copies(team(len(state.position)), *state.rigid)
        poses.advance(team(len(way)), self.movable, way, 1.0, position, orientation, velocity, angular)
        velocity[self.movable], angular[self.movable] = speed[:, :3], speed[:, 3:]
        for i, motion in self.motions:
            position[i], turned = motion(time)
            # The nearer of the two quaternions of a rotation: angles of joints count turns by their sign.
            orientation[i] = turned if float(turned @ orientation[i]) >= 0.0 else -turned
            velocity[i], angular[i] = velocity_at(motion, time)
        nodes, speeds = state.node_position.copy(), state.node_velocity.copy()
        nodes[self.free] += s[bodies:].reshape(-1, 3)
        speeds[self.free] = v[bodies:].reshape(-1, 3)
        for held in self.held:
            near, far = (held.velocity(time, time + k * DIFFERENCE) for k in (1, 2))
            nodes[held.nodes], speeds[held.nodes] = held.position(time), 2.0 * near - far
        return State(time, position, orientation, velocity, angular, nodes, speeds)

    def inverse_tangents(self, s: Array) -> Array:
        """T^-1 of the rotations in s, shape (movable, 3, 3)."""
        return inverse_tangent(s[: 6 * len(self.movable)].reshape(-1, 6)[:, 3:])
