"""A small painter with a depth buffer: balls and triangles in orthographic projection, shaded, numpy only."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.sparse import Array

LIGHT = np.array([-0.45, 0.62, 0.64])
"""Towards the light, in the axes of the camera (right, up, to the viewer)."""
HALFWAY = (LIGHT + np.array([0.0, 0.0, 1.0])) / np.linalg.norm(LIGHT + np.array([0.0, 0.0, 1.0]))
EDGE = 1e-9
"""How far outside a triangle a pixel may be, so that neighbours leave no gap."""
AMBIENT, DIFFUSE, GLOSS = 0.42, 0.62, 0.16
NOTHING = -1


@dataclass
class Canvas:
    """Pixels with colour, depth and the body that they show; x to the right, y up, depth grows to the viewer."""

    width: int
    height: int
    colour: Array = field(init=False)
    """Red, green, blue in [0, 1], shape (height, width, 3)."""
    depth: Array = field(init=False)
    """[pixels], shape (height, width)."""
    owner: Array = field(init=False)
    """Body, or -1, shape (height, width)."""

    def __post_init__(self) -> None:
        self.colour = np.ones((self.height, self.width, 3))
        self.depth = np.full((self.height, self.width), -np.inf)
        self.owner = np.full((self.height, self.width), NOTHING, dtype=np.int64)

    def ball(self, centre: Array, radius: float, colour: Array, owner: int, opacity: float = 1.0) -> None:
        """A shaded ball; `centre` and `radius` in pixels."""
        window = self._window(centre[:2] - radius, centre[:2] + radius)
        if window is None:
            return
        rows, columns, x, y = window
        nx, ny = (x - centre[0]) / radius, (y - centre[1]) / radius
        rest = 1.0 - nx * nx - ny * ny
        nz = np.sqrt(np.maximum(rest, 0.0))
        depth = centre[2] + radius * nz
        seen = (rest > 0) & (depth > self.depth[rows, columns])
        normal = np.stack([np.broadcast_to(nx, nz.shape)[seen], np.broadcast_to(ny, nz.shape)[seen], nz[seen]], axis=-1)
        self._paint((rows, columns), seen, depth[seen], _shaded(colour, normal), owner, opacity)

    def triangle(self, corners: Array, normals: Array, colour: Array, owner: int, opacity: float = 1.0) -> None:
        """A triangle with interpolated normals; `corners` in pixels, both of shape (3, 3)."""
        window = self._window(corners[:, :2].min(axis=0), corners[:, :2].max(axis=0))
        (x0, y0, _), (x1, y1, _), (x2, y2, _) = corners
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if window is None or abs(area) < 1e-12:
            return
        rows, columns, x, y = window
        one = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area
        two = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area
        slope = corners[1:, 2] - corners[0, 2]
        depth = corners[0, 2] + slope[0] * one + slope[1] * two
        inside = (one >= -EDGE) & (two >= -EDGE) & (one + two <= 1.0 + EDGE)
        seen = inside & (depth > self.depth[rows, columns])
        if seen.any():
            weights = np.column_stack([1.0 - one[seen] - two[seen], one[seen], two[seen]])
            self._paint((rows, columns), seen, depth[seen], _shaded(colour, weights @ normals), owner, opacity)

    def outline(self, strength: float = 0.55) -> None:
        """Darken the pixels where one body ends and another begins."""
        edge = np.zeros(self.owner.shape, dtype=bool)
        across, along = self.owner[:, 1:] != self.owner[:, :-1], self.owner[1:] != self.owner[:-1]
        edge[:, 1:] |= across
        edge[:, :-1] |= across
        edge[1:] |= along
        edge[:-1] |= along
        self.colour[edge] *= 1.0 - strength

    def image(self, reduce: int) -> Array:
        """Colours with the first row on top, each pixel the mean of `reduce` x `reduce`."""
        h, w = self.height // reduce, self.width // reduce
        blocks = self.colour[: h * reduce, : w * reduce].reshape(h, reduce, w, reduce, 3)
        return np.asarray(np.clip(blocks.mean(axis=(1, 3)), 0.0, 1.0)[::-1])

    def _window(self, low: Array, high: Array) -> tuple[slice, slice, Array, Array] | None:
        """Rows and columns of the pixels between two corners, and their centres."""
        left, right = max(0, int(low[0])), min(self.width, int(high[0]) + 1)
        bottom, top = max(0, int(low[1])), min(self.height, int(high[1]) + 1)
        if left >= right or bottom >= top:
            return None
        x = np.arange(left, right, dtype=np.float64)[None, :] + 0.5
        y = np.arange(bottom, top, dtype=np.float64)[:, None] + 0.5
        return slice(bottom, top), slice(left, right), x, y

    def _paint(
        self, window: tuple[slice, slice], seen: Array, depth: Array, paint: Array, owner: int, opacity: float
    ) -> None:
        """Cover what is seen through a window; what is not opaque tints it and hides nothing behind it."""
        if opacity < 1.0:
            self.colour[window][seen] += opacity * (paint - self.colour[window][seen])
            return
        self.colour[window][seen] = paint
        self.depth[window][seen] = depth
        self.owner[window][seen] = owner


def _shaded(colour: Array, normal: Array) -> Array:
    """Ambient light, diffuse light, and a soft gloss where the surface faces between light and viewer."""
    normal = normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    # Both sides of a surface are lit: what is seen faces the viewer.
    normal *= np.where(normal[:, 2:] < 0, -1.0, 1.0)
    shade = np.maximum(normal @ LIGHT, 0.0)[:, None]
    half = np.maximum(normal @ HALFWAY, 0.0)[:, None]
    return np.asarray(colour * (AMBIENT + DIFFUSE * shade) + GLOSS * half**32)
