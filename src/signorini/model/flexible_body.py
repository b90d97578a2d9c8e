"""A flexible body in a model, and nodes of it with prescribed motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.rotations import matrix
from signorini.math.sparse import Array, Indices
from signorini.model.body import Motion
from signorini.model.component import Flexible
from signorini.model.material import Material
from signorini.model.motion import velocity_at


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """Made by `Model.add_flexible`, which checks everything."""

    name: str
    flexible: Flexible
    first: int
    """Its first node in `State.node_position`."""
    position: Array
    """Of its nodes at t = 0, world [m], shape (nodes, 3)."""
    velocity: Array
    """Of its nodes at t = 0, world [m/s], shape (nodes, 3)."""
    material: Material = field(default_factory=Material)
    """Of its surface."""
    group: int = 1
    """Bit field: which groups the body belongs to."""
    mask: int = -1
    """Bit field: which groups it collides with."""
    margin: float | None = None
    """Contact envelope [m]; None takes the model's."""
    self_contact: bool = True
    """Whether it may touch itself."""

    def __repr__(self) -> str:
        return f"FlexibleBody({self.name!r}, {type(self.flexible).__name__}, {self.count} nodes)"

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.position)

    @property
    def nodes(self) -> slice:
        """Its nodes among those of a state."""
        return slice(self.first, self.first + self.count)

    @property
    def mass(self) -> float:
        """[kg]."""
        t = np.kron(self.flexible.translation, [1.0, 0.0, 0.0])
        return float(t @ (self.flexible.mass @ t))

    def centre(self, values: Array) -> Array:
        """Mean by mass of node values of a state, shape (3,): of positions it is the centre of mass."""
        t = np.kron(self.flexible.translation[:, None], np.eye(3))
        return np.asarray(t.T @ (self.flexible.mass @ values[self.nodes].reshape(-1))) / self.mass


@dataclass(frozen=True, eq=False)
class HeldNodes:
    """Nodes whose motion is known: they stand still, or move like points of a rigid body."""

    nodes: Indices
    """Among those of a state, shape (k,)."""
    start: Array
    """At t = 0 [m], shape (k, 3)."""
    translation: Array
    """See `Flexible.translation`, shape (k,)."""
    motion: Motion | None = None
    """Time [s] -> (displacement [m], quaternion), applied to the nodes at t = 0; None stands still."""

    def position(self, time: float) -> Array:
        """[m], shape (k, 3)."""
        if self.motion is None:
            return self.start
        shift, turn = self.motion(time)
        return np.asarray(self.start @ matrix(turn).T + np.outer(self.translation, shift))

    def velocity(self, begin: float, end: float) -> Array:
        """Constant velocity that leads from the place at `begin` to that at `end` [m/s], shape (k, 3)."""
        if self.motion is None:
            return np.zeros_like(self.start)
        return (self.position(end) - self.position(begin)) / (end - begin)

    def first_velocity(self) -> Array:
        """At t = 0 [m/s], shape (k, 3)."""
        if self.motion is None:
            return np.zeros_like(self.start)
        (_, turn), (shift, spin) = self.motion(0.0), velocity_at(self.motion, 0.0)
        placed = self.start @ matrix(turn).T
        return np.cross(matrix(turn) @ spin, placed) + np.outer(self.translation, shift)
