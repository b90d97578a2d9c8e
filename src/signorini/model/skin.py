"""The surface of a flexible body, as far as contact is concerned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.collision.mesh import on_triangle
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices

MOST_NODES = 4
"""That a point of a skin depends on: three corners of a triangle, or the ends and slopes of a piece of cable."""


@dataclass(frozen=True, eq=False)
class Skin:
    """Points that move with the nodes, and triangles and lines between them.

    A point is `sum weight * node`. Points and lines may be thick: they are balls and round bars of radius `radius`;
    triangles bound a solid and have no thickness.
    """

    nodes: Indices
    """Nodes that each point depends on, -1 for none, shape (points, 4)."""
    weights: Array
    """Their weights, 0 for none, shape (points, 4)."""
    triangles: Indices
    """Points at the corners, counter-clockwise seen from outside, shape (triangles, 3)."""
    lines: Indices
    """Points at the ends of round bars, shape (lines, 2)."""
    radius: float = 0.0
    """[m]."""

    @classmethod
    def of_triangles(cls, surface: Indices) -> Skin:
        """The surface of a solid, given by triangles of nodes; other nodes are inside and touch nothing."""
        used, place = np.unique(surface, return_inverse=True)
        nodes = np.full((len(used), MOST_NODES), -1, dtype=np.int64)
        weights = np.zeros((len(used), MOST_NODES))
        nodes[:, 0], weights[:, 0] = used, 1.0
        return cls(nodes, weights, place.reshape(-1, 3).astype(np.int64), np.zeros((0, 2), dtype=np.int64))

    def points(self, values: Array) -> Array:
        """Values of nodes (positions, velocities), shape (nodes, 3), at the points, shape (points, 3)."""
        return np.asarray(np.einsum("pk,pki->pi", self.weights, values[self.nodes]))

    @cached_property
    def edges(self) -> Indices:
        """Edges of the triangles, each once, shape (edges, 2)."""
        ends = np.sort(self.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        return np.unique(ends, axis=0) if len(ends) else np.zeros((0, 2), dtype=np.int64)


def nearest_point(skin: Skin, values: Array, point: Array) -> tuple[Indices, Array]:
    """Nodes and weights of the point of a skin nearest to `point`; `values` are the positions of the nodes."""
    places = skin.points(values)
    if len(skin.triangles):
        corner, share = _nearest_on(places[skin.triangles], point)
        chosen = skin.triangles[corner]
    else:
        chosen, share = np.array([int(np.argmin(((places - point) ** 2).sum(axis=1)))]), np.ones(1)
    nodes, weights = skin.nodes[chosen].reshape(-1), (share[:, None] * skin.weights[chosen]).reshape(-1)
    used, place = np.unique(nodes[weights != 0.0], return_inverse=True)
    return used.astype(np.int64), np.bincount(place, weights[weights != 0.0]).astype(np.float64)


def _nearest_on(corners: Array, point: Array) -> tuple[int, Array]:
    """The triangle nearest to a point and the weights of its corners there."""
    best, where = np.inf, (0, np.array([1.0, 0.0, 0.0]))
    order = np.argsort(np.linalg.norm(corners.mean(axis=1) - point, axis=1))
    reach = np.linalg.norm(corners - corners.mean(axis=1, keepdims=True), axis=2).max(axis=1)
    for t in order:
        if np.linalg.norm(corners[t].mean(axis=0) - point) - reach[t] > best:
            continue
        v, w = on_triangle(np.ascontiguousarray(point), *(np.ascontiguousarray(c) for c in corners[t]))
        weights = np.array([1.0 - v - w, v, w])
        distance = float(np.linalg.norm(weights @ corners[t] - point))
        if distance < best:
            best, where = distance, (int(t), weights)
    return where
