"""Two points, of faces, cables, rigid bodies or the world, that stay together."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.rotations import cross_matrix, matrix
from signorini.math.sparse import Array, Indices
from signorini.model.component import JointRows
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class MaterialPoint:
    """A point that moves with nodes (weighted), with a rigid body, or not at all."""

    nodes: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Among those of a state, each once, shape (k,); none for a rigid body or the world."""
    weights: Array = field(default_factory=lambda: np.zeros(0))
    """Shape (k,)."""
    body: int = -1
    """Index in `Model.bodies`, -1 for none."""
    local: Array = field(default_factory=lambda: np.zeros(3))
    """In the frame of the body, or of the world [m]."""

    def place(self, state: State) -> Array:
        """[m], world."""
        if len(self.nodes):
            return np.asarray(self.weights @ state.node_position[self.nodes])
        if self.body < 0:
            return self.local
        return np.asarray(state.position[self.body] + matrix(state.orientation[self.body]) @ self.local)

    def jacobian(self, state: State) -> tuple[Indices, Array]:
        """Columns that the point moves with, and d place / d displacement, shape (3, columns)."""
        if len(self.nodes):
            columns = 6 * len(state.position) + 3 * self.nodes[:, None] + np.arange(3)
            return columns.reshape(-1).astype(np.int64), np.asarray(np.kron(self.weights, np.eye(3)), dtype=np.float64)
        if self.body < 0:
            return np.zeros(0, dtype=np.int64), np.zeros((3, 0))
        R = matrix(state.orientation[self.body])
        return 6 * self.body + np.arange(6), np.hstack((np.eye(3), -R @ cross_matrix(self.local)))


@dataclass(frozen=True, eq=False)
class JoinedPoints:
    """Ball joint: Psi = place of a - place of b."""

    name: str
    a: MaterialPoint
    b: MaterialPoint

    @property
    def bodies(self) -> tuple[int, ...]:
        """Rigid bodies that it ties."""
        return tuple(point.body for point in (self.a, self.b) if point.body >= 0)

    def rows(self, state: State) -> JointRows:
        """Three rows."""
        (first, one), (second, two) = self.a.jacobian(state), self.b.jacobian(state)
        columns, place = np.unique(np.concatenate((first, second)), return_inverse=True)
        jacobian = np.zeros((3, len(columns)))
        # A body joined to itself names a column twice.
        np.add.at(jacobian.T, place, np.hstack((one, -two)).T)
        return JointRows(columns, jacobian, self.a.place(state) - self.b.place(state), np.zeros(3))
