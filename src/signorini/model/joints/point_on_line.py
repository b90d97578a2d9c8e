"""A point of a body stays on a line of the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.component import JointRows
from signorini.model.state import State


@dataclass(frozen=True, eq=False)
class PointOnLine:
    """Guide: the body slides along the line and turns freely.

    With p = x + R r the point in the world, o a point of the line and T its two normals:
    Psi = T' (p - o), and d Psi / d t = T' (v - R [r]x omega).
    """

    name: str
    body: int
    """Index in `Model.bodies`."""
    local: Array
    """r, the point in the body's frame [m], shape (3,)."""
    origin: Array
    """o, a point of the line in the world [m], shape (3,)."""
    normals: Array
    """T', two unit vectors across the line, shape (2, 3)."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """The guided body alone: the line belongs to the world."""
        return (self.body,)

    def rows(self, state: State) -> JointRows:
        """Two rows."""
        R = matrix(state.orientation[self.body])
        point = state.position[self.body] + R @ self.local
        jacobian = np.hstack((self.normals, -self.normals @ R @ cross_matrix(self.local)))
        columns = 6 * self.body + np.arange(6)
        return JointRows(columns, jacobian, self.normals @ (point - self.origin), np.zeros(2))


def cross_matrix(r: Array) -> Array:
    """[r]x with `[r]x w = r x w`."""
    x, y, z = r
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def normals_to(direction: Array) -> Array:
    """Two unit vectors across a unit vector and each other, shape (2, 3); world axes where the line is one."""
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = helper - (helper @ direction) * direction
    first /= np.linalg.norm(first)
    return np.stack((first, np.cross(direction, first)))
