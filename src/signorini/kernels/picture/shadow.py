"""Heights of what the light meets first, in an orthographic view along the light."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.picture.visibility import EDGE, weights


@kernel
def shadow_balls(ball, height):
    """Balls (x, y, z, radius) in cells of the map; z grows towards the light."""
    rows, columns = height.shape
    for k in range(len(ball)):
        x, y, z, r = ball[k, 0], ball[k, 1], ball[k, 2], ball[k, 3]
        for j in range(max(0, int(y - r)), min(rows, int(y + r) + 1)):
            dy = j + 0.5 - y
            for i in range(max(0, int(x - r)), min(columns, int(x + r) + 1)):
                dx = i + 0.5 - x
                rest = r * r - dx * dx - dy * dy
                if rest > 0.0:
                    height[j, i] = max(height[j, i], z + math.sqrt(rest))


@kernel
def shadow_triangles(corner, height):
    """Triangles with corners (x, y, z) in cells of the map."""
    rows, columns = height.shape
    for k in range(len(corner)):
        t = corner[k]
        i0 = max(0, int(min(t[0, 0], t[1, 0], t[2, 0]) - 0.5))
        i1 = min(columns, int(max(t[0, 0], t[1, 0], t[2, 0]) + 0.5) + 1)
        j0 = max(0, int(min(t[0, 1], t[1, 1], t[2, 1]) - 0.5))
        j1 = min(rows, int(max(t[0, 1], t[1, 1], t[2, 1]) + 0.5) + 1)
        for j in range(j0, j1):
            for i in range(i0, i1):
                a, b, c = weights(t, i + 0.5, j + 0.5)
                if a >= EDGE and b >= EDGE and c >= EDGE:
                    height[j, i] = max(height[j, i], a * t[0, 2] + b * t[1, 2] + c * t[2, 2])


TILE = 8
"""Cells of the map along a side of a tile; see `mark_tiles`."""


@kernel
def mark_tiles(ball, corner, busy):
    """Mark tiles of the map that balls or triangles reach, with what `lit` looks at around them; all others are lit."""
    rows, columns = busy.shape
    busy[:, :] = 0
    for k in range(len(ball) + len(corner)):
        if k < len(ball):
            r = ball[k, 3]
            x0, x1, y0, y1 = ball[k, 0] - r, ball[k, 0] + r, ball[k, 1] - r, ball[k, 1] + r
        else:
            t = corner[k - len(ball)]
            x0, x1 = min(t[0, 0], t[1, 0], t[2, 0]), max(t[0, 0], t[1, 0], t[2, 0])
            y0, y1 = min(t[0, 1], t[1, 1], t[2, 1]), max(t[0, 1], t[1, 1], t[2, 1])
        for j in range(max(0, int((y0 - 3.0) / TILE)), min(rows, int((y1 + 3.0) / TILE) + 1)):
            for i in range(max(0, int((x0 - 3.0) / TILE)), min(columns, int((x1 + 3.0) / TILE) + 1)):
                busy[j, i] = 1


@kernel
def tile_of(x, y, shape):
    """Number of the tile of a place of the map, -1 beside it, where everything is lit."""
    rows, columns = shape
    if x < 0.0 or y < 0.0 or x >= columns * TILE or y >= rows * TILE:
        return -1
    return int(y / TILE) * columns + int(x / TILE)


@kernel
def lit(x, y, z, height):
    """Share of the light that reaches a point of the map: nine comparisons, weighted so that edges are smooth."""
    rows, columns = height.shape
    i, j = int(x), int(y)
    if x < 1.0 or y < 1.0 or i + 2 >= columns or j + 2 >= rows:
        return 1.0
    fx, fy = x - i, y - j
    total = 0.0
    for dj in range(-1, 2):
        wy = 1.0 - fy if dj == -1 else (fy if dj == 1 else 1.0)
        line = 0.0
        if z >= height[j + dj, i - 1]:
            line += 1.0 - fx
        if z >= height[j + dj, i]:
            line += 1.0
        if z >= height[j + dj, i + 1]:
            line += fx
        total += wy * line
    return 0.25 * total
