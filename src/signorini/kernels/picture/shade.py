"""Colours of the pixels from what is seen through their samples."""

from __future__ import annotations

import math

from signorini.kernels.compile import inlined, kernel
from signorini.kernels.picture.shadow import lit
from signorini.kernels.picture.visibility import barycentric

SKY, BOUNCE, HEAD, SUN = 0.46, 0.26, 0.24, 0.46
"""Light from above, from below, from the viewer, and of the lamp, over that of a white surface."""
GLOSS = 0.22
SOLID, FLOOR, WALL = 0, 1, 2
"""Kinds of triangles: a floor has squares and fades out at its rim; walls have no side in the dark."""
SQUARES = 0.03
"""Half the difference of the squares of a floor."""
MARK = 0.18
"""How much lighter one half of a marked ball is, so that its turning is seen."""
BIAS = 1.5
"""How far above a surface its own shadow begins [cells of the map]."""


@kernel
def square_wave(x, width):
    """Mean over an interval about x of the wave that is 1 in [0, 1), -1 in [1, 2), and so on."""
    a, b = 0.5 * (x - 0.5 * width), 0.5 * (x + 0.5 * width)
    a, b = a - math.floor(a), b - math.floor(b)
    return (min(b, 1.0 - b) - min(a, 1.0 - a)) * 2.0 / width


@inlined
def ball_surface(ball, paint, k, u, v):
    """Distance, normal and colour where the ray (u, v, 1) meets a ball, or passes it nearest.

    Arrays are passed whole: views of rows would be counted, which costs more than the rest and makes threads wait.
    """
    x, y, z, r = ball[k, 0], ball[k, 1], ball[k, 2], ball[k, 3]
    a, b = u * u + v * v + 1.0, u * x + v * y + z
    t = (b - math.sqrt(max(b * b - a * (x * x + y * y + z * z - r * r), 0.0))) / a
    size = 1.0 / r
    nx, ny, nz = (u * t - x) * size, (v * t - y) * size, (t - z) * size
    side = nx * paint[k, 3] + ny * paint[k, 4] + nz * paint[k, 5]
    mark = MARK * min(max(0.5 + 12.0 * side, 0.0), 1.0) if side != 0.0 else 0.0
    red, green, blue = paint[k, 0], paint[k, 1], paint[k, 2]
    red, green, blue = red + mark * (1.0 - red), green + mark * (1.0 - green), blue + mark * (1.0 - blue)
    return t, nx, ny, nz, red, green, blue


@kernel
def triangle_surface(seen, normal, paint, k, x, y):
    """Distance, normal and colour at a point of the picture in a projected triangle."""
    x0, y0 = seen[k, 0, 0], seen[k, 0, 1]
    ax, ay, bx, by = seen[k, 1, 0] - x0, seen[k, 1, 1] - y0, seen[k, 2, 0] - x0, seen[k, 2, 1] - y0
    a, b, c = barycentric(ax, ay, bx, by, x - x0, y - y0)
    a, b, c = a * seen[k, 0, 2], b * seen[k, 1, 2], c * seen[k, 2, 2]
    w = a + b + c
    t = 1.0 / w if w > 0.0 else 0.0
    a, b, c = a * t, b * t, c * t
    nx = a * normal[k, 0, 0] + b * normal[k, 1, 0] + c * normal[k, 2, 0]
    ny = a * normal[k, 0, 1] + b * normal[k, 1, 1] + c * normal[k, 2, 1]
    nz = a * normal[k, 0, 2] + b * normal[k, 1, 2] + c * normal[k, 2, 2]
    red = a * paint[k, 0, 0] + b * paint[k, 1, 0] + c * paint[k, 2, 0]
    green = a * paint[k, 0, 1] + b * paint[k, 1, 1] + c * paint[k, 2, 1]
    blue = a * paint[k, 0, 2] + b * paint[k, 1, 2] + c * paint[k, 2, 2]
    return t, nx, ny, nz, red, green, blue


@kernel
def floor_pattern(px, py, pz, nz, s, floor):
    """Brightness of a floor and its share in the picture; `floor` leads from camera axes to squares, see `shade`."""
    x = floor[0, 0] * px + floor[0, 1] * py + floor[0, 2] * pz + floor[0, 3]
    y = floor[1, 0] * px + floor[1, 1] * py + floor[1, 2] * pz + floor[1, 3]
    size = math.sqrt(floor[0, 0] ** 2 + floor[0, 1] ** 2 + floor[0, 2] ** 2)
    blur = 2.5 * s * pz * size / max(abs(nz), 0.05)
    bright = 1.0 + SQUARES * square_wave(x, blur) * square_wave(y, blur)
    away = math.sqrt(x * x + y * y)
    share = 1.0 - (away - floor[2, 0]) / (floor[2, 1] - floor[2, 0])
    return bright, min(max(share, 0.0), 1.0)


@inlined
def sunlight(px, py, pz, facing, to_map, height):
    """Share of the light that reaches a point in camera axes, of a surface that faces the lamp by that cosine."""
    lift = BIAS * (1.0 + 2.0 * (1.0 - facing))
    mx = to_map[0, 0] * px + to_map[0, 1] * py + to_map[0, 2] * pz + to_map[0, 3]
    my = to_map[1, 0] * px + to_map[1, 1] * py + to_map[1, 2] * pz + to_map[1, 3]
    mz = to_map[2, 0] * px + to_map[2, 1] * py + to_map[2, 2] * pz + to_map[2, 3]
    return lit(mx, my, mz + lift, height)


@kernel
def colour_of(item, column, row, s, size, surfaces, lamp, to_map, height, floor):
    """Red, green and blue of what is seen at a place of the picture [samples]."""
    ball, ball_paint, seen, normal, paint, kind = surfaces
    u, v = (column - 0.5 * size[1]) * s, (0.5 * size[0] - row) * s
    if item < 0:
        return 1.0, 1.0, 1.0
    k = item - len(ball)
    if k < 0:
        t, nx, ny, nz, red, green, blue = ball_surface(ball, ball_paint, item, u, v)
    else:
        t, nx, ny, nz, red, green, blue = triangle_surface(seen, normal, paint, k, column, row)
    px, py, pz = u * t, v * t, t
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    # Both sides of a surface are lit: what is seen faces the viewer.
    turn = (1.0 if nx * px + ny * py + nz * pz <= 0.0 else -1.0) / max(length, 1e-12)
    nx, ny, nz = turn * nx, turn * ny, turn * nz
    share = 1.0
    if k >= 0 and kind[k] == FLOOR:
        bright, share = floor_pattern(px, py, pz, nz, s, floor)
        if share == 0.0:
            return 1.0, 1.0, 1.0
        red, green, blue = bright * red, bright * green, bright * blue
    facing = nx * lamp[0, 0] + ny * lamp[0, 1] + nz * lamp[0, 2]
    far, sun, gloss = math.sqrt(u * u + v * v + 1.0), 0.0, 0.0
    if k >= 0 and kind[k] == WALL:
        light = 0.86 + 0.14 * facing
        return min(red * light, 1.0), min(green * light, 1.0), min(blue * light, 1.0)
    if facing > 0.0:
        reach = sunlight(px, py, pz, facing, to_map, height)
        sun = facing * reach
        if k < 0 or kind[k] == SOLID:
            hx, hy, hz = lamp[0, 0] - u / far, lamp[0, 1] - v / far, lamp[0, 2] - 1.0 / far
            half = (nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz)
            half = max(half, 0.0)
            half *= half
            half *= half
            half *= half
            half *= half
            gloss = GLOSS * reach * half * half
    up = nx * lamp[1, 0] + ny * lamp[1, 1] + nz * lamp[1, 2]
    head = -(nx * u + ny * v + nz) / far
    light = BOUNCE + (SKY - BOUNCE) * (0.5 + 0.5 * up) + HEAD * head + SUN * sun
    away = 1.0 - share
    return (
        share * min(red * light + gloss, 1.0) + away,
        share * min(green * light + gloss, 1.0) + away,
        share * min(blue * light + gloss, 1.0) + away,
    )


@kernel
def ball_colour(ball, paint, k, u, v, lamp, to_map, height):
    """Red, green and blue of a ball where the ray (u, v, 1) meets it: `colour_of` for what most pixels show."""
    t, nx, ny, nz, red, green, blue = ball_surface(ball, paint, k, u, v)
    near = 1.0 / math.sqrt(u * u + v * v + 1.0)
    sun, gloss = 0.0, 0.0
    facing = nx * lamp[0, 0] + ny * lamp[0, 1] + nz * lamp[0, 2]
    if facing > 0.0:
        reach = sunlight(u * t, v * t, t, facing, to_map, height)
        sun = facing * reach
        hx, hy, hz = lamp[0, 0] - u * near, lamp[0, 1] - v * near, lamp[0, 2] - near
        half = max(nx * hx + ny * hy + nz * hz, 0.0)
        half = half * half / (hx * hx + hy * hy + hz * hz)
        half *= half
        half *= half
        half *= half
        gloss = GLOSS * reach * half * half
    up = nx * lamp[1, 0] + ny * lamp[1, 1] + nz * lamp[1, 2]
    head = -(nx * u + ny * v + nz) * near
    light = BOUNCE + (SKY - BOUNCE) * (0.5 + 0.5 * up) + HEAD * head + SUN * sun
    return min(red * light + gloss, 1.0), min(green * light + gloss, 1.0), min(blue * light + gloss, 1.0)


@kernel
def still_colour(known, j, i, u, v, to_map, height):
    """Red, green and blue of a still floor or wall (see `still.still_colours`); only its shadow is of this picture."""
    reach = 0.0
    if known[j, i, 4] + known[j, i, 5] + known[j, i, 6] > 0.0:
        t = known[j, i, 0]
        reach = sunlight(u * t, v * t, t, known[j, i, 8], to_map, height)
    share, away = known[j, i, 7], 1.0 - known[j, i, 7]
    return (
        share * min(known[j, i, 1] + known[j, i, 4] * reach, 1.0) + away,
        share * min(known[j, i, 2] + known[j, i, 5] * reach, 1.0) + away,
        share * min(known[j, i, 3] + known[j, i, 6] * reach, 1.0) + away,
    )


@kernel
def put(image, j, i, red, green, blue):
    """Write a colour of numbers from 0 to 1 into a pixel."""
    image[j, i, 0], image[j, i, 1], image[j, i, 2] = (
        int(255.0 * red + 0.5), int(255.0 * green + 0.5), int(255.0 * blue + 0.5),
    )  # fmt: skip


@kernel
def mixed_colour(item, glass, j, i, same, opacity, rest):
    """Red, green and blue of a pixel that shows several items, or one behind a clear one: the mean of its samples."""
    s, size, surfaces, lamp, to_map, height, floor = rest
    red, green, blue = 0.0, 0.0, 0.0
    count = 1 if same else 4
    for n in range(count):
        row, column = 2 * j + n // 2, 2 * i + n % 2
        y, x = (2.0 * j + 1.0, 2.0 * i + 1.0) if same else (row + 0.5, column + 0.5)
        r, g, b = colour_of(item[row, column], x, y, s, size, surfaces, lamp, to_map, height, floor)
        k = glass[row, column] if len(glass) > 0 else -1
        if k >= 0:
            r1, g1, b1 = colour_of(k, x, y, s, size, surfaces, lamp, to_map, height, floor)
            o = opacity[k]
            r, g, b = r + o * (r1 - r), g + o * (g1 - g), b + o * (b1 - b)
        red, green, blue = red + r, green + g, blue + b
    return red / count, green / count, blue / count


@kernel
def shade(layers, opacity, s, surfaces, lamp, to_map, height, busy, floor, still, image):
    """Fill an image from the items seen through 2 x 2 samples per pixel.

    `layers` are the items of what is solid and of the nearest of what is not, `opacity` that of each item. `lamp` holds
    the directions to the light and upwards, `to_map` leads from camera axes to cells of the shadow map; the first two
    rows of `floor` lead to its squares, the third holds the distances where it begins to fade and ends. `still` are the
    triangles and colours of floors and walls that look the same in every picture (see `still`), `busy` tells of tiles
    of the shadow map whether there is any shadow. The second layer is empty where everything is solid.
    """
    still_item, still_known, still_lit, still_tile = still
    ball, ball_paint = surfaces[0], surfaces[1]
    first_triangle = len(ball)
    item, glass = layers
    clear = len(glass) > 0
    size = (float(item.shape[0]), float(item.shape[1]))
    for j in range(image.shape[0]):
        for i in range(image.shape[1]):
            first, second = item[2 * j, 2 * i], -1
            same = first == item[2 * j, 2 * i + 1]
            same = same and first == item[2 * j + 1, 2 * i] and first == item[2 * j + 1, 2 * i + 1]
            if clear:
                second = glass[2 * j, 2 * i]
                same = same and second == glass[2 * j, 2 * i + 1]
                same = same and second == glass[2 * j + 1, 2 * i] and second == glass[2 * j + 1, 2 * i + 1]
            if same and first < 0 and second < 0:
                image[j, i, 0] = image[j, i, 1] = image[j, i, 2] = 255
                continue
            k = first - first_triangle
            if same and second < 0 and k >= 0 and still_item[j, i] == k:
                tile = still_tile[j, i]
                if tile < 0 or busy[tile] == 0:
                    for c in range(3):
                        image[j, i, c] = still_lit[j, i, c]
                    continue
                u, v = (2.0 * i + 1.0 - 0.5 * size[1]) * s, (0.5 * size[0] - 2.0 * j - 1.0) * s
                red, green, blue = still_colour(still_known, j, i, u, v, to_map, height)
                put(image, j, i, red, green, blue)
                continue
            if same and second < 0 and k < 0:
                u, v = (2.0 * i + 1.0 - 0.5 * size[1]) * s, (0.5 * size[0] - 2.0 * j - 1.0) * s
                red, green, blue = ball_colour(ball, ball_paint, first, u, v, lamp, to_map, height)
                put(image, j, i, red, green, blue)
                continue
            rest = (s, size, surfaces, lamp, to_map, height, floor)
            red, green, blue = mixed_colour(item, glass, j, i, same, opacity, rest)
            put(image, j, i, red, green, blue)
