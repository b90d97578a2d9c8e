"""Rigid shapes with a signed distance, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.skin.distance import NONE, Distances
from signorini.math.sparse import Array
from signorini.model.shapes.descriptor import SignedDistance, SurfaceMesh
from signorini.model.shapes.shape import Shape


def distances_of(shapes: Sequence[Shape]) -> tuple[Distances, NDArray[np.bool_]]:
    """The arrays for the kernels, and which shapes have a distance."""
    rows = [shape.signed_distance() for shape in shapes]
    known = [SignedDistance(NONE, 0.0) if row is None else row for row in rows]
    faces = [_faces(row.mesh) for row in known]
    table = Distances(
        kind=np.array([row.kind for row in known], dtype=np.int64),
        param=np.array([row.parameters for row in known], dtype=np.float64).reshape(-1, 3),
        core=np.array([row.core for row in known], dtype=np.float64),
        face_start=np.cumsum([0, *(len(planes) for planes, _ in faces)], dtype=np.int64),
        planes=np.concatenate([np.zeros((0, 4)), *(planes for planes, _ in faces)]),
        corners=np.concatenate([np.zeros((0, 3, 3)), *(corners for _, corners in faces)]),
    )
    return table, np.array([row is not None for row in rows], dtype=bool)


def _faces(mesh: SurfaceMesh | None) -> tuple[Array, Array]:
    """Planes (normal, offset) and corners of triangles that are not degenerate."""
    if mesh is None:
        return np.zeros((0, 4)), np.zeros((0, 3, 3))
    corners = mesh.vertices[mesh.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    kept = length > 1e-12 * float(length.max())
    normal, corners = normal[kept] / length[kept, None], corners[kept]
    return np.column_stack((normal, np.einsum("fi,fi->f", normal, corners[:, 0]))), corners
