"""Contacts of bounded shapes (first) with half-spaces (second)."""

from __future__ import annotations

from math import sqrt

from signorini.kernels.collision.place import half_space
from signorini.kernels.collision.round_face import LEANING, PLACE, RIM_SHARE, SHARE
from signorini.kernels.collision.table import put
from signorini.kernels.compile import inlined, kernel

STANDING = 1e-3
"""Sine of the tilt below which a cylinder stands on its face."""
LEVEL = 1e-9
"""Sine of the tilt below which no point of the rim is the lowest."""
LOWEST = 2 * len(SHARE)
"""Features of points of the rim that are not fixed to the cylinder begin here."""


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


@inlined
def put_rim(found, k, i, j, feature, limit, pose, local, wall, share):
    """Contact of the point `local` = (u, v, w) of a shape, which stands for `share` of a round face."""
    c, r = pose
    u, v, w = local
    x = c[0] + r[0] * u + r[1] * v + r[2] * w
    y = c[1] + r[3] * u + r[4] * v + r[5] * w
    z = c[2] + r[6] * u + r[7] * v + r[8] * w
    end = put_point(found, k, i, j, feature, limit, x, y, z, 0.0, wall)
    if end > k:
        found.data[k, 10] = share
    return end


@kernel
def put_round_face(found, k, i, j, side, limit, pose, radius, height, wall):
    """The points of the round face at z = `height` that are within the limit (see `round_face`); fixed to the shape."""
    for point in range(len(SHARE)):
        local = (radius * PLACE[point, 0], radius * PLACE[point, 1], height)
        k = put_rim(found, k, i, j, 2 * point + side, limit, pose, local, wall, SHARE[point])
    return k


@kernel
def cylinder_half_space(shapes, placed, first, second, limits, found, k):
    """The lowest point of either rim: a lying cylinder has two. Beside that of the lower face, while it stands, the
    points of that face; while it leans, three more of the rim, a quarter turn apart."""
    for p in range(len(first)):
        i, j = first[p], second[p]
        pose, wall = (placed.origin[i], placed.rotation[i]), half_space(shapes.param, placed, j)
        radius, half, r = shapes.param[i, 0], shapes.param[i, 1], placed.rotation[i]
        # Components of the plane's normal along the cylinder's axes.
        a = r[0] * wall[0] + r[3] * wall[1] + r[6] * wall[2]
        b = r[1] * wall[0] + r[4] * wall[1] + r[7] * wall[2]
        axial = r[2] * wall[0] + r[5] * wall[1] + r[8] * wall[2]
        tilt = sqrt(a * a + b * b)
        u, v = (-radius * a / tilt, -radius * b / tilt) if tilt > LEVEL else (radius, 0.0)
        lower = -1.0 if axial > 0 else 1.0
        side, limit = 1 if lower > 0 else 0, limits[p]
        stands = tilt < STANDING
        if stands:
            k = put_round_face(found, k, i, j, side, limit, pose, radius, lower * half, wall)
        if tilt > LEVEL:
            share = RIM_SHARE * min(1.0, tilt / LEANING) if stands else 0.0
            k = put_rim(found, k, i, j, LOWEST + side, limit, pose, (u, v, lower * half), wall, share)
        if not stands:
            for quarter in range(1, 4):
                x, y = (-v, u) if quarter == 1 else ((-u, -v) if quarter == 2 else (v, -u))
                k = put_rim(found, k, i, j, LOWEST + 2 * quarter + side, limit, pose, (x, y, lower * half), wall, 0.0)
            k = put_rim(found, k, i, j, LOWEST + 1 - side, limit, pose, (u, v, -lower * half), wall, 0.0)
    return k
