"""Signed distance of a point to a rigid shape, in the frame of the shape, and its gradient."""

from __future__ import annotations

from math import copysign, sqrt
from typing import NamedTuple

import numpy as np

from signorini.kernels.collision.box import point_box
from signorini.kernels.collision.conventions import BOX, CAPSULE, CONVEX, CYLINDER, ELLIPSOID, HALF_SPACE, SPHERE
from signorini.kernels.collision.mesh import on_triangle, triangle_point
from signorini.kernels.compile import kernel

NONE = -1
"""Kind of shapes without a signed distance."""
ITERATIONS = 60


class Distances(NamedTuple):
    """All rigid shapes with a signed distance, one row each."""

    kind: np.ndarray
    param: np.ndarray
    """(shapes, 3): sphere (r), capsule and cylinder (r, half length), cone (r, half height), box (half sizes),
    ellipsoid (half axes), half-space (normal), convex polyhedron (none)."""
    core: np.ndarray
    """Radius of a ball that fits inside [m]."""
    face_start: np.ndarray
    """First face of each hull, then their number."""
    planes: np.ndarray
    """Of all hulls: outward normal and offset, (faces, 4)."""
    corners: np.ndarray
    """(faces, 3, 3)."""


@kernel
def distance(d, s, x, y, z):
    """(phi, nx, ny, nz) of shape s; phi < 0 inside. Where the gradient is not unique, one of them."""
    kind, a, b, c = d.kind[s], d.param[s, 0], d.param[s, 1], d.param[s, 2]
    if kind == SPHERE:
        return _from_point(x, y, z, a)
    if kind == CAPSULE:
        return _from_point(x, y, z - min(max(z, -b), b), a)
    if kind == HALF_SPACE:
        return a * x + b * y + c * z, a, b, c
    if kind == BOX:
        return point_box(x, y, z, a, b, c)
    if kind == ELLIPSOID:
        return _ellipsoid(x, y, z, a, b, c)
    if kind == CONVEX:
        return _hull(d, s, x, y, z)
    rho = sqrt(x * x + y * y)
    phi, u, w = _cylinder(rho, z, a, b) if kind == CYLINDER else _cone(rho, z, a, b)
    return (phi, u * x / rho, u * y / rho, w) if rho > 0 else (phi, u, 0.0, w)


@kernel
def _from_point(x, y, z, radius):
    length = sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return -radius, 0.0, 0.0, 1.0
    return length - radius, x / length, y / length, z / length


@kernel
def _cylinder(rho, z, radius, half):
    """Cylinder, in the plane of the point and the axis."""
    p, q = rho - radius, abs(z) - half
    if p <= 0 and q <= 0:
        return (p, 1.0, 0.0) if p >= q else (q, 0.0, copysign(1.0, z))
    p, q = max(p, 0.0), max(q, 0.0)
    length = sqrt(p * p + q * q)
    return length, p / length, copysign(q, z) / length


@kernel
def _cone(rho, z, radius, half):
    """Cone, in the plane of the point and the axis: a base and a slope."""
    side = sqrt(radius * radius + 4.0 * half * half)
    mu, mw = 2.0 * half / side, radius / side
    slope, base = (rho - radius) * mu + (z + half) * mw, -half - z
    if slope <= 0 and base <= 0:
        return (slope, mu, mw) if slope >= base else (base, 0.0, -1.0)
    along = min(max(((radius - rho) * mw + (z + half) * mu), 0.0), side)
    u, w = rho - (radius - along * mw), z - (along * mu - half)
    v, t = rho - min(rho, radius), z + half
    if v * v + t * t < u * u + w * w:
        u, w = v, t
    length = sqrt(u * u + w * w)
    return (length, u / length, w / length) if length > 0 else (0.0, mu, mw)


@kernel
def _ellipsoid(x, y, z, a, b, c):
    """Nearest point x_i r_i^2 / (t + r_i^2), t the root of a function that falls; by bisection."""
    least = min(a, b, c)
    tiny = 1e-9 * least
    p, q, r = max(abs(x), tiny), max(abs(y), tiny), max(abs(z), tiny)
    low = -least * least
    high = sqrt((a * p) ** 2 + (b * q) ** 2 + (c * r) ** 2)
    for _ in range(ITERATIONS):
        t = 0.5 * (low + high)
        f = (a * p / (t + a * a)) ** 2 + (b * q / (t + b * b)) ** 2 + (c * r / (t + c * c)) ** 2
        if f > 1.0:
            low = t
        else:
            high = t
    t = 0.5 * (low + high)
    u, v, w = p * a * a / (t + a * a), q * b * b / (t + b * b), r * c * c / (t + c * c)
    gap = sqrt((p - u) ** 2 + (q - v) ** 2 + (r - w) ** 2)
    nx, ny, nz = u / (a * a), v / (b * b), w / (c * c)
    length = sqrt(nx * nx + ny * ny + nz * nz)
    gap = gap if t > 0 else -gap
    return gap, copysign(nx, x) / length, copysign(ny, y) / length, copysign(nz, z) / length


@kernel
def _hull(d, s, x, y, z):
    best, face = -np.inf, -1
    for k in range(d.face_start[s], d.face_start[s + 1]):
        height = d.planes[k, 0] * x + d.planes[k, 1] * y + d.planes[k, 2] * z - d.planes[k, 3]
        if height > best:
            best, face = height, k
    if best <= 0:
        return best, d.planes[face, 0], d.planes[face, 1], d.planes[face, 2]
    point, nearest = np.array((x, y, z)), np.inf
    nx, ny, nz = d.planes[face, 0], d.planes[face, 1], d.planes[face, 2]
    for k in range(d.face_start[s], d.face_start[s + 1]):
        # The nearest point lies on a face visible from the point.
        if d.planes[k, 0] * x + d.planes[k, 1] * y + d.planes[k, 2] * z - d.planes[k, 3] < 0:
            continue
        A, B, C = d.corners[k, 0], d.corners[k, 1], d.corners[k, 2]
        v, w = on_triangle(point, A, B, C)
        px, py, pz = triangle_point(A, B, C, v, w)
        ux, uy, uz = x - px, y - py, z - pz
        length = sqrt(ux * ux + uy * uy + uz * uz)
        if 0 < length < nearest:
            nearest, nx, ny, nz = length, ux / length, uy / length, uz / length
    return (nearest if nearest < np.inf else best), nx, ny, nz


@kernel
def nearest_on_lines(a, b, c, d):
    """Weights (s, t) of the nearest points of the lines a + s (b - a) and c + t (d - c), both within 0 to 1."""
    u, v, w = b - a, d - c, a - c
    A, B, C = u @ u, u @ v, v @ v
    D, E = u @ w, v @ w
    if C == 0.0 or A == 0.0:  # a line without length
        return (min(max(-D / A, 0.0), 1.0) if A > 0 else 0.0), (min(max(E / C, 0.0), 1.0) if C > 0 else 0.0)
    det = A * C - B * B
    s = min(max((B * E - C * D) / det, 0.0), 1.0) if det > 1e-14 * A * C else 0.5
    t = (B * s + E) / C
    if t < 0.0 or t > 1.0:
        t = min(max(t, 0.0), 1.0)
        s = min(max((B * t - D) / A, 0.0), 1.0)
    return s, t


@kernel
def lowest_on_line(d, s, a, b):
    """Weight w of the point a + w (b - a) of a line where shape s is nearest or deepest.

    Nearest to the axis of a round shape, of cylinders only beside their side; elsewhere by golden sections, because the
    distance to a convex shape is a convex function.
    """
    if d.kind[s] == SPHERE or d.kind[s] == CAPSULE or d.kind[s] == CYLINDER:
        ends = np.zeros((2, 3))
        if d.kind[s] != SPHERE:
            ends[0, 2], ends[1, 2] = -d.param[s, 1], d.param[s, 1]
        weight = nearest_on_lines(a, b, ends[0], ends[1])[0]
        x = a + weight * (b - a)
        end = abs(x[2]) - d.param[s, 1]
        if d.kind[s] != CYLINDER or (end < 0.0 and sqrt(x[0] * x[0] + x[1] * x[1]) - d.param[s, 0] > end):
            return weight
    golden = 0.5 * (sqrt(5.0) - 1.0)
    low, high = 0.0, 1.0
    p, q = 1.0 - golden, golden
    x, y = a + p * (b - a), a + q * (b - a)
    f, g = distance(d, s, x[0], x[1], x[2])[0], distance(d, s, y[0], y[1], y[2])[0]
    for _ in range(40):
        if f < g:
            high, q, g = q, p, f
            p = high - golden * (high - low)
            x = a + p * (b - a)
            f = distance(d, s, x[0], x[1], x[2])[0]
        else:
            low, p, f = p, q, g
            q = low + golden * (high - low)
            y = a + q * (b - a)
            g = distance(d, s, y[0], y[1], y[2])[0]
    return 0.5 * (low + high)


@kernel
def _towards_the_rim(d, s, a, b, c):
    """Weights (v, w) of the point of a triangle where cylinder s is lowest, if that point is not on an edge.

    Cylinder and plane are mirrored by the plane through the axis and the normal of the triangle, so that the lowest
    point is on the line where the two planes meet.
    """
    n = np.cross(b - a, c - a)
    length = sqrt(n @ n)
    if length == 0.0:
        return 0.0, 0.0
    n /= length
    along = np.array((-n[2] * n[0], -n[2] * n[1], 1.0 - n[2] * n[2]))
    slope = sqrt(along @ along)
    if slope < 1e-12:  # the axis is normal to the triangle: all points below an end are alike
        return on_triangle(np.array((0.0, 0.0, copysign(d.param[s, 1], a[2]))), a, b, c)
    foot = (a @ n) * n
    reach = d.param[s, 1] * slope + d.param[s, 0]
    low, high = foot - (reach / slope) * along, foot + (reach / slope) * along
    return on_triangle(low + lowest_on_line(d, s, low, high) * (high - low), a, b, c)


@kernel
def lowest_on_triangle(d, s, a, b, c):
    """Weights (v, w) of the point a + v (b - a) + w (c - a) where shape s is nearest or deepest inside a triangle.

    Below an end of the axis of a round shape, or towards the rim of a cylinder; elsewhere by projected gradient steps,
    halved when they do not help. The edges of triangles are looked at one by one, so that line contact is found there.
    """
    if d.kind[s] == SPHERE:
        return on_triangle(np.zeros(3), a, b, c)
    best, v, w = np.inf, 0.0, 0.0
    if d.kind[s] == CAPSULE or d.kind[s] == CYLINDER:
        end = np.zeros(3)
        for sign in (-1.0, 1.0):
            end[2] = sign * d.param[s, 1]
            tv, tw = on_triangle(end, a, b, c)
            x = a + tv * (b - a) + tw * (c - a)
            phi = distance(d, s, x[0], x[1], x[2])[0]
            if phi < best:
                best, v, w = phi, tv, tw
        if d.kind[s] == CYLINDER:
            tv, tw = _towards_the_rim(d, s, a, b, c)
            x = a + tv * (b - a) + tw * (c - a)
            if distance(d, s, x[0], x[1], x[2])[0] < best - 1e-9 * d.core[s]:
                v, w = tv, tw
        return v, w
    v, w, share = 1.0 / 3.0, 1.0 / 3.0, 1.0
    for _ in range(ITERATIONS):
        x = a + v * (b - a) + w * (c - a)
        phi, nx, ny, nz = distance(d, s, x[0], x[1], x[2])
        step = share * max(phi + d.core[s], 1e-3 * d.core[s])
        x[0], x[1], x[2] = x[0] - step * nx, x[1] - step * ny, x[2] - step * nz
        tv, tw = on_triangle(x, a, b, c)
        x = a + tv * (b - a) + tw * (c - a)
        lower = distance(d, s, x[0], x[1], x[2])[0]
        if lower < phi - 1e-12 * d.core[s]:
            moved = abs(tv - v) + abs(tw - w)
            v, w = tv, tw
            if moved < 1e-9:
                break
        else:
            share *= 0.5
            if share < 1e-4:
                break
    return v, w
