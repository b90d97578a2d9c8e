"""A picture of the bodies of a model at one instant."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.collision.contacts import Contacts
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.model import Model
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Shape
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.view.flexible_parts import ROPE, SoftPart, soft_parts, stress_note
from signorini.view.planes import Plane, visible_part
from signorini.view.raster import Canvas
from signorini.view.style import COLOURS, check_picture_path, picture

PIXELS, FINER = 1100, 2
"""Longer side of the picture, and how much finer it is painted before it is reduced."""
FLOOR, WALL, FIXED = np.array([1.02, 1.02, 1.0]), np.array([1.12, 1.12, 1.11]), np.array([0.55, 0.60, 0.68])
FLOOR_ROOM = 0.15
"""Of a floor without walls around the bodies, relative to their extent."""
FIXED_OPACITY = 0.16
FORCE_COLOUR = "#B2182B"


@dataclass(frozen=True, eq=False)
class Camera:
    """Orthographic: rows are right, up and towards the viewer, in the world."""

    axes: Array
    scale: float
    """[pixels/m]."""
    corner: Array
    """Lower left corner in the axes of the camera [m], shape (2,)."""

    def project(self, points: Array) -> Array:
        """World points in pixels (x, y, depth)."""
        seen = points @ self.axes.T
        seen[..., :2] -= self.corner
        return np.asarray(seen * self.scale)


@dataclass(frozen=True, eq=False)
class Part:
    """One shape of one body, placed in the world."""

    body: Body
    index: int
    shape: Shape
    position: Array
    rotation: Array

    @property
    def reach(self) -> float:
        """Radius of a ball that holds the shape [m]."""
        return self.shape.bounding_radius()


def draw_scene(
    model: Model,
    state: State,
    path: Path,
    *,
    title: str = "",
    contacts: Contacts | None = None,
    impulses: Array | None = None,
    azimuth: float = -55.0,
    elevation: float = 24.0,
) -> None:
    """Paint the bodies at `state` to `path`.

    Parameters
    ----------
    contacts, impulses
        Contacts and their normal impulses [N s], shape (contacts,): drawn as lines whose width tells the size.
    azimuth, elevation
        Where the camera stands, as seen from the scene [degrees].
    """
    check_picture_path(path)
    parts = list(placed_parts(model, state))
    axes = _axes(math.radians(azimuth), math.radians(elevation))
    finite = [p for p in parts if math.isfinite(p.reach)]
    soft, top = soft_parts(model, state)
    if not finite and not soft:
        raise ModelError("the model has no body of finite size: there is nothing to draw")
    planes = _planes(parts)
    floors = _floors(planes, *_extent(finite, soft, planes), axes)
    camera, size = _camera(axes, finite, [polygon for polygon, _ in floors] + [part.points for part in soft])
    canvas = Canvas(*size)
    _paint(canvas, camera, parts, soft, floors)
    note = stress_note(top)
    _save(canvas, camera, path, "\n".join(line for line in (title, note) if line), contacts, impulses, state)


def placed_parts(model: Model, state: State) -> Iterator[Part]:
    """All shapes of all bodies, placed in the world."""
    for index, body in enumerate(model.bodies):
        R = matrix(state.orientation[index])
        for placed in body.shapes:
            position = state.position[index] + R @ placed.position
            yield Part(body, index, placed.shape, position, R @ matrix(placed.orientation))


def _axes(azimuth: float, elevation: float) -> Array:
    ca, sa, ce, se = math.cos(azimuth), math.sin(azimuth), math.cos(elevation), math.sin(elevation)
    towards = np.array([ca * ce, sa * ce, se])
    right = np.array([-sa, ca, 0.0])
    return np.array([right, np.cross(towards, right), towards])


def _planes(parts: list[Part]) -> list[Plane]:
    planes = []
    for part in parts:
        if isinstance(part.shape, HalfSpace):
            normal = part.rotation @ np.asarray(part.shape.normal)
            planes.append(Plane(normal, float(normal @ part.position)))
    return planes


def _extent(finite: list[Part], soft: list[SoftPart], planes: list[Plane]) -> tuple[Array, Array]:
    """A box around all finite shapes, with room for the floor around and not far below them."""
    low = np.min([p.position - p.reach for p in finite] + [p.points.min(axis=0) for p in soft], axis=0)
    high = np.max([p.position + p.reach for p in finite] + [p.points.max(axis=0) for p in soft], axis=0)
    size = float((high - low).max())
    room = FLOOR_ROOM * size
    for plane in planes:
        height = plane.offset / plane.normal[2] if plane.normal[2] > 1.0 - 1e-9 else math.inf
        if low[2] - size < height < low[2]:
            low[2] = height
    return low - room, high + room


def _floors(planes: list[Plane], low: Array, high: Array, axes: Array) -> list[tuple[Array, Array]]:
    """Polygon and colour of every half-space that faces the viewer."""
    shown = []
    for plane in planes:
        polygon = visible_part(plane, planes, low, high)
        if plane.normal @ axes[2] > 0 and len(polygon) > 2:
            shown.append((polygon, FLOOR if plane.normal[2] > 0.5 else WALL))
    return shown


def _camera(axes: Array, finite: list[Part], polygons: list[Array]) -> tuple[Camera, tuple[int, int]]:
    """A camera that sees everything, and the size of its canvas."""
    boxes = [(p.position @ axes.T)[:2] + np.array([[-1.0], [1.0]]) * p.reach for p in finite]
    points = np.concatenate([*boxes, *((polygon @ axes.T)[:, :2] for polygon in polygons)])
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.02 * float((high - low).max())
    extent = high - low + 2.0 * room
    scale = PIXELS * FINER / float(extent.max())
    width, height = (max(FINER, FINER * math.ceil(e * scale / FINER)) for e in extent)
    return Camera(axes, scale, low - room), (width, height)


def _paint(
    canvas: Canvas, camera: Camera, parts: list[Part], soft: list[SoftPart], floors: list[tuple[Array, Array]]
) -> None:
    for number, (polygon, colour) in enumerate(floors):
        corners = camera.project(polygon)
        normals = np.tile([0.0, 0.0, 1.0], (3, 1))
        for k in range(1, len(corners) - 1):
            canvas.triangle(corners[[0, k, k + 1]], normals, colour, -2 - number)
    colours = body_colours(parts)
    for part in parts:
        if not part.body.fixed and part.index in colours:
            _paint_part(canvas, camera, part, colours[part.index], 1.0)
    for flexible in soft:
        _paint_soft(canvas, camera, flexible)
    canvas.outline()
    for part in parts:
        if part.body.fixed:
            _paint_part(canvas, camera, part, FIXED, FIXED_OPACITY)


def _paint_part(canvas: Canvas, camera: Camera, part: Part, colour: Array, opacity: float) -> None:
    drawing = part.shape.drawing()
    for centre, radius in drawing.balls:
        middle = camera.project(part.rotation @ np.array(centre) + part.position)
        canvas.ball(middle, radius * camera.scale, colour, part.index, opacity)
    corners = camera.project(drawing.corners @ part.rotation.T + part.position)
    normals = drawing.normals @ (camera.axes @ part.rotation).T
    shown = normals[..., 2].max(axis=1) > 0 if drawing.closed else np.ones(len(corners), dtype=bool)
    for triangle, normal in zip(corners[shown], normals[shown], strict=True):
        canvas.triangle(triangle, normal, colour, part.index, opacity)


def _paint_soft(canvas: Canvas, camera: Camera, part: SoftPart) -> None:
    corners, normals = camera.project(part.corners), part.normals @ camera.axes.T
    for triangle, normal, colour in zip(corners, normals, part.colours, strict=True):
        if normal[:, 2].max() > 0:
            canvas.triangle(triangle, normal, colour, part.index)
    for centre in camera.project(part.balls):
        canvas.ball(centre, part.radius * camera.scale, ROPE, part.index)


def body_colours(parts: list[Part]) -> dict[int, Array]:
    """One colour for each kind and size of body, a little lighter or darker from one body to the next."""
    kinds: dict[object, int] = {}
    result: dict[int, Array] = {}
    for part in parts:
        if math.isfinite(part.reach) and part.index not in result:
            # Irregular bodies differ in size all the time: for them the kind alone decides.
            size = "" if isinstance(part.shape, ConvexHull) else f"{part.reach:.2g}"
            kind = (type(part.shape).__name__, size, len(part.body.shapes))
            base = COLOURS[kinds.setdefault(kind, len(kinds)) % (len(COLOURS) - 1)]
            result[part.index] = _varied(base, part.index)
    return result


def _varied(colour: str, index: int) -> Array:
    red, green, blue = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    hue, light, strength = colorsys.rgb_to_hls(red, green, blue)
    # Steps of the golden ratio: neighbours in the list differ most.
    light = min(0.78, 0.42 + 0.26 * ((index * 0.618034) % 1.0) + 0.25 * (light - 0.4))
    return np.array(colorsys.hls_to_rgb(hue, light, 0.8 * strength))


def _save(
    canvas: Canvas,
    camera: Camera,
    path: Path,
    title: str,
    contacts: Contacts | None,
    impulses: Array | None,
    state: State,
) -> None:
    image = canvas.image(FINER)
    size = image.shape[1] / 160.0, image.shape[0] / 160.0 + 0.3 * len(title.splitlines())
    with picture(path, 1, size) as (figure, panels):
        axis = panels[0]
        lines = contacts is not None and impulses is not None and contacts.count > 0
        axis.imshow(0.45 * image + 0.55 if lines else image, interpolation="none")
        if contacts is not None and impulses is not None and lines:
            _draw_forces(axis, camera, image.shape[0], contacts, impulses, state)
        axis.set_axis_off()
        if title:
            figure.suptitle(title, fontsize=10)


def _draw_forces(axis: Any, camera: Camera, rows: int, contacts: Contacts, impulses: Array, state: State) -> None:
    """Lines from the centre of body a through the contact to the point on b, as wide as the impulse is large."""
    from matplotlib.collections import LineCollection

    strength = np.maximum(np.asarray(impulses, dtype=np.float64), 0.0)
    largest = float(strength.max(initial=0.0)) or 1.0
    # A flexible body has no single centre: there the line starts at the contact itself.
    rigid = contacts.body_a < len(state.position)
    start = contacts.point_a.copy()
    start[rigid] = state.position[contacts.body_a[rigid]]
    ends = np.stack([start, contacts.point_b], axis=1)
    seen = camera.project(ends)[..., :2] / FINER
    seen[..., 1] = rows - seen[..., 1]
    axis.add_collection(LineCollection(list(seen), linewidths=5.0 * strength / largest, colors=FORCE_COLOUR, alpha=0.8))
