"""Rigid shapes with a signed distance, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.skin.distance import BALL, BRICK, EGG, HULL, PLANE, POINTED, ROD, STADIUM, Distances
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cone import Cone
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere


def row_of(shape: Shape) -> tuple[int, tuple[float, ...], float] | None:
    """Kind, three parameters and core radius; None for surfaces, which have triangles only."""
    match shape:
        case Sphere():
            return BALL, (shape.radius, 0.0, 0.0), shape.radius
        case Capsule():
            return STADIUM, (shape.radius, 0.5 * shape.length, 0.0), shape.radius
        case Box():
            x, y, z = (0.5 * s for s in shape.size)
            return BRICK, (x, y, z), min(x, y, z)
        case Cylinder():
            r, half = shape.radius, 0.5 * shape.length
            return ROD, (r, half, 0.0), min(r, half)
        case Cone():
            r, half = shape.radius, 0.5 * shape.height
            return POINTED, (r, half, 0.0), 2.0 * r * half / (r + np.hypot(r, 2.0 * half))
        case Ellipsoid():
            return EGG, tuple(shape.radii), min(shape.radii)
        case HalfSpace():
            return PLANE, tuple(shape.normal), 1.0
        case ConvexHull():
            return HULL, (0.0, 0.0, 0.0), 0.5 * float(np.ptp(shape.vertices, axis=0).min())
    return None


def distances_of(shapes: Sequence[Shape]) -> tuple[Distances, NDArray[np.bool_]]:
    """The arrays for the kernels, and which shapes have a distance."""
    rows = [row_of(shape) for shape in shapes]
    known: list[Any] = [(-1, (0.0, 0.0, 0.0), 0.0) if row is None else row for row in rows]
    planes: list[Array] = [np.zeros((0, 4))]
    corners: list[Array] = [np.zeros((0, 3, 3))]
    start = [0]
    for shape in shapes:
        if isinstance(shape, ConvexHull):
            faces = _faces(shape.vertices, shape.triangles)
            planes.append(faces[0])
            corners.append(faces[1])
        start.append(sum(len(part) for part in planes))
    table = Distances(
        kind=np.array([row[0] for row in known], dtype=np.int64),
        param=np.array([row[1] for row in known], dtype=np.float64).reshape(-1, 3),
        core=np.array([row[2] for row in known], dtype=np.float64),
        face_start=np.array(start, dtype=np.int64),
        planes=np.concatenate(planes),
        corners=np.concatenate(corners),
    )
    return table, np.array([row is not None for row in rows], dtype=bool)


def _faces(vertices: Array, triangles: Indices) -> tuple[Array, Array]:
    corners = np.asarray(vertices)[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    kept = length > 1e-12 * float(length.max())
    normal, corners = normal[kept] / length[kept, None], corners[kept]
    return np.column_stack((normal, np.einsum("fi,fi->f", normal, corners[:, 0]))), corners
