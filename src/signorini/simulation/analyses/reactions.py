"""Reaction forces of joints, in the frame of each joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.rotations import matrix, multiply
from signorini.math.sparse import Array
from signorini.model.component import Joint, JointRows
from signorini.model.coordinate import WORLD
from signorini.model.joints.framed import Framed
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class Reaction:
    """What a joint does to one of its bodies."""

    joint: str
    body: str
    """The body that the force acts on: the second one of the joint, or the first where that is the world."""
    position: Array
    """Where, world [m], shape (3,)."""
    axes: Array
    """Columns are the axes of the frame in the world, shape (3, 3)."""
    force: Array
    """In those axes [N], shape (3,)."""
    torque: Array
    """About that position, in those axes [N m], shape (3,)."""

    @property
    def world_force(self) -> Array:
        """[N], shape (3,)."""
        return np.asarray(self.axes @ self.force)

    @property
    def world_torque(self) -> Array:
        """[N m], shape (3,)."""
        return np.asarray(self.axes @ self.torque)


def joint_reactions(model: Model, state: State, joint_force: Array) -> list[Reaction]:
    """Reactions of all joints and motors from the forces of their rows, such as `step.joint_force`.

    A step with hard contact has impulses: pass `step.joint_impulse / h` and the state before the step, whose directions
    they have.
    """
    rows = [joint.rows(state) for joint in model.joints]
    ends = np.cumsum([len(found.error) for found in rows], dtype=np.int64)
    count = int(ends[-1]) if rows else 0
    if len(joint_force) != count:
        raise ModelError(f"there are {len(joint_force)} joint forces, expected {count}, one per row of the joints")
    return [
        _reaction(model, joint, state, found, lam)
        for joint, found, lam in zip(model.joints, rows, np.split(joint_force, ends)[: len(rows)], strict=True)
    ]


def _reaction(model: Model, joint: Joint, state: State, found: JointRows, lam: Array) -> Reaction:
    body = joint.bodies[-1]
    push = np.zeros(6 * len(state.position))
    push[found.columns] = found.jacobian.T @ lam
    R = matrix(state.orientation[body])
    force, torque = push[6 * body : 6 * body + 3], R @ push[6 * body + 3 : 6 * body + 6]
    position, axes = _frame(joint, body, state)
    torque = torque - np.cross(position - state.position[body], force)
    name = model.bodies[body].name
    return Reaction(joint.name, name, position, axes, axes.T @ force, axes.T @ torque)


def _frame(joint: Joint, body: int, state: State) -> tuple[Array, Array]:
    """Origin and axes of the joint on a body; its centre and the world's axes where the joint has none."""
    if not isinstance(joint, Framed):
        return state.position[body].copy(), np.eye(3)
    frame = joint.frame_b if joint.b == body and joint.b != WORLD else joint.frame_a
    position = state.position[body] + matrix(state.orientation[body]) @ frame.position
    return position, matrix(multiply(state.orientation[body], frame.orientation))
