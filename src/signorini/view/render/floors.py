"""Half-spaces as floors and walls of a picture."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.picture.shade import FLOOR, WALL
from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Placed, Shape
from signorini.model.state import State
from signorini.view.planes import Plane, visible_part
from signorini.view.render.camera import Camera

FLOOR_PAINT, WALL_PAINT = np.array([0.94, 0.94, 0.93]), np.array([0.97, 0.97, 0.965])
STEEP = 0.5
"""Planes whose normal points upwards by less than this are walls."""
NEAR = 1e-3
"""Distance before the eye where floors begin, over the extent of the bodies."""
ROOM = 0.06
"""Around the bodies, over their extent."""
WIDE = 4.0
"""How far a floor extends around the bodies, relative to their extent."""
FADES = 1.1, 2.6
"""Distances from the middle where a floor begins to fade, and ends, over the extent."""


def half_spaces(model: Model) -> list[tuple[int, Placed]]:
    """Body and place of every half-space."""
    return [
        (index, placed)
        for index, body in enumerate(model.bodies)
        for placed in body.shapes
        if isinstance(placed.shape, HalfSpace)
    ]


def planes_of(found: list[tuple[int, Placed]], state: State) -> list[Plane]:
    """Half-spaces, placed in the world."""
    planes = []
    for index, placed in found:
        turn = state.orientation[index]
        normal = rotate(turn, rotate(placed.orientation, _normal(placed.shape)))
        planes.append(Plane(normal, float(normal @ (state.position[index] + rotate(turn, placed.position)))))
    return planes


def _normal(shape: Shape) -> Array:
    return np.asarray(shape.normal) if isinstance(shape, HalfSpace) else np.zeros(3)


def has_walls(planes: list[Plane]) -> bool:
    """Whether a plane is steep, so that floors may end."""
    return any(plane.normal[2] < STEEP for plane in planes)


def polygons(planes: list[Plane], low: Array, high: Array, camera: Camera) -> list[tuple[Array, Array, bool]]:
    """Corners, normal and whether it is a floor, of all planes that face the eye; what is behind the eye is cut off."""
    shown = []
    size = float((high - low).max()) or 1.0
    low, high = low.copy(), high.copy()
    for plane in planes:
        height = plane.offset / plane.normal[2] if plane.normal[2] > 1.0 - 1e-9 else math.inf
        if low[2] - size < height < low[2]:
            low[2] = height
    ahead = camera.axes[2]
    near = Plane(ahead, float(ahead @ camera.place) + NEAR * size)
    room, wide = ROOM * size, WIDE * size * np.array([1.0, 1.0, 0.0])
    for plane in planes:
        floor = bool(plane.normal[2] >= STEEP)
        more = room + wide if floor else np.full(3, room)
        polygon = near.clip(visible_part(plane, planes, low - more, high + more))
        if plane.normal @ camera.place > plane.offset and len(polygon) > 2:
            shown.append((polygon, plane.normal, floor))
    return shown


def triangles(shown: list[tuple[Array, Array, bool]]) -> tuple[Array, Array, Array, Array]:
    """Corners, normals, colours and kind of the triangles of polygons."""
    corners, normals, paint, kind = [], [], [], []
    for polygon, normal, floor in shown:
        for k in range(1, len(polygon) - 1):
            corners.append(polygon[[0, k, k + 1]])
            normals.append(np.tile(normal, (3, 1)))
            paint.append(np.tile(FLOOR_PAINT if floor else WALL_PAINT, (3, 1)))
            kind.append(FLOOR if floor else WALL)
    shape = (-1, 3, 3)
    return (
        np.array(corners).reshape(shape), np.array(normals).reshape(shape), np.array(paint).reshape(shape),
        np.array(kind, dtype=np.int64),
    )  # fmt: skip


def round_length(length: float) -> float:
    """1, 2 or 5 times a power of ten, near a length [m]."""
    power = 10.0 ** np.floor(np.log10(max(length, 1e-12)))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda n: abs(n - length / power)))
