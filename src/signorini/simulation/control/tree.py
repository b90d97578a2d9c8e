"""A model as a tree of joints, and its dynamics in joint coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.kernels.bodies import tree as kernels
from signorini.kernels.bodies.tree import TreeMotion, TreeTable
from signorini.math.rotations import matrix
from signorini.math.sparse import Array, Indices
from signorini.model.component import Joint
from signorini.model.coordinate import WORLD
from signorini.model.joints.cylindrical import Cylindrical
from signorini.model.joints.fixed import Fixed
from signorini.model.joints.framed import Framed
from signorini.model.joints.prismatic import Prismatic
from signorini.model.joints.revolute import Revolute
from signorini.model.joints.spherical import Spherical
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.state import State
from signorini.problem.errors import ModelError

TREE_JOINTS = (Revolute, Prismatic, Cylindrical, Spherical, Fixed)
FREE = ("x", "y", "z", "turn x", "turn y", "turn z")
BALL = ("turn x", "turn y", "turn z")


class Tree:
    """Joint coordinates of a model whose joints make no loop.

    First the bodies that nothing ties to the ground, 6 coordinates each (centre of mass in the world, turns in the body
    frame: the velocities of a `State`), then the joints in the order of the model: 1 of a revolute or prismatic joint,
    2 of a cylindrical one (angle, then position), 3 of a ball joint (turns of b against a in the frame of b), none of
    a fixed one. Motors do not count: they act in these coordinates.
    """

    names: tuple[str, ...]
    """Of the coordinates: that of the joint, with a suffix where it has more than one."""

    def __init__(self, model: Model) -> None:
        if model.flexibles:
            raise ModelError("joint coordinates are those of rigid bodies; the model has flexible bodies")
        joints = [_checked(joint) for joint in model.joints if not isinstance(joint, CoordinateMotor)]
        self.movable = np.flatnonzero([body.movable for body in model.bodies])
        self.mass = np.array([model.bodies[b].mass for b in self.movable.tolist()])
        self.inertia = np.array([model.bodies[b].inertia for b in self.movable.tolist()]).reshape(-1, 3, 3)
        self.gravity = np.asarray(model.gravity, dtype=np.float64)
        order, outer, roots = _walk(joints, [body.movable for body in model.bodies])
        names = [f"{model.bodies[b].name} {what}" for b in roots for what in FREE]
        turn, slide = np.full(len(joints), -1), np.full(len(joints), -1)
        for k, joint in enumerate(joints):
            if isinstance(joint, Spherical):
                turn[k] = len(names)
                names += [f"{joint.name} {what}" for what in BALL]
                continue
            both = joint.TURNS and joint.SLIDES
            if joint.TURNS:
                turn[k] = len(names)
                names.append(f"{joint.name} angle" if both else joint.name)
            if joint.SLIDES:
                slide[k] = len(names)
                names.append(f"{joint.name} position" if both else joint.name)
        self.names = tuple(names)
        start = np.array([(b, 6 * k) for k, b in enumerate(roots)], dtype=np.int64).reshape(-1, 2)
        self.table = _table(len(names), start, [joints[k] for k in order], outer, turn[order], slide[order])

    def motion(self, state: State) -> TreeMotion:
        """Rates of the coordinates, Jacobians and accelerations of all bodies."""
        arrays = (state.position, state.orientation, state.velocity, state.angular_velocity)
        motion: TreeMotion = kernels.tree_motion(self.table, *(np.ascontiguousarray(part) for part in arrays))
        return motion

    def mass_matrix(self, state: State) -> Array:
        """M(q), symmetric and positive definite, shape (nv, nv)."""
        J = self.motion(state).jacobian
        return np.asarray(kernels.mass_matrix(self.movable, self.mass, self.inertia, state.orientation, J))

    def bias_forces(self, state: State) -> Array:
        """c(q, q') of `M q'' + c = tau`: Coriolis, centrifugal and gyroscopic forces and weight, shape (nv,)."""
        motion, turning = self.motion(state), (state.orientation, state.angular_velocity)
        of_bodies = (self.movable, self.mass, self.inertia, self.gravity)
        return np.asarray(kernels.bias_forces(*of_bodies, *turning, motion.jacobian, motion.acceleration))


def _checked(joint: Joint) -> Framed:
    if not isinstance(joint, TREE_JOINTS):
        kinds = ", ".join(kind.__name__.lower() for kind in TREE_JOINTS)
        raise ModelError(
            f"joint coordinates know joints that are {kinds}; {joint.name!r} is {type(joint).__name__}: "
            "take sim.jacobian(..., coordinates='bodies')"
        )
    return joint


def _walk(joints: Sequence[Framed], movable: Sequence[bool]) -> tuple[list[int], list[int], list[int]]:
    """Joints from the roots outwards, the outer end of each, and the free bodies."""
    at: dict[int, list[int]] = {}
    for k, joint in enumerate(joints):
        for body in (joint.a, joint.b):
            at.setdefault(body, []).append(k)
    ground = [WORLD, *(b for b, moves in enumerate(movable) if not moves)]
    reached, used = set(ground), set[int]()
    order: list[int] = []
    outer: list[int] = []
    roots: list[int] = []
    for root in (*ground, *(b for b, moves in enumerate(movable) if moves)):
        if root not in reached:
            roots.append(root)
            reached.add(root)
        waiting = [root]
        for body in waiting:
            for k in at.get(body, []):
                if k in used:
                    continue
                used.add(k)
                side = 1 if joints[k].a == body else 0
                other = joints[k].b if side else joints[k].a
                if other in reached:
                    raise ModelError(
                        f"joint {joints[k].name!r} closes a loop: joint coordinates are those of trees; "
                        "take sim.jacobian(..., coordinates='bodies')"
                    )
                reached.add(other)
                order.append(k)
                outer.append(side)
                waiting.append(other)
    return order, outer, roots


def _table(
    size: int, roots: Indices, joints: Sequence[Framed], outer: list[int], turn: Indices, slide: Indices
) -> TreeTable:
    frames = [(joint.frame_a, joint.frame_b) for joint in joints]
    return TreeTable(
        size, roots, np.array([(j.a, j.b) for j in joints], dtype=np.int64).reshape(-1, 2),
        np.array(outer, dtype=np.int64), np.asarray(turn, dtype=np.int64), np.asarray(slide, dtype=np.int64),
        np.array([isinstance(j, Spherical) for j in joints], dtype=np.bool_),
        np.array([[f.position for f in pair] for pair in frames], dtype=np.float64).reshape(-1, 2, 3),
        np.array([[matrix(f.orientation) for f in pair] for pair in frames], dtype=np.float64).reshape(-1, 2, 3, 3),
    )  # fmt: skip
