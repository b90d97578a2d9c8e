"""The part of a model that is about flexible bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.rotations import conjugate, matrix
from signorini.math.sparse import Array, Indices
from signorini.model.build import Contact, Start
from signorini.model.checks import numbers, vector
from signorini.model.component import Flexible, Joint, NodeForce
from signorini.model.flexible_body import FlexibleBody, HeldNodes
from signorini.model.forces.node_force import LoadFunction, NodeLoad
from signorini.model.forces.surface_load import SurfaceLoad
from signorini.model.joints.joined_points import JoinedPoints, MaterialPoint
from signorini.model.joints.nodes_on_body import NodesOnBody
from signorini.model.material import Material
from signorini.model.motion import CheckedMotion
from signorini.model.parts import BodyLike, Parts
from signorini.model.skin import nearest_point
from signorini.problem.errors import ModelError

ORIGIN = (0.0, 0.0, 0.0)
NO_ROTATION = (1.0, 0.0, 0.0, 0.0)
SAME_PLACE = 1e-9
"""How far [m] a motion of nodes may start from where they are."""

NodeChoice = Callable[[Array], Any] | ArrayLike
"""Numbers of nodes of a flexible body, or a condition on their points at t = 0, as `lambda x: x[:, 0] < 0.1`."""


class Flexibles(Parts):
    """What `Model` knows of flexible bodies."""

    flexibles: list[FlexibleBody]
    """In the order in which they were added."""
    held: list[HeldNodes]
    """Nodes whose motion is known."""
    node_forces: list[NodeForce]
    """Loads on nodes, explicit in the step."""

    def __init__(self) -> None:
        super().__init__()
        self.flexibles, self.held, self.node_forces = [], [], []

    @property
    def node_count(self) -> int:
        """Nodes of all flexible bodies."""
        return sum(body.count for body in self.flexibles)

    def add_flexible(
        self,
        flexible: Flexible,
        *,
        position: ArrayLike = ORIGIN,
        orientation: ArrayLike = NO_ROTATION,
        velocity: ArrayLike = ORIGIN,
        angular_velocity: ArrayLike = ORIGIN,
        material: Material | None = None,
        name: str | None = None,
        group: int = 1,
        mask: int = -1,
        margin: float | None = None,
        self_contact: bool = True,
    ) -> FlexibleBody:
        """Add a flexible body such as `SoftBody(mesh, material)` or a `Cable`.

        `position` [m] and `orientation` place the frame of its mesh; it starts undeformed with `velocity` [m/s] at the
        origin of that frame and `angular_velocity` [rad/s] in it. `material` is that of the surface.
        """
        name = self._new_flexible_name(name, flexible)
        start = Start(position, orientation, velocity, angular_velocity).checked(name)
        R, t = matrix(start.orientation), flexible.translation
        turned = flexible.rest @ R.T
        body = FlexibleBody(
            name=name,
            flexible=flexible,
            first=self.node_count,
            position=turned + np.outer(t, start.position),
            velocity=np.cross(R @ start.angular_velocity, turned) + np.outer(t, start.velocity),
            self_contact=bool(self_contact),
            **Contact(material, group, mask, margin).checked(name),
        )
        self.flexibles.append(body)
        return body

    def hold_nodes(
        self, body: FlexibleBody | str, nodes: NodeChoice, motion: Callable[[float], Any] | None = None
    ) -> HeldNodes:
        """Fix nodes, or let them move like points of a rigid body.

        `motion` is time -> (displacement [m], quaternion), applied to the nodes as they are at t = 0; the quaternion
        turns about the origin of the world. It must start with no displacement.
        """
        owner = self.flexible_body(body)
        chosen = self._nodes(owner, nodes)
        taken = [node for held in self.held for node in np.intersect1d(chosen, held.nodes).tolist()]
        if taken:
            raise ModelError(f"node {taken[0] - owner.first} of {owner.name!r} is held already")
        checked = None if motion is None else CheckedMotion(motion, owner.name)
        local = chosen - owner.first
        held = HeldNodes(chosen, owner.position[local], owner.flexible.translation[local], checked)
        off = float(np.abs(held.position(0.0) - held.start).max())
        if off > SAME_PLACE:
            raise ModelError(f"the motion of nodes of {owner.name!r} starts {off:g} m away from them, expected 0")
        self.held.append(held)
        return held

    def attach_nodes(self, body: FlexibleBody | str, nodes: NodeChoice, to: BodyLike, name: str | None = None) -> Joint:
        """Glue nodes to a rigid body, which may be fixed or have a motion."""
        owner, index = self.flexible_body(body), self.body_index(to)
        chosen = self._nodes(owner, nodes)
        rigid = self.bodies[index]
        local = (owner.position[chosen - owner.first] - rigid.position) @ matrix(rigid.orientation)
        return self._add_joint(NodesOnBody(self._part_name(name, "glue"), chosen, index, local))

    def attach_point(
        self,
        body: FlexibleBody | str,
        point: ArrayLike,
        to: FlexibleBody | BodyLike | None = None,
        name: str | None = None,
    ) -> Joint:
        """Join the point of the surface nearest to `point` [m] (world, t = 0) by a ball joint: to a rigid body, to the
        nearest point of another flexible one, or, without `to`, to where it is in the world."""
        owner = self.flexible_body(body)
        a = self._surface_point(owner, vector(point, f"point of {owner.name!r}"))
        place = a.weights @ np.concatenate([f.position for f in self.flexibles])[a.nodes]
        if to is None:
            b = MaterialPoint(local=np.asarray(place))
        elif isinstance(to, FlexibleBody) or (isinstance(to, str) and any(f.name == to for f in self.flexibles)):
            b = self._surface_point(self.flexible_body(to), place)
        else:
            index = self.body_index(to)
            rigid = self.bodies[index]
            b = MaterialPoint(body=index, local=matrix(conjugate(rigid.orientation)) @ (place - rigid.position))
        return self._add_joint(JoinedPoints(self._part_name(name, "pin"), a, b))

    def add_node_force(self, body: FlexibleBody | str, nodes: NodeChoice, force: ArrayLike | LoadFunction) -> NodeForce:
        """Apply a force [N] (world) to each of the nodes: a vector, or a function (time, state) -> vector."""
        owner = self.flexible_body(body)
        chosen = self._nodes(owner, nodes)
        function = force if callable(force) else None
        value = np.zeros(3) if callable(force) else vector(force, f"force on nodes of {owner.name!r}")
        load = NodeLoad(chosen, np.tile(value, (len(chosen), 1)), function, owner.name)
        self.node_forces.append(load)
        return load

    def add_surface_load(
        self,
        body: FlexibleBody | str,
        where: Callable[[Array], Any],
        pressure: float = 0.0,
        traction: ArrayLike = ORIGIN,
    ) -> NodeForce:
        """Load the triangles of the surface whose middles at t = 0 fulfil `where`, with a pressure [Pa] that follows
        them (positive pushes inwards) and a traction [Pa] that keeps its direction (world)."""
        owner = self.flexible_body(body)
        skin = owner.flexible.skin
        if not len(skin.triangles):
            raise ModelError(f"{owner.name!r} has no faces to load; use add_node_force")
        if not np.all(skin.weights[:, 0] == 1.0):
            raise ModelError(f"the surface of {owner.name!r} is not made of nodes; use add_node_force")
        middles = skin.points(owner.position)[skin.triangles].mean(axis=1)
        chosen = _fulfilled(where, middles, f"triangles of {owner.name!r}")
        local = skin.nodes[skin.triangles[chosen], 0]
        p = owner.position[local]
        areas = 0.5 * np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
        value = float(numbers(pressure, "pressure"))
        load = SurfaceLoad(owner.first + local, value, vector(traction, "traction"), areas)
        self.node_forces.append(load)
        return load

    def _add_joint(self, joint: Joint) -> Joint:
        self.joints.append(joint)
        self._part_names.add(joint.name)
        return joint

    def flexible_body(self, body: FlexibleBody | str) -> FlexibleBody:
        """A flexible body of this model, given itself or its name."""
        for known in self.flexibles:
            if known is body or known.name == body:
                return known
        names = ", ".join(known.name for known in self.flexibles) or "none yet"
        raise ModelError(f"no flexible body {getattr(body, 'name', body)!r} in this model; there are {names}")

    def _initial_nodes(self) -> tuple[Array, Array]:
        """Positions and velocities of all nodes at t = 0."""
        if not self.flexibles:
            return np.zeros((0, 3)), np.zeros((0, 3))
        position = np.concatenate([body.position for body in self.flexibles])
        velocity = np.concatenate([body.velocity for body in self.flexibles])
        for held in self.held:
            velocity[held.nodes] = held.first_velocity()
        return position, velocity

    def _nodes(self, owner: FlexibleBody, nodes: NodeChoice) -> Indices:
        """Numbers among the nodes of a state, rising."""
        what = f"nodes of {owner.name!r}"
        if callable(nodes):
            chosen = _fulfilled(nodes, owner.position, what)
            chosen = chosen[owner.flexible.translation[chosen] > 0]
        else:
            given = numbers(nodes, what).reshape(-1)
            chosen = np.unique(given.astype(np.int64))
            inside = not len(chosen) or 0 <= chosen[0] <= chosen[-1] < owner.count
            if not inside or np.any(given != given.astype(np.int64)):
                raise ModelError(f"{what} are numbered 0 to {owner.count - 1}, found {given.tolist()[:8]}")
        if not len(chosen):
            raise ModelError(f"no {what} were chosen; check the condition against its position in the world")
        return chosen + owner.first

    def _surface_point(self, owner: FlexibleBody, point: Array) -> MaterialPoint:
        nodes, weights = nearest_point(owner.flexible.skin, owner.position, point)
        return MaterialPoint(nodes + owner.first, weights)

    def _new_flexible_name(self, name: str | None, flexible: Flexible) -> str:
        flexible_names = {known.name for known in self.flexibles}
        if name is None:
            number, kind = len(self.flexibles), type(flexible).__name__.lower()
            while f"{kind}-{number}" in flexible_names or self.bodies.find(f"{kind}-{number}") >= 0:
                number += 1
            return f"{kind}-{number}"
        if not isinstance(name, str) or not name:
            raise ModelError(f"name is {name!r}, expected a text that is not empty")
        if name in flexible_names or self.bodies.find(name) >= 0:
            raise ModelError(f"there is a body named {name!r} already; names are unique: pass another name=...")
        return name


def _fulfilled(condition: Callable[[Array], Any], points: Array, what: str) -> Indices:
    answer = np.asarray(condition(points))
    if answer.dtype != np.bool_ or answer.shape != (len(points),):
        raise ModelError(
            f"the condition on {what} gave {answer.dtype} of shape {answer.shape}, expected {len(points)} truth "
            "values, as from lambda x: x[:, 0] < 0.1"
        )
    chosen = np.flatnonzero(answer)
    if not len(chosen):
        raise ModelError(f"no {what} fulfil the condition; points are in the world, at t = 0")
    return chosen
