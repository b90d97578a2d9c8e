"""A cylinder: a square rod with layers around it."""

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

INSIDE = 0.5
"""Half side of the square inside, relative to the radius."""


def cylinder(radius: float, length: float, around: int, along: int, kind: str) -> tuple[Array, Indices]:
    """Points and cells."""
    check_kind(kind)
    r, span = positive(radius, "radius of the cylinder"), positive(length, "length of the cylinder")
    if around < 4 or around % 4 or along < 1:
        raise ModelError(
            f"the cylinder has {around} cells around and {along} along, expected a multiple of 4, and 1 or more"
        )
    side = around // 4
    points, cells = grid((side, side, along))
    points = 2.0 * points - 1.0
    target = points.copy()
    target[:, :2] = r * on_circle(points[:, :2])
    points *= np.array([INSIDE * r, INSIDE * r, 0.5 * span])
    target[:, 2] = points[:, 2]
    quads = side_faces(cells, points)
    points, cells = with_layers(points, cells, quads, target, max(1, side // 2))
    return (points, cells) if kind == "hexahedron" else about_centres(points, cells)


def on_circle(square: Array) -> Array:
    """Points of the edge of the square |x|, |y| <= 1 on the unit circle, at equal angles for equal steps."""
    larger = np.abs(square).max(axis=1, keepdims=True)
    tangent = np.tan(0.25 * np.pi * square / np.where(larger > 0, larger, 1.0))
    length = np.linalg.norm(tangent, axis=1, keepdims=True)
    return np.asarray(tangent / np.where(length > 0, length, 1.0))


def side_faces(cells: Indices, points: Array) -> Indices:
    """Outer faces of a grid that are not perpendicular to z."""
    element = ELEMENTS[8]
    cell, face = outer_faces(cells, element)
    quads = cells[cell[:, None], element.faces[face]]
    flat = np.ptp(points[quads][..., 2], axis=1) < 1e-9 * np.ptp(points[:, 2])
    return np.asarray(quads[~flat])
