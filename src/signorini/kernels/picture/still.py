"""Floors and walls that stand still before a camera that does: what of their colours is the same in every picture."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.picture.shade import (
    BOUNCE,
    FLOOR,
    HEAD,
    SKY,
    SUN,
    WALL,
    floor_pattern,
    put,
    triangle_surface,
)
from signorini.kernels.picture.shadow import tile_of


@kernel
def still_colours(item, s, surfaces, lamp, floor, to_map, tiles, out):
    """Number of the triangle, and (distance, shade r, g, b, sun r, g, b, share, facing), of pixels that show one alone.

    Shade is what is seen without the lamp, sun what the lamp adds; the rest of the share is white; facing is the cosine
    to the lamp. The numbers of other pixels are -1. Then the colours where no shadow falls, and the tile of the shadow
    map, -1 where there is never one. Arguments are as those of `shade`; `tiles` are those of the map each way.
    """
    number, colours, bright_image, tile = out
    seen, normal, paint, kind = surfaces
    rows, columns = float(item.shape[0]), float(item.shape[1])
    for j in range(number.shape[0]):
        for i in range(number.shape[1]):
            k = item[2 * j, 2 * i]
            same = k == item[2 * j, 2 * i + 1] and k == item[2 * j + 1, 2 * i] and k == item[2 * j + 1, 2 * i + 1]
            number[j, i] = -1
            if not same or k < 0:
                continue
            x, y = 2.0 * i + 1.0, 2.0 * j + 1.0
            u, v = (x - 0.5 * columns) * s, (0.5 * rows - y) * s
            t, nx, ny, nz, red, green, blue = triangle_surface(seen, normal, paint, k, x, y)
            px, py, pz = u * t, v * t, t
            length = math.sqrt(nx * nx + ny * ny + nz * nz)
            turn = (1.0 if nx * px + ny * py + nz * pz <= 0.0 else -1.0) / max(length, 1e-12)
            nx, ny, nz = turn * nx, turn * ny, turn * nz
            share = 1.0
            if kind[k] == FLOOR:
                bright, share = floor_pattern(px, py, pz, nz, s, floor)
                red, green, blue = bright * red, bright * green, bright * blue
            facing = nx * lamp[0, 0] + ny * lamp[0, 1] + nz * lamp[0, 2]
            up = nx * lamp[1, 0] + ny * lamp[1, 1] + nz * lamp[1, 2]
            head = -(nx * u + ny * v + nz) / math.sqrt(u * u + v * v + 1.0)
            light = BOUNCE + (SKY - BOUNCE) * (0.5 + 0.5 * up) + HEAD * head
            sun = SUN * max(facing, 0.0)
            if kind[k] == WALL:
                light, sun = 0.86 + 0.14 * facing, 0.0
            number[j, i] = k
            known = colours[j, i]
            known[0], known[7], known[8] = t, share, facing
            known[1], known[2], known[3] = red * light, green * light, blue * light
            known[4], known[5], known[6] = red * sun, green * sun, blue * sun
            red, green, blue = red * (light + sun), green * (light + sun), blue * (light + sun)
            away = 1.0 - share
            red, green = share * min(red, 1.0) + away, share * min(green, 1.0) + away
            put(bright_image, j, i, red, green, share * min(blue, 1.0) + away)
            mx = to_map[0, 0] * px + to_map[0, 1] * py + to_map[0, 2] * pz + to_map[0, 3]
            my = to_map[1, 0] * px + to_map[1, 1] * py + to_map[1, 2] * pz + to_map[1, 3]
            tile[j, i] = tile_of(mx, my, tiles) if sun > 0.0 else -1
