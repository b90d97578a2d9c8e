"""Layers of hexahedra between the surface of a solid inside and a rounder one around it."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array, Indices


def with_layers(points: Array, cells: Indices, quads: Indices, target: Array, layers: int) -> tuple[Array, Indices]:
    """Add `layers` of cells outside the surface `quads` (outward), up to the points `target` of its nodes.

    `target` has one row per node of the mesh; rows of nodes inside are not used.
    """
    border = np.unique(quads)
    place = np.full(len(points), -1, dtype=np.int64)
    place[border] = np.arange(len(border))
    shares = np.arange(1, layers + 1) / layers
    shells = [points[border] + share * (target[border] - points[border]) for share in shares]
    inner, added = quads, []
    for k in range(layers):
        outer = len(points) + k * len(border) + place[quads]
        added.append(np.hstack((inner, outer)))
        inner = outer
    return np.vstack((points, *shells)), np.vstack((cells, *added))
