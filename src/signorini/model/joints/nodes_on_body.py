"""Nodes of a flexible body that are glued to a rigid one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.rotations import cross_matrix, matrix
from signorini.math.sparse import Array, Indices
from signorini.model.component import JointRows
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class NodesOnBody:
    """Every node keeps its place in the frame of the body.

    For node k at y_k: Psi = y_k - x - R r_k, and d Psi / d t = dy_k/dt - v + R [r_k]x omega.
    """

    name: str
    nodes: Indices
    """Among those of a state, shape (k,)."""
    body: int
    """Index in `Model.bodies`."""
    local: Array
    """r_k, in the body's frame [m], shape (k, 3)."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """The rigid body; the glued nodes do not collide with it."""
        return (self.body,)

    def rows(self, state: State) -> JointRows:
        """Three rows per node."""
        R, count = matrix(state.orientation[self.body]), len(self.nodes)
        error = state.node_position[self.nodes] - state.position[self.body] - self.local @ R.T
        jacobian = np.zeros((3 * count, 6 + 3 * count))
        jacobian[:, :3] = -np.tile(np.eye(3), (count, 1))
        jacobian[:, 3:6] = np.vstack([R @ cross_matrix(r) for r in self.local])
        jacobian[:, 6:] = np.eye(3 * count)
        node_columns = 6 * len(state.position) + 3 * self.nodes[:, None] + np.arange(3)
        columns = np.concatenate((6 * self.body + np.arange(6), node_columns.reshape(-1)))
        return JointRows(columns, jacobian, error.reshape(-1), np.zeros(3 * count))
