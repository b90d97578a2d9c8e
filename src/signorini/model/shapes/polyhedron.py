"""Volumes and topology of triangulated surfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from signorini.math.sparse import Array, Indices
from signorini.model.shapes.descriptor import MassProperties
from signorini.problem.errors import ModelError


def solid_properties(vertices: Array, triangles: Indices) -> MassProperties:
    """Of the solid inside a closed surface whose triangles turn counter-clockwise seen from outside.

    Divergence theorem: the sum over the tetrahedra, of signed volume, that the triangles span with one point. A
    negative volume means that the surface is inside out.
    """
    # Vertices far from the origin would lose digits: the apex is among them.
    apex = vertices[np.unique(triangles)].mean(axis=0)
    corners = vertices[triangles] - apex
    volumes = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    volume = float(volumes.sum())
    total = corners.sum(axis=1)
    centre = np.einsum("t,ti->i", volumes, total) / (4.0 * volume)
    # Integral of x x' over a tetrahedron with one corner in the origin: V/20 (sum of x_k x_k' + s s'), s = sum of x_k.
    second = np.einsum("t,tki,tkj->ij", volumes, corners, corners) + np.einsum("t,ti,tj->ij", volumes, total, total)
    spread = second / 20.0 - volume * np.outer(centre, centre)
    return MassProperties(volume, apex + centre, np.trace(spread) * np.eye(3) - spread)


def checked_triangles(value: Any, vertices: int, what: str) -> Indices:
    """Indices of vertices, shape (triangles, 3); a fresh, read-only array."""
    given = np.array(value)
    if given.ndim != 2 or given.shape[1] != 3 or not len(given):
        raise ModelError(f"{what} have shape {given.shape}, expected (triangles, 3)")
    if not np.issubdtype(given.dtype, np.integer):
        raise ModelError(f"{what} are of type {given.dtype}, expected integers: places in the list of vertices")
    if given.min() < 0 or given.max() >= vertices:
        raise ModelError(f"{what} name vertices {given.min()} to {given.max()}, expected 0 to {vertices - 1}")
    result = given.astype(np.int64)
    result.setflags(write=False)
    return result


def merged(vertices: Array, triangles: Indices) -> Indices:
    """The triangles with vertices at the same place taken for one (as files of loose triangles need it)."""
    _, place = np.unique(vertices, axis=0, return_inverse=True)
    return np.asarray(place.reshape(-1)[triangles], dtype=np.int64)


def is_closed(triangles: Indices) -> bool:
    """Whether every edge is run through as often in one direction as in the other."""
    count = int(triangles.max()) + 1
    starts = triangles.ravel()
    ends = np.roll(triangles, -1, axis=1).ravel()
    directed = sp.csr_array((np.ones(len(starts), dtype=np.int64), (starts, ends)), shape=(count, count))
    return bool(abs(directed - directed.T).sum() == 0)


def edge_components(triangles: Indices) -> list[Indices]:
    """Places of the triangles of each part of the surface that hangs together by edges of two triangles.

    Edges of more than two triangles do not tie: there, solids that touch along an edge meet.
    """
    edges = np.sort(np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=2).reshape(-1, 2), axis=1)
    _, edge, users = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    edge, owner = edge.reshape(-1), np.repeat(np.arange(len(triangles)), 3)
    ties = users[edge] == 2
    shape = (len(triangles), len(users))
    links = sp.csr_array((np.ones(np.count_nonzero(ties)), (owner[ties], edge[ties])), shape=shape)
    count, label = connected_components(links @ links.T, directed=False)
    return [np.flatnonzero(label == k) for k in range(count)]
