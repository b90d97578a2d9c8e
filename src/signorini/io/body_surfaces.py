"""Rigid bodies as triangles, for files of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.math.rotations import conjugate, matrix, normals_to, rotate
from signorini.math.sparse import Array, Indices
from signorini.model.body import Body
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Placed

SHOWN = 1.5
"""Half the side of the square that stands for a plane, over the size of the scene."""
NO_TRIANGLES: Indices = np.zeros((0, 3), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class BodySurface:
    """Triangles of all shapes of a body, in its frame."""

    vertices: Array
    """[m], shape (n, 3)."""
    triangles: Indices
    """Places in `vertices`, shape (t, 3)."""


def body_surfaces(model: Model) -> list[BodySurface]:
    """Of all rigid bodies; planes are squares as large as the scene at t = 0."""
    centre, size = _scene(model)
    return [_surface(body, centre, size) for body in model.bodies]


def _surface(body: Body, centre: Array, size: float) -> BodySurface:
    vertices, triangles, count = [], [], 0
    for placed in body.shapes:
        points, faces = _placed(placed, body, centre, size)
        vertices.append(points)
        triangles.append(faces + count)
        count += len(points)
    if not vertices:
        return BodySurface(np.zeros((0, 3)), NO_TRIANGLES)
    return BodySurface(np.concatenate(vertices), np.concatenate(triangles))


def _placed(placed: Placed, body: Body, centre: Array, size: float) -> tuple[Array, Indices]:
    shape = placed.shape
    if isinstance(shape, HalfSpace):
        points, faces = _square(placed, shape, body, centre, size)
    else:
        mesh = shape.mesh()
        points, faces = np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.triangles, dtype=np.int64)
    return points @ matrix(placed.orientation).T + placed.position, faces


def _square(placed: Placed, shape: HalfSpace, body: Body, centre: Array, size: float) -> tuple[Array, Indices]:
    """A square of the plane below the middle of the scene, in the frame of the shape."""
    normal = np.array(shape.normal)
    local = rotate(conjugate(body.orientation), centre - body.position) - placed.position
    middle = rotate(conjugate(placed.orientation), local)
    middle = middle - (middle @ normal) * normal
    one, two = SHOWN * size * normals_to(normal)
    corners = np.array([middle - one - two, middle + one - two, middle + one + two, middle - one + two])
    return corners, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int64)


def _scene(model: Model) -> tuple[Array, float]:
    """Middle and size of all that has an end, at t = 0 [m]."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for body in model.bodies:
        for placed in body.shapes:
            radius = placed.shape.bounding_radius()
            if np.isfinite(radius):
                place = body.position + rotate(body.orientation, placed.position)
                low, high = np.minimum(low, place - radius), np.maximum(high, place + radius)
    for soft in model.flexibles:
        low, high = np.minimum(low, soft.position.min(axis=0)), np.maximum(high, soft.position.max(axis=0))
    if not np.isfinite(low).all():
        return np.zeros(3), 1.0
    return 0.5 * (low + high), float(np.linalg.norm(high - low)) or 1.0


def total(surfaces: Sequence[BodySurface]) -> int:
    """Number of triangles."""
    return sum(len(surface.triangles) for surface in surfaces)
