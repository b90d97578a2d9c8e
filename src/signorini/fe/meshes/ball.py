"""A ball: a cube with layers around it."""

from __future__ import annotations

import numpy as np

from signorini.fe.elements import ELEMENTS
from signorini.fe.mesh import outer_faces
from signorini.fe.meshes.box import grid
from signorini.fe.meshes.shell import with_layers
from signorini.fe.meshes.split import about_centres, check_kind
from signorini.math.sparse import Array, Indices
from signorini.model.checks import positive
from signorini.problem.errors import ModelError

INSIDE = 0.45
"""Half edge of the cube inside, relative to the radius."""


def ball(radius: float, across: int, kind: str) -> tuple[Array, Indices]:
    """Points and cells."""
    check_kind(kind)
    r = positive(radius, "radius of the ball")
    if across < 1:
        raise ModelError(f"the ball has {across} cells across its cube, expected 1 or more")
    points, cells = grid((across, across, across))
    points = 2.0 * points - 1.0
    element = ELEMENTS[8]
    cell, face = outer_faces(cells, element)
    quads = cells[cell[:, None], element.faces[face]]
    points, cells = with_layers(INSIDE * r * points, cells, quads, r * on_sphere(points), max(1, (across + 1) // 2))
    return (points, cells) if kind == "hexahedron" else about_centres(points, cells)


def on_sphere(cube: Array) -> Array:
    """Points of the surface of the cube |x|, |y|, |z| <= 1 on the unit sphere, at nearly equal angles."""
    tangent = np.tan(0.25 * np.pi * cube)
    length = np.linalg.norm(tangent, axis=1, keepdims=True)
    return np.asarray(tangent / np.where(length > 0, length, 1.0))
