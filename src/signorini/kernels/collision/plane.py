"""Contacts of bounded shapes (first) with half-spaces (second)."""

from __future__ import annotations

from math import sqrt

from signorini.kernels.collision.place import half_space
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel

UPRIGHT = 1e-4
"""Sine of the tilt below which a cylinder stands on four points fixed to it."""


@kernel
def put_point(found, k, i, j, feature, limit, x, y, z, radius, wall):
    """Contact of a ball about (x, y, z) with the plane `wall`, if within the limit."""
    nx, ny, nz, offset = wall
    gap = nx * x + ny * y + nz * z - offset - radius
    if gap >= limit:
        return k
    return put(found, k, i, j, feature, x - radius * nx, y - radius * ny, z - radius * nz, nx, ny, nz, gap)


@kernel
def sphere_half_space(shapes, placed, first, second, limits, found, k):
    """One point each."""
    for p in range(len(first)):
        i, j = first[p], second[p]
        c, wall = placed.origin[i], half_space(shapes.param, placed, j)
        k = put_point(found, k, i, j, 0, limits[p], c[0], c[1], c[2], shapes.param[i, 0], wall)
    return k


@kernel
def capsule_half_space(shapes, placed, first, second, limits, found, k):
    """The two ends."""
    for p in range(len(first)):
        i, j = first[p], second[p]
        c, r, wall = placed.origin[i], placed.rotation[i], half_space(shapes.param, placed, j)
        for end in range(2):
            s = shapes.param[i, 1] * (2 * end - 1)
            x, y, z = c[0] + s * r[2], c[1] + s * r[5], c[2] + s * r[8]
            k = put_point(found, k, i, j, end, limits[p], x, y, z, shapes.param[i, 0], wall)
    return k


@kernel
def box_half_space(shapes, placed, first, second, limits, found, k):
    """Every corner within the envelope."""
    for p in range(len(first)):
        i, j = first[p], second[p]
        c, r, h, wall = placed.origin[i], placed.rotation[i], shapes.param[i], half_space(shapes.param, placed, j)
        for corner in range(8):
            u = h[0] if corner & 1 else -h[0]
            v = h[1] if corner & 2 else -h[1]
            w = h[2] if corner & 4 else -h[2]
            x = c[0] + r[0] * u + r[1] * v + r[2] * w
            y = c[1] + r[3] * u + r[4] * v + r[5] * w
            z = c[2] + r[6] * u + r[7] * v + r[8] * w
            k = put_point(found, k, i, j, corner, limits[p], x, y, z, 0.0, wall)
    return k


@kernel
def cylinder_half_space(shapes, placed, first, second, limits, found, k):
    """The lowest point of either rim (a lying cylinder has two), and three more around the rim of the lower face.

    The four points of a face are a quarter turn apart, counted from the lowest; fixed to the cylinder when it stands.
    """
    for p in range(len(first)):
        i, j = first[p], second[p]
        c, r, wall = placed.origin[i], placed.rotation[i], half_space(shapes.param, placed, j)
        radius, half = shapes.param[i, 0], shapes.param[i, 1]
        # Components of the plane's normal along the cylinder's axes.
        a = r[0] * wall[0] + r[3] * wall[1] + r[6] * wall[2]
        b = r[1] * wall[0] + r[4] * wall[1] + r[7] * wall[2]
        axial = r[2] * wall[0] + r[5] * wall[1] + r[8] * wall[2]
        tilt = sqrt(a * a + b * b)
        a, b = (-a / tilt, -b / tilt) if tilt > UPRIGHT else (1.0, 0.0)
        lower = -1.0 if axial > 0 else 1.0
        for point in range(5):
            w = lower * half if point < 4 else -lower * half
            u, v = radius * a, radius * b
            for _ in range(point % 4):
                u, v = -v, u
            x = c[0] + r[0] * u + r[1] * v + r[2] * w
            y = c[1] + r[3] * u + r[4] * v + r[5] * w
            z = c[2] + r[6] * u + r[7] * v + r[8] * w
            k = put_point(found, k, i, j, 2 * (point % 4) + (w > 0), limits[p], x, y, z, 0.0, wall)
    return k
