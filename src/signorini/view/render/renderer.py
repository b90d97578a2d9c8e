"""Pictures of the states of one model, all seen by the same camera."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.picture.shade import shade
from signorini.kernels.picture.still import still_colours
from signorini.kernels.picture.visibility import draw_balls, draw_triangles, project
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError
from signorini.view.flexible_parts import stress_scale
from signorini.view.links import Link, links_of
from signorini.view.render import floors
from signorini.view.render.camera import Camera, fitted, shape_of
from signorini.view.render.geometry import Flags, Geometry, Surfaces
from signorini.view.render.lamp import TILES, Lamp
from signorini.view.render.overlay import Image, draw_links
from signorini.view.render.settings import PictureSettings
from signorini.view.seen import seen_state, source_points

MOST_POINTS = 2_000_000
"""Points of all states that the camera is fitted to."""
LONGEST = 1100
"""Longer side of a picture whose size is left to the scene [pixels]."""
CLEAR = 0.22
"""Opacity of fixed bodies that hide others."""
HIDES = 0.1
"""Share of the moving bodies' pixels that a fixed body may cover and stay solid."""
SQUARES = 8.0
"""Squares of a floor along the extent of the bodies, about."""


@dataclass(frozen=True, eq=False)
class Buffers:
    """Samples of one picture, 2 x 2 per pixel; used again for the next one."""

    nearest: Array
    """Inverse distance [1/m]."""
    item: Array
    glass: Array

    @classmethod
    def of(cls, size: tuple[int, int]) -> Buffers:
        """For pictures of `size` pixels."""
        shape = (2 * size[1], 2 * size[0])
        return cls(
            np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Painted:
    """Items of a picture in camera axes, those that are solid first."""

    ball: Array
    ball_paint: Array
    seen: Array
    """Corners of triangles: column, row [samples], inverse distance [1/m]."""
    normal: Array
    paint: Array
    kind: Array
    opacity: Array
    """Of balls, then triangles."""
    solid: tuple[int, int]
    """Balls and triangles that are solid."""
    floors: int
    """Triangles of floors and walls, the first ones."""

    @property
    def is_clear(self) -> bool:
        """Whether anything is not solid."""
        return self.solid[0] < len(self.ball) or self.solid[1] < len(self.seen)


class Renderer:
    """A camera, a lamp and the geometry of a model.

    Parameters
    ----------
    states
        Some states of the run: the camera sees what they take, colours are scaled to them.
    """

    def __init__(self, model: Model, states: Sequence[State], settings: PictureSettings | None = None) -> None:
        self.settings = settings = settings or PictureSettings()
        states = [seen_state(model, state) for state in states]
        self.geometry = Geometry.of(model, states[0], settings)
        self._planes = floors.half_spaces(model)
        self._follow = None if settings.follow is None else model.body_index(settings.follow)
        self._start = states[0]
        points = self._points(states)
        directions = settings.directions()
        size = settings.size or shape_of(points, directions, LONGEST)
        self.camera = fitted(self._with_walls(points), directions, size, settings.zoom)
        self.lamp = Lamp.over(points, directions)
        self._low, self._high = points.min(axis=0), points.max(axis=0)
        self._links = _chosen(links_of(model, float((self._high - self._low).max())), settings.joints)
        self._floors = self._floor_triangles(states[0], self.camera)
        self.stress_top = stress_scale(model, states)
        self.fastest = max(float(np.linalg.norm(state.velocity, axis=1).max(initial=0.0)) for state in states) or 1.0
        self._local = threading.local()
        self._ground: tuple[Array, Array, int] | None = None
        """Of floors that stand still: inverse distance, numbers of the triangles, and of balls counted before them."""
        self._opacity = self._opacities(states)
        self._still = self._still_colours()

    def image(self, state: State) -> Image:
        """Paint a state. Several threads may do so at once."""
        state = seen_state(self.geometry.model, state)
        camera, buffers = self.camera_at(state), self._buffers()
        found = self._surfaces(state)
        floor = self._floors if self._stands_still else self._floor_triangles(state, camera)
        items = self._painted(found, floor, camera)
        self._see(items, buffers)
        height, busy, to_map = self.lamp.shadows(found, self._solid(found), camera.place - self.camera.place)
        axes, lamp = camera.axes, self._light(camera)
        image = np.empty((camera.size[1], camera.size[0], 3), dtype=np.uint8)
        # A point p of the camera is at axes^T p + place in the world.
        inverse = np.column_stack((axes.T, camera.place))
        to_map, shadows = _through(to_map, inverse), (height, busy)
        surfaces = (items.ball, items.ball_paint, items.seen, items.normal, items.paint, items.kind)
        layers = (buffers.item, buffers.glass if items.is_clear else buffers.glass[:0])
        rest = (to_map, *shadows, self._pattern(inverse, camera), self._still)
        shade(layers, items.opacity, 0.5 * camera.slope, surfaces, lamp, *rest, image)
        draw_links(image, camera, self._links, state)
        return image

    def _light(self, camera: Camera) -> Array:
        """Directions to the lamp and upwards, in camera axes."""
        return np.array([self.lamp.towards, [0.0, 0.0, 1.0]]) @ camera.axes.T

    @property
    def _stands_still(self) -> bool:
        """Whether camera and planes are the same in every picture."""
        return not self._moving_planes and self._follow is None

    def _still_colours(self) -> tuple[NDArray[Any], ...]:
        """Triangle and colours of each pixel's floor or wall, where these stand still; see `still.py`."""
        camera = self.camera
        columns, rows = camera.size
        number, tile = (np.full((rows, columns), -1, dtype=np.int32) for _ in range(2))
        colours = np.zeros((rows, columns, 9), dtype=np.float32)
        out = (number, colours, np.zeros((rows, columns, 3), dtype=np.uint8), tile)
        if not self._stands_still or not len(self._floors[3]):
            return out
        nothing = self.geometry.surfaces(self._start, keep=np.zeros_like(self.geometry.fixed))
        items, buffers = self._painted(nothing, self._floors, camera), self._buffers()
        buffers.nearest.fill(0.0)
        buffers.item.fill(-1)
        draw_triangles(items.seen[: len(self._floors[3])], 0, buffers.nearest, buffers.item)
        self._ground = (buffers.nearest.copy(), buffers.item.copy(), 0)
        surfaces = (items.seen, items.normal, items.paint, items.kind)
        inverse = np.column_stack((camera.axes.T, camera.place))
        rest = (self._light(camera), self._pattern(inverse, camera), _through(self.lamp.to_map, inverse))
        still_colours(buffers.item, 0.5 * camera.slope, surfaces, *rest, (TILES, TILES), out)
        return out

    def camera_at(self, state: State) -> Camera:
        """The camera, which goes along with the body that it follows."""
        if self._follow is None:
            return self.camera
        by = state.position[self._follow] - self._start.position[self._follow]
        return self.camera.moved(by) if np.isfinite(by).all() else self.camera

    def _points(self, states: Sequence[State]) -> Array:
        """What the camera must see; a few bodies out of many may leave the picture."""
        if self._follow is not None:
            states = states[:1]
        fewer = max(1, math.ceil(len(states) * self.geometry.size / MOST_POINTS))
        every = [self.geometry.points(state) for state in states[::-fewer][::-1]]
        every.append(source_points(self.geometry.model))
        if not sum(len(each) for each in every):
            raise ModelError("the model has no body of finite size: there is nothing to draw")
        lines = [link for link in links_of(self.geometry.model, 0.0) if link.kind in ("spring", "rope", "rod")]
        every += [link.places(state) for link in lines for state in (states[0], states[-1])]
        points = np.concatenate(every)
        if len(every[0]) < 500:
            return points
        low, high = np.percentile(points, (0.5, 99.5), axis=0)
        first = every[0]
        low, high = np.minimum(low, first.min(axis=0)), np.maximum(high, first.max(axis=0))
        return points[np.all((points >= low) & (points <= high), axis=1)]

    def _with_walls(self, points: Array) -> Array:
        """What a camera sees where bodies are kept in by walls: these as well."""
        planes = floors.planes_of(self._planes, self._start)
        if not floors.has_walls(planes):
            return points
        far = fitted(points, self.settings.directions(), (100, 100), zoom=0.01)
        room = floors.polygons(planes, points.min(axis=0), points.max(axis=0), far)
        low, high = points.min(axis=0), points.max(axis=0)
        size = float((high - low).max())
        near = [p[np.all((p > low - size) & (p < high + size), axis=1)] for p, _, _ in room]
        return np.concatenate([points, *near])

    @property
    def _moving_planes(self) -> bool:
        return any(not self.geometry.fixed[index] for index, _ in self._planes)

    def _floor_triangles(self, state: State, camera: Camera) -> tuple[Array, Array, Array, Array]:
        planes, by = floors.planes_of(self._planes, state), camera.place - self.camera.place
        return floors.triangles(floors.polygons(planes, self._low + by, self._high + by, camera))

    def _pattern(self, inverse: Array, camera: Camera) -> Array:
        """From camera axes to squares of the floor, and where it fades; see the kernel `shade`."""
        size = float((self._high - self._low).max())
        square = floors.round_length(size / SQUARES)
        middle = 0.5 * (self._low + self._high) + camera.place - self.camera.place
        middle = np.round(middle / (2.0 * square)) * 2.0 * square
        rows = inverse[:2] / square
        rows[:, 3] -= middle[:2] / square
        return np.array([*rows, [floors.FADES[0] * size / square, floors.FADES[1] * size / square, 0.0, 0.0]])

    def _surfaces(self, state: State) -> Surfaces:
        tints = self._speeds(state) if self.settings.colour == "speed" else None
        return self.geometry.surfaces(state, tints, self._kept(state), self.stress_top)

    def _kept(self, state: State) -> Flags | None:
        if self.settings.section is None:
            return None
        axis, limit = self.settings.section
        return np.asarray(state.position[:, "xyz".index(axis)] <= limit)

    def _speeds(self, state: State) -> Array:
        from matplotlib import colormaps

        speed = np.linalg.norm(state.velocity, axis=1) / self.fastest
        tints = np.asarray(colormaps["viridis"](np.clip(speed, 0.0, 1.0)))[:, :3]
        return np.where(self.geometry.fixed[:, None], self.geometry.colours, tints)

    def _solid(self, found: Surfaces) -> tuple[Flags, Flags]:
        """Which balls and triangles are solid."""
        return self._opacity[found.ball_body] >= 1.0, self._opacity[found.body] >= 1.0

    def _painted(self, found: Surfaces, floor: tuple[Array, Array, Array, Array], camera: Camera) -> Painted:
        """Everything in camera axes, in order: solid, then clear; floors are the first triangles."""
        solid_ball, solid = self._solid(found)
        away = camera.to_camera(found.ball[:, :3])[:, 2]  # near balls first: what they hide is passed over
        balls, faces = np.lexsort((away, ~solid_ball)), np.argsort(~solid, kind="stable")
        axes, counts = camera.axes, (len(floor[3]), len(faces))
        ball = np.column_stack((camera.to_camera(found.ball[balls, :3]), found.ball[balls, 3]))
        corner = camera.to_camera(np.concatenate((floor[0], found.corner[faces])))
        normal = np.concatenate((floor[1], found.normal[faces])) @ axes.T
        seen = np.empty_like(corner)
        project(corner, 0.5 * camera.slope, 2 * camera.size[1], 2 * camera.size[0], seen)
        opacity = np.concatenate(
            (self._opacity[found.ball_body[balls]], np.ones(counts[0]), self._opacity[found.body[faces]])
        )
        return Painted(
            ball=ball,
            ball_paint=np.column_stack((found.ball_paint[balls], found.ball_axis[balls] @ axes.T)),
            seen=seen,
            normal=np.ascontiguousarray(normal),
            paint=np.concatenate((floor[2], found.paint[faces])),
            kind=np.concatenate((floor[3], np.zeros(counts[1], dtype=np.int64))),
            opacity=opacity,
            solid=(int(solid_ball.sum()), counts[0] + int(solid.sum())),
            floors=counts[0],
        )

    def _see(self, items: Painted, buffers: Buffers) -> None:
        """Find what is seen through each sample: solid items, then the nearest clear ones before them."""
        balls, faces = items.solid
        slope, count = 0.5 * self.camera.slope, len(items.ball)
        begin = self._start_buffers(items, buffers)
        draw_triangles(items.seen[begin:faces], count + begin, buffers.nearest, buffers.item)
        draw_balls(items.ball[:balls], 0, slope, buffers.nearest, buffers.item)
        if items.is_clear:
            buffers.glass.fill(-1)
            draw_triangles(items.seen[faces:], count + faces, buffers.nearest, buffers.glass)
            draw_balls(items.ball[balls:], balls, slope, buffers.nearest, buffers.glass)

    def _start_buffers(self, items: Painted, buffers: Buffers) -> int:
        """Empty buffers, or those with floors that stand still; returns how many triangles are drawn."""
        if self._ground is None or not items.floors:
            buffers.nearest.fill(0.0)
            buffers.item.fill(-1)
            return 0
        nearest, item, before = self._ground
        if before != len(items.ball):  # triangles are counted on from balls
            item = np.where(item >= 0, item + (len(items.ball) - before), -1).astype(np.int32)
            self._ground = (nearest, item, len(items.ball))
        np.copyto(buffers.nearest, nearest)
        np.copyto(buffers.item, item)
        return items.floors

    def _buffers(self) -> Buffers:
        """Those of this thread."""
        found: Buffers | None = getattr(self._local, "buffers", None)
        if found is None:
            found = self._local.buffers = Buffers.of(self.camera.size)
        return found

    def _opacities(self, states: Sequence[State]) -> Array:
        """Of all bodies: as the settings say, else fixed ones that hide much of what moves are clear."""
        model = self.geometry.model
        names = [*model.bodies.names, *(body.name for body in model.flexibles)]
        opacity = np.ones(len(names))
        opacity[self._hiding(states)] = CLEAR
        for pattern, value in self.settings.opacity.items():
            matching = [k for k, name in enumerate(names) if fnmatchcase(name, pattern)]
            if not matching:
                raise ModelError(f"opacity is of {pattern!r}, but no body has such a name")
            opacity[matching] = value
        return opacity

    def _hiding(self, states: Sequence[State]) -> list[int]:
        """Fixed bodies that cover what moves at the start, in the middle or at the end."""
        fixed = self.geometry.fixed
        if not fixed.any() or fixed.all():
            return []
        self._opacity = np.ones(len(fixed) + len(self.geometry.model.flexibles))
        found: set[int] = set()
        for state in (states[0], states[len(states) // 2], states[-1]):
            every = self._surfaces(state)
            owner = np.concatenate((every.ball_body, every.body))
            still = np.append(fixed, np.zeros(len(self._opacity) - len(fixed), dtype=bool))
            items, buffers = self._painted(every, floors.triangles([]), self.camera), self._buffers()
            self._see(items, buffers)
            all_seen = np.where(buffers.item >= 0, owner[buffers.item], -1)
            moving = self.geometry.surfaces(state, keep=~fixed)
            self._see(self._painted(moving, floors.triangles([]), self.camera), buffers)
            covered = (buffers.item >= 0) & (all_seen >= 0) & still[all_seen]
            most = HIDES * max(int(np.count_nonzero(buffers.item >= 0)), 1)
            bodies, count = np.unique(all_seen[covered], return_counts=True)
            found.update(int(body) for body, n in zip(bodies, count, strict=True) if n > most)
        return sorted(found)


def _through(to_map: Array, inverse: Array) -> Array:
    """From camera axes to the shadow map; `inverse` leads from these axes to the world."""
    turn = to_map[:, :3]
    return np.column_stack((turn @ inverse[:, :3], turn @ inverse[:, 3] + to_map[:, 3]))


def _chosen(links: list[Link], joints: bool) -> list[Link]:
    return [link for link in links if joints or link.kind not in ("joint", "motor")]
