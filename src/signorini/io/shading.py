"""Normals that make faceted round surfaces look round and edges sharp."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from signorini.math.sparse import Array, Indices

SHARP = np.cos(np.radians(40.0))
"""Faces that meet at a larger angle have an edge between them."""


def smooth_corners(vertices: Array, triangles: Indices) -> tuple[Array, Array]:
    """Corners of triangles one after another, and a unit normal for each, shape (3 t, 3) both.

    The normal of a corner is the mean, by area, of those of all triangles at its vertex that are not turned away by
    more than 40 degrees. Vertices at the same place are one.
    """
    corners = vertices[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = area / np.maximum(np.linalg.norm(area, axis=1, keepdims=True), 1e-300)
    _, place = np.unique(vertices, axis=0, return_inverse=True)
    at = place.reshape(-1)[triangles].ravel()
    owner = np.repeat(np.arange(len(triangles)), 3)
    incidence = sp.csr_array((np.ones(len(at)), (at, owner)), shape=(int(at.max()) + 1, len(triangles)))
    # Row c of `around` holds the triangles at the vertex of corner c.
    around = incidence[at].tocoo()
    corner, face = around.row, around.col
    smooth = np.einsum("ij,ij->i", unit[owner[corner]], unit[face]) >= SHARP
    normals = np.zeros((len(at), 3))
    np.add.at(normals, corner[smooth], area[face[smooth]])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 1e-300, normals / np.maximum(length, 1e-300), np.array([0.0, 0.0, 1.0]))
    return corners.reshape(-1, 3), normals
