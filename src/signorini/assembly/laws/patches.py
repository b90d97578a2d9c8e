"""Surfaces of flexible bodies where something touches them: how fast they turn, and where their grain points.

A contact touches a node, an edge or the inside of a triangle of a skin; its patch is the triangles there. With the
shape functions N_k of a triangle, its normal n and gradients along the surface, velocities v_k of the corners turn it
at

    w = sum_k B_k v_k,      B_k = -(n x grad N_k) n' + n (n x grad N_k)' / 2,

which is the angular velocity where the triangle moves as a rigid body; a patch turns at the mean of its triangles by
area. A torque T on it acts as the forces `B_k' T` on the corners: their sum is 0 and their moment is T, so that linear
and angular momentum are kept.

A direction a in the frame of the mesh is drawn on the surface and goes with it: `sum_k x_k (a . grad N_k)` with the
gradients at rest. A cable has no twist, so its surface neither turns about the cable nor has a direction but along it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.masses import Masses
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array, Indices
from signorini.model.flexible_body import FlexibleBody
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError

LEAST_ALONG = 0.1
"""Cosine between a grain and a cable, at least."""
NO_TWIST = "a cable has no twist, so nothing in it could take up their torques; leave them out of its materials"


@dataclass(frozen=True, eq=False)
class Patches:
    """Of all flexible bodies of a model."""

    triangles: Indices
    """Nodes at the corners, among those of a state, shape (triangles, 3)."""
    at_node: dict[int, set[int]]
    """Triangles at each node."""
    rest: Array
    """Nodes in the frames of their meshes [m], shape (nodes, 3)."""
    slopes: Indices
    """Node of the slope that belongs to each place of a cable, -1 for other nodes, shape (nodes,)."""
    column: Indices
    """Of each velocity of each node in the problem, -1 where it is known, shape (nodes, 3)."""
    velocities: int
    """Number of unknown velocities of everything."""

    @classmethod
    def of(cls, model: Model, masses: Masses) -> Patches | None:
        """Of a model; None where no law asks for them."""
        materials = [body.material for _, _, body in model.bodies.kinds]
        materials += [pair.material for pair in model.pair_materials] + [body.material for body in model.flexibles]
        if not model.flexibles or not any(_turns(one) or one.direction is not None for one in materials):
            return None
        for body in model.flexibles:
            _check(body, materials)
        triangles = [body.first + body.flexible.skin.nodes[body.flexible.skin.triangles, 0] for body in model.flexibles]
        every = np.concatenate([t.reshape(-1, 3) for t in triangles]).astype(np.int64)
        at_node: dict[int, set[int]] = {}
        for t, corners in enumerate(every.tolist()):
            for node in corners:
                at_node.setdefault(node, set()).add(t)
        slopes = np.full(model.node_count, -1, dtype=np.int64)
        for body in model.flexibles:
            if not len(body.flexible.skin.triangles):
                places = body.first + np.flatnonzero(body.flexible.translation > 0)
                slopes[places] = places + 1
        rest = np.concatenate([body.flexible.rest for body in model.flexibles])
        column = masses.column[6 * len(model.bodies) :].reshape(-1, 3)
        return cls(every, at_node, rest, slopes, column, masses.velocities)

    def spin(self, state: State, contacts: Contacts, contact: int, side: int) -> tuple[Indices, Array]:
        """Nodes that one side of a contact turns with, and B of each, shape (nodes, 3, 3)."""
        chosen = self._patch(contacts, contact, side)
        if not len(chosen):
            raise ModelError(f"rolling_friction or spinning_friction acts between a cable and another body: {NO_TWIST}")
        corners = self.triangles[chosen]
        slopes, normal, area = _gradients(state.node_position[corners])
        swept = np.cross(normal[:, None, :], slopes) * (area / area.sum())[:, None, None]
        B = 0.5 * normal[:, None, :, None] * swept[:, :, None, :] - swept[:, :, :, None] * normal[:, None, None, :]
        nodes, place = np.unique(corners, return_inverse=True)
        out = np.zeros((len(nodes), 3, 3))
        np.add.at(out, place.reshape(-1), B.reshape(-1, 3, 3))
        return nodes, out

    def direction(self, state: State, contacts: Contacts, contact: int, side: int, drawn: Array) -> Array:
        """Where a direction in the frame of the mesh points now, shape (3,)."""
        chosen = self._patch(contacts, contact, side)
        if not len(chosen):
            return self._along(state, contacts, contact, side, drawn)
        corners = self.triangles[chosen]
        slopes, _, area = _gradients(self.rest[corners])
        way = np.einsum("tki,tk->ti", state.node_position[corners], slopes @ drawn)
        return np.asarray(area @ way / area.sum())

    def _along(self, state: State, contacts: Contacts, contact: int, side: int, drawn: Array) -> Array:
        """The tangent of a cable, on the side of `drawn`."""
        nodes, weights = (x[contact - contacts.rigid, side] for x in (contacts.sides.nodes, contacts.sides.weights))
        places = (nodes >= 0) & (self.slopes[nodes] >= 0)
        slopes, share = self.slopes[nodes[places]], weights[places]
        return np.asarray(np.sign(share @ self.rest[slopes] @ drawn) * (share @ state.node_position[slopes]))

    def _patch(self, contacts: Contacts, contact: int, side: int) -> Indices:
        """Triangles that have all nodes that one side of a contact moves with; none on cables."""
        k = contact - contacts.rigid
        nodes = contacts.sides.nodes[k, side][contacts.sides.weights[k, side] > 0.0]
        found = [self.at_node.get(node, set()) for node in nodes.tolist()]
        common = set.intersection(*found) or set.union(*found)
        return np.array(sorted(common), dtype=np.int64)


def _gradients(x: Array) -> tuple[Array, Array, Array]:
    """Of the shape functions along triangles [1/m], (t, 3, 3), unit normals (t, 3) and twice the areas (t,)."""
    cross = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    area = np.maximum(np.linalg.norm(cross, axis=1), 1e-300)
    normal = cross / area[:, None]
    opposite = np.roll(x, -2, axis=1) - np.roll(x, -1, axis=1)
    return np.cross(normal[:, None, :], opposite) / area[:, None, None], normal, area


def _turns(material: Material) -> bool:
    return material.rolling_friction > 0 or material.spinning_friction > 0


def _check(body: FlexibleBody, materials: list[Material]) -> None:
    """Cables have no surface that could turn about them, or have a direction across them."""
    if len(body.flexible.skin.triangles):
        return
    if _turns(body.material):
        raise ModelError(
            f"{body.name!r} is a cable, and its material has rolling_friction or spinning_friction: {NO_TWIST}"
        )
    grain = body.material.direction
    slopes = body.flexible.rest[body.flexible.translation == 0.0]
    if grain is not None and np.abs(slopes @ grain).min() < LEAST_ALONG * np.linalg.norm(grain):
        raise ModelError(
            f"{body.name!r} is a cable, and the direction {grain} of its material runs across it somewhere: a cable "
            "has no twist, so no direction but its own goes with it; give one along it"
        )
