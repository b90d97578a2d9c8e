"""Capsules (first) against boxes (second), in the frame of the box."""

from __future__ import annotations

import numpy as np

from signorini.kernels.collision.box import point_box
from signorini.kernels.collision.box_box import edge_centre
from signorini.kernels.collision.frames import into_frame, out_of_frame
from signorini.kernels.collision.polygon import clip_segment
from signorini.kernels.collision.round import segment_parameters
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel

FLAT = 0.99995
"""Cosine of the angle between contact normal and face normal up to which a capsule lies on the face."""


@kernel
def axis_overlap(c, d, half, h, nx, ny, nz):
    """Separation of segment c + s d, |s| <= half, and box along a unit direction."""
    along = c[0] * nx + c[1] * ny + c[2] * nz
    spread = half * abs(d[0] * nx + d[1] * ny + d[2] * nz)
    return abs(along) - spread - (h[0] * abs(nx) + h[1] * abs(ny) + h[2] * abs(nz)), along


@kernel
def core_inside(c, d, half, h, n):
    """Separation (<= 0) and direction n out of the box for a segment that meets it."""
    best = -np.inf
    for axis in range(6):
        a = axis % 3
        nx, ny, nz = (1.0 if a == 0 else 0.0), (1.0 if a == 1 else 0.0), (1.0 if a == 2 else 0.0)
        if axis >= 3:
            nx, ny, nz = ny * d[2] - nz * d[1], nz * d[0] - nx * d[2], nx * d[1] - ny * d[0]
            length = np.sqrt(nx * nx + ny * ny + nz * nz)
            if length < 1e-4:
                continue
            nx, ny, nz = nx / length, ny / length, nz / length
        separation, along = axis_overlap(c, d, half, h, nx, ny, nz)
        if separation > best + (1e-6 * half if axis >= 3 else 0.0):
            best = separation
            sign = 1.0 if along >= 0 else -1.0
            n[0], n[1], n[2] = sign * nx, sign * ny, sign * nz
    return best


@kernel
def core_apart(c, d, half, h, n):
    """(distance, place s on the segment) of a segment and a box apart, with n from box to segment; 0 if they meet."""
    best, place = np.inf, 0.0
    for end in range(2):
        s = half if end else -half
        x, y, z = c[0] + s * d[0], c[1] + s * d[1], c[2] + s * d[2]
        distance, nx, ny, nz = point_box(x, y, z, h[0], h[1], h[2])
        if distance <= 0:
            return 0.0, s
        if distance < best:
            best, place = distance, s
            n[0], n[1], n[2] = nx, ny, nz
    e, R, zero = np.empty(3), np.eye(3), np.zeros(3)
    for number in range(12):
        a = edge_centre(R, zero, h, number, e)
        vx, vy, vz = R[0, a], R[1, a], R[2, a]
        x, y, z = c[0] - e[0], c[1] - e[1], c[2] - e[2]
        s, t = segment_parameters(x, y, z, d[0], d[1], d[2], half, vx, vy, vz, h[a])
        x, y, z = x + s * d[0] - t * vx, y + s * d[1] - t * vy, z + s * d[2] - t * vz
        distance = np.sqrt(x * x + y * y + z * z)
        if distance < best - 1e-12 * half:
            best, place = distance, s
            if distance > 0:
                n[0], n[1], n[2] = x / distance, y / distance, z / distance
    return best, place


@kernel
def meets(c, d, half, h):
    """Whether the segment passes through the box (slabs)."""
    low, high = -half, half
    for a in range(3):
        if abs(d[a]) < 1e-14:
            if abs(c[a]) > h[a]:
                return False
        else:
            s, t = (-h[a] - c[a]) / d[a], (h[a] - c[a]) / d[a]
            low, high = max(low, min(s, t)), min(high, max(s, t))
    return low <= high


@kernel
def on_face(c, d, half, h, n, places):
    """Places s of the ends of the part of the segment above the face that n looks out of; False if not a face."""
    axis = 0
    for a in range(1, 3):
        if abs(n[a]) > abs(n[axis]):
            axis = a
    if abs(n[axis]) < FLAT or abs(d[axis]) > 0.5:
        return False
    sign = 1.0 if n[axis] > 0 else -1.0
    u, v = (axis + 1) % 3, (axis + 2) % 3
    segment, face = np.empty((2, 2)), np.empty((4, 2))
    for end in range(2):
        s = half if end else -half
        segment[end, 0], segment[end, 1] = c[u] + s * d[u], c[v] + s * d[v]
    for m in range(4):
        face[m, 0] = h[u] if m == 0 or m == 3 else -h[u]
        face[m, 1] = h[v] if m < 2 else -h[v]
    low, high = clip_segment(segment, face)
    if high <= low:
        return False
    places[0], places[1] = (2 * low - 1) * half, (2 * high - 1) * half
    n[0], n[1], n[2] = 0.0, 0.0, 0.0
    n[axis] = sign
    return True


@kernel
def put_core(found, k, i, j, feature, limit, b, r, c, d, s, n, gap, radius):
    """Contact at place s of the core, whose distance from the box along n is gap + radius."""
    if gap >= limit:
        return k
    nx, ny, nz = out_of_frame(r, n[0], n[1], n[2])
    x, y, z = out_of_frame(r, c[0] + s * d[0], c[1] + s * d[1], c[2] + s * d[2])
    x, y, z = b[0] + x - radius * nx, b[1] + y - radius * ny, b[2] + z - radius * nz
    return put(found, k, i, j, feature, x, y, z, nx, ny, nz, gap)


@kernel
def capsule_box(shapes, placed, first, second, limits, found, k):
    """One point, or the two ends of what lies on a face."""
    c, d, n, places = np.empty(3), np.empty(3), np.empty(3), np.empty(2)
    for p in range(len(first)):
        i, j = first[p], second[p]
        a, b, ra, r = placed.origin[i], placed.origin[j], placed.rotation[i], placed.rotation[j]
        radius, half, h = shapes.param[i, 0], shapes.param[i, 1], shapes.param[j]
        c[0], c[1], c[2] = into_frame(r, a[0] - b[0], a[1] - b[1], a[2] - b[2])
        d[0], d[1], d[2] = into_frame(r, ra[2], ra[5], ra[8])
        inside = meets(c, d, half, h)
        distance, s = (core_inside(c, d, half, h, n), 0.0) if inside else core_apart(c, d, half, h, n)
        if distance - radius >= limits[p]:
            continue
        if on_face(c, d, half, h, n, places):
            if not inside:
                # The nearest point may lie just beside the face.
                places[0], places[1] = min(places[0], s), max(places[1], s)
            for end in range(2):
                s = places[end]
                gap = -radius
                for m in range(3):
                    gap += n[m] * (c[m] + s * d[m]) - abs(n[m]) * h[m]
                k = put_core(found, k, i, j, 1 + end, limits[p], b, r, c, d, s, n, gap, radius)
        else:
            if inside:
                s = deepest_place(c, d, half, h, n)
            k = put_core(found, k, i, j, 0, limits[p], b, r, c, d, s, n, distance - radius, radius)
    return k


@kernel
def deepest_place(c, d, half, h, n):
    """Place on the segment farthest against n; in the middle of what is inside where all is equally deep."""
    along = d[0] * n[0] + d[1] * n[1] + d[2] * n[2]
    if abs(along) > 1e-6:
        return -half if along > 0 else half
    low, high = -half, half
    for a in range(3):
        if abs(d[a]) > 1e-14:
            s, t = (-h[a] - c[a]) / d[a], (h[a] - c[a]) / d[a]
            low, high = max(low, min(s, t)), min(high, max(s, t))
    return 0.5 * (low + high)
