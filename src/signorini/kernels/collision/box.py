"""Spheres against boxes, and the signed distance from a box."""

from __future__ import annotations

from math import sqrt

from signorini.kernels.collision.frames import into_frame, out_of_frame
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel


@kernel
def point_box(x, y, z, hx, hy, hz):
    """Signed distance of a point (box frame) from a box, and the outward unit normal at the nearest point."""
    qx, qy, qz = min(max(x, -hx), hx), min(max(y, -hy), hy), min(max(z, -hz), hz)
    dx, dy, dz = x - qx, y - qy, z - qz
    distance = sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 0:
        return distance, dx / distance, dy / distance, dz / distance
    # Inside: out through the nearest face.
    ax, ay, az = abs(x) - hx, abs(y) - hy, abs(z) - hz
    if ax >= ay and ax >= az:
        return ax, 1.0 if x >= 0 else -1.0, 0.0, 0.0
    if ay >= az:
        return ay, 0.0, 1.0 if y >= 0 else -1.0, 0.0
    return az, 0.0, 0.0, 1.0 if z >= 0 else -1.0


@kernel
def sphere_box(shapes, placed, first, second, limits, found, k):
    """Spheres (first) against boxes (second)."""
    for p in range(len(first)):
        i, j = first[p], second[p]
        a, b, r, h = placed.origin[i], placed.origin[j], placed.rotation[j], shapes.param[j]
        radius = shapes.param[i, 0]
        x, y, z = into_frame(r, a[0] - b[0], a[1] - b[1], a[2] - b[2])
        distance, nx, ny, nz = point_box(x, y, z, h[0], h[1], h[2])
        gap = distance - radius
        if gap < limits[p]:
            nx, ny, nz = out_of_frame(r, nx, ny, nz)
            k = put(found, k, i, j, 0, a[0] - radius * nx, a[1] - radius * ny, a[2] - radius * nz, nx, ny, nz, gap)
    return k
