"""Which ball or triangle is seen through each sample of a picture; axes and numbers are those of README.md."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel

EDGE = -1e-9
"""How far outside a triangle a sample may be, so that neighbours leave no gap."""


@kernel
def tangent_lines(x, z, r):
    """Slopes of the two rays in the x-z plane that touch a ball at distance z > r."""
    root = math.sqrt(max(x * x + z * z - r * r, 0.0))
    below = z * z - r * r
    return (x * z - r * root) / below, (x * z + r * root) / below


@kernel
def draw_balls(ball, first, s, nearest, item):
    """Balls (x, y, z, radius) in camera axes, but for those that reach the eye; their numbers count from `first`."""
    rows, columns = nearest.shape
    for k in range(len(ball)):
        x, y, z, r = ball[k, 0], ball[k, 1], ball[k, 2], ball[k, 3]
        if z <= 1.001 * r:
            continue
        left, right = tangent_lines(x, z, r)
        low, high = tangent_lines(y, z, r)
        i0, i1 = max(0, int(left / s + 0.5 * columns)), min(columns, int(right / s + 0.5 * columns) + 1)
        j0, j1 = max(0, int(0.5 * rows - high / s)), min(rows, int(0.5 * rows - low / s) + 1)
        c, top = x * x + y * y + z * z - r * r, 1.0 / (z - r)
        for j in range(j0, j1):
            v = (0.5 * rows - j - 0.5) * s
            for i in range(i0, i1):
                if nearest[j, i] >= top:
                    continue
                u = (i + 0.5 - 0.5 * columns) * s
                a, b = u * u + v * v + 1.0, u * x + v * y + z
                rest = b * b - a * c
                if rest > 0.0:
                    w = a / (b - math.sqrt(rest))
                    if w > nearest[j, i]:
                        nearest[j, i] = w
                        item[j, i] = first + k


@kernel
def project(corner, s, rows, columns, seen):
    """Corners of triangles in camera axes to (column, row, inverse distance); all 0 where one is not before the eye."""
    for k in range(len(corner)):
        ahead = min(corner[k, 0, 2], corner[k, 1, 2], corner[k, 2, 2])
        for n in range(3):
            if ahead <= 1e-9:
                seen[k, n, :] = 0.0
                continue
            w = 1.0 / corner[k, n, 2]
            seen[k, n, 0] = corner[k, n, 0] * w / s + 0.5 * columns
            seen[k, n, 1] = 0.5 * rows - corner[k, n, 1] * w / s
            seen[k, n, 2] = w


@kernel
def weights(seen, x, y):
    """Barycentric coordinates of a point of the picture in a projected triangle; (-2, 0, 0) if it is flat."""
    x0, y0 = seen[0, 0], seen[0, 1]
    return barycentric(seen[1, 0] - x0, seen[1, 1] - y0, seen[2, 0] - x0, seen[2, 1] - y0, x - x0, y - y0)


@kernel
def barycentric(ax, ay, bx, by, x, y):
    """Barycentric coordinates of (x, y) in the triangle of (0, 0), a and b; (-2, 0, 0) if it is flat."""
    area = ax * by - bx * ay
    if abs(area) < 1e-12:
        return -2.0, 0.0, 0.0
    one = (x * by - bx * y) / area
    two = (ax * y - x * ay) / area
    return 1.0 - one - two, one, two


@kernel
def draw_triangles(seen, first, nearest, item):
    """Projected triangles; their numbers count from `first`."""
    rows, columns = nearest.shape
    for k in range(len(seen)):
        t = seen[k]
        if t[0, 2] == 0.0:
            continue
        low, high = min(t[0, 0], t[1, 0], t[2, 0]), max(t[0, 0], t[1, 0], t[2, 0])
        i0, i1 = max(0, int(low - 0.5)), min(columns, int(high + 0.5) + 1)
        low, high = min(t[0, 1], t[1, 1], t[2, 1]), max(t[0, 1], t[1, 1], t[2, 1])
        j0, j1 = max(0, int(low - 0.5)), min(rows, int(high + 0.5) + 1)
        if i0 >= i1 or j0 >= j1:
            continue
        zero, one, two = weights(t, 0.0, 0.0)
        if zero < -1.5 and one == 0.0 and two == 0.0:
            continue
        # All three are linear in the picture: slopes once, then one addition per sample.
        zero_x, one_x, two_x = weights(t, 1.0, 0.0)
        zero_y, one_y, two_y = weights(t, 0.0, 1.0)
        zero_x, one_x, two_x = zero_x - zero, one_x - one, two_x - two
        zero_y, one_y, two_y = zero_y - zero, one_y - one, two_y - two
        for j in range(j0, j1):
            a0, b0, c0 = zero + zero_y * (j + 0.5), one + one_y * (j + 0.5), two + two_y * (j + 0.5)
            for i in range(i0, i1):
                a, b, c = a0 + zero_x * (i + 0.5), b0 + one_x * (i + 0.5), c0 + two_x * (i + 0.5)
                if a >= EDGE and b >= EDGE and c >= EDGE:
                    w = a * t[0, 2] + b * t[1, 2] + c * t[2, 2]
                    if w > nearest[j, i]:
                        nearest[j, i] = w
                        item[j, i] = first + k
