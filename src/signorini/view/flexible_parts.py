"""Flexible bodies as coloured triangles and balls."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from signorini.fe.soft_body import SoftBody
from signorini.fe.stress import at_nodes, von_mises
from signorini.math.sparse import Array
from signorini.model.flexible_body import FlexibleBody
from signorini.model.model import Model
from signorini.model.state import State

LOWEST_STRESS = 1e-6
"""Of Young's modulus: below it a body is free of stress, and its colours would show round-off."""
BALLS_PER_LINE = 6
HIGH = 99.0
"""Percentile of the stress that gets the last colour: a few corners shall not darken the rest."""
ROPE = np.array([0.55, 0.38, 0.22])


@dataclass(frozen=True, eq=False)
class SoftPart:
    """One flexible body as it is seen."""

    index: int
    """Number of the body, counted on from the rigid ones."""
    corners: Array
    """Of its triangles, world [m], shape (triangles, 3, 3)."""
    normals: Array
    """At the corners, shape (triangles, 3, 3)."""
    colours: Array
    """Red, green, blue at the corners, shape (triangles, 3, 3)."""
    balls: Array
    """Centres of balls that stand for a cable [m], shape (balls, 3)."""
    radius: float
    """Of the balls [m]."""

    @property
    def points(self) -> Array:
        """All that has to be in the picture [m], shape (points, 3)."""
        return np.concatenate((self.corners.reshape(-1, 3), self.balls))


def stresses_of(model: Model, state: State) -> list[Array]:
    """Von Mises stress at the points of the skin of each flexible body [Pa]; empty for those without stress."""
    return [_stress(body, state) for body in model.flexibles]


def stress_scale(model: Model, states: Iterable[State]) -> float:
    """The stress of the last colour [Pa], one for all states; 0 when nothing is stressed."""
    return max((_high(stresses_of(model, state)) for state in states), default=0.0)


def soft_parts(model: Model, state: State, top: float) -> list[SoftPart]:
    """The flexible bodies of a model; a stress of `top` [Pa] has the last colour."""
    pairs = enumerate(zip(model.flexibles, stresses_of(model, state), strict=True), start=len(model.bodies))
    return [_part(index, body, stress, top, state) for index, (body, stress) in pairs]


def stress_note(top: float) -> str:
    """A few words on what the colours mean; empty without stress."""
    if top <= 0:
        return ""
    power = 3 * math.floor(math.log10(top) / 3)
    unit = {-3: "mPa", 0: "Pa", 3: "kPa", 6: "MPa", 9: "GPa"}.get(power, f"1e{power} Pa")
    return f"von Mises stress from 0 (violet) to {top / 10.0**power:.3g} {unit} (yellow)"


def _high(stresses: list[Array]) -> float:
    seen = [values for values in stresses if len(values)]
    return float(np.percentile(np.concatenate(seen), HIGH)) if seen else 0.0


def _stress(body: FlexibleBody, state: State) -> Array:
    """At the points of the skin [Pa]; empty for bodies without stress."""
    flexible = body.flexible
    if not isinstance(flexible, SoftBody):
        return np.zeros(0)
    stress, _ = flexible.stress(state.node_position[body.nodes])
    values = von_mises(at_nodes(flexible.mesh, stress))[flexible.skin.nodes[:, 0]]
    return np.where(values > LOWEST_STRESS * flexible.material.young, values, 0.0)


def _part(index: int, body: FlexibleBody, stress: Array, top: float, state: State) -> SoftPart:
    skin = body.flexible.skin
    points = skin.points(state.node_position[body.nodes])
    corners = points[skin.triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for k in range(3):
        np.add.at(normals, skin.triangles[:, k], flat)
    share = np.linspace(0.0, 1.0, BALLS_PER_LINE, endpoint=False)[:, None]
    ends = points[skin.lines]
    balls = [(1.0 - share) * a + share * b for a, b in ends]
    return SoftPart(
        index=index,
        corners=corners,
        normals=_kept_edges(normals[skin.triangles], flat),
        colours=_colours(stress[skin.triangles] if len(stress) else np.zeros((len(corners), 3)), top),
        balls=np.concatenate(balls) if balls else np.zeros((0, 3)),
        radius=skin.radius,
    )


def _kept_edges(smooth: Array, flat: Array) -> Array:
    """Normals of corners: those of the face where the surface has an edge, else the mean of the faces."""
    unit = flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)
    mean = smooth / np.maximum(np.linalg.norm(smooth, axis=2, keepdims=True), 1e-300)
    sharp = np.einsum("tki,ti->tk", mean, unit) < 0.9
    return np.asarray(np.where(sharp[..., None], unit[:, None], mean))


def _colours(values: Array, top: float) -> Array:
    """From violet over green to yellow."""
    from matplotlib import colormaps

    share = np.clip(values / top, 0.0, 1.0) if top > 0 else np.full(values.shape, 0.35)
    return np.asarray(colormaps["viridis"](share))[..., :3]
