"""Overlap of two flat features projected along the contact normal: the face manifold of any two convex shapes.

Work is done in coordinates (u, v, w) with w along the normal. Each polygon lies in a plane, whose height is
`w = slope_u u + slope_v v + height`; a contact stands at every corner of the overlap, with the two planes' heights.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel

MOST = 64
"""Corners that the overlap may have: those of both polygons together."""
COINCIDENT = 1e-9
"""Relative to the size of the polygons: corners this near a side are on it, corners this near each other are one."""


@kernel
def tangents(nx, ny, nz):
    """Two unit vectors that complete a right-handed frame (t, s, n)."""
    if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
        length = np.sqrt(ny * ny + nz * nz)
        tx, ty, tz = 0.0, nz / length, -ny / length
    elif abs(ny) <= abs(nz):
        length = np.sqrt(nx * nx + nz * nz)
        tx, ty, tz = -nz / length, 0.0, nx / length
    else:
        length = np.sqrt(nx * nx + ny * ny)
        tx, ty, tz = ny / length, -nx / length, 0.0
    return tx, ty, tz, ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx


@kernel
def signed_area(polygon, count):
    """Twice the area seen from above; positive for counter-clockwise corners."""
    area = 0.0
    for k in range(count):
        m = (k + 1) % count
        area += polygon[k, 0] * polygon[m, 1] - polygon[m, 0] * polygon[k, 1]
    return area


@kernel
def clip_side(subject, labels, count, px, py, qx, qy, label, near, out, out_labels):
    """Keep what lies left of p -> q (Sutherland-Hodgman); labels name the side that begins at each corner."""
    ex, ey = qx - px, qy - py
    length = np.sqrt(ex * ex + ey * ey)
    if length <= near:
        out[:count], out_labels[:count] = subject[:count], labels[:count]
        return count
    kept = 0
    for k in range(count):
        m = (k + 1) % count
        here = (ex * (subject[k, 1] - py) - ey * (subject[k, 0] - px)) / length
        there = (ex * (subject[m, 1] - py) - ey * (subject[m, 0] - px)) / length
        inside, next_inside = here >= -near, there >= -near
        if inside:
            out[kept, 0], out[kept, 1] = subject[k, 0], subject[k, 1]
            out_labels[kept] = labels[k]
            kept += 1
        if inside != next_inside:
            part = here / (here - there)
            part = min(max(part, 0.0), 1.0)
            out[kept, 0] = subject[k, 0] + part * (subject[m, 0] - subject[k, 0])
            out[kept, 1] = subject[k, 1] + part * (subject[m, 1] - subject[k, 1])
            # Leaving: the new corner begins the clipping side. Entering: it begins the rest of the old side.
            out_labels[kept] = label if inside else labels[k]
            kept += 1
    return kept


@kernel
def drop_coincident(polygon, labels, features, count, near):
    """Name the corners by the two sides that meet there, then drop corners that fall on the one before."""
    for k in range(count):
        features[k] = labels[k - 1 if k else count - 1] * MOST + labels[k]
    kept = 0
    for k in range(count):
        last = kept - 1
        if kept and (polygon[k, 0] - polygon[last, 0]) ** 2 + (polygon[k, 1] - polygon[last, 1]) ** 2 <= near * near:
            continue
        polygon[kept, 0], polygon[kept, 1], features[kept] = polygon[k, 0], polygon[k, 1], features[k]
        kept += 1
    last = kept - 1
    if kept > 1 and (polygon[0, 0] - polygon[last, 0]) ** 2 + (polygon[0, 1] - polygon[last, 1]) ** 2 <= near * near:
        kept -= 1
    return kept


@kernel
def overlap(a, b):
    """Corners (u, v) of the common part of two convex polygons of shape (corners, >= 2), and a stable name of each."""
    size = 0.0
    for k in range(len(b)):
        size = max(size, abs(b[k, 0] - b[0, 0]), abs(b[k, 1] - b[0, 1]))
    near = COINCIDENT * size
    room = len(a) + len(b) + 2
    current, other = np.empty((room, 2)), np.empty((room, 2))
    labels, other_labels = np.empty(room, np.int64), np.empty(room, np.int64)
    count = len(a)
    for k in range(count):
        current[k, 0], current[k, 1], labels[k] = a[k, 0], a[k, 1], k
    forward = signed_area(b, len(b)) >= 0
    for k in range(len(b)):
        m = (k + 1) % len(b)
        p, q = (b[k], b[m]) if forward else (b[m], b[k])
        label = len(a) + k
        count = clip_side(current, labels, count, p[0], p[1], q[0], q[1], label, near, other, other_labels)
        current, other, labels, other_labels = other, current, other_labels, labels
        if count == 0:
            break
    features = np.empty(room, np.int64)
    count = drop_coincident(current, labels, features, count, 1e3 * near)
    return current[:count], features[:count]


@kernel
def clip_segment(a, b):
    """Part (low, high) of the segment a[0] -> a[1] inside the convex polygon b; low > high when there is none."""
    low, high = 0.0, 1.0
    forward = signed_area(b, len(b)) >= 0
    for k in range(len(b)):
        m = (k + 1) % len(b)
        p, q = (b[k], b[m]) if forward else (b[m], b[k])
        ex, ey = q[0] - p[0], q[1] - p[1]
        here = ex * (a[0, 1] - p[1]) - ey * (a[0, 0] - p[0])
        there = ex * (a[1, 1] - p[1]) - ey * (a[1, 0] - p[0])
        near = COINCIDENT * (ex * ex + ey * ey)
        if here < -near and there < -near:
            return 1.0, 0.0
        if here < -near:
            low = max(low, here / (here - there))
        elif there < -near:
            high = min(high, here / (here - there))
    return low, high


@kernel
def seen_along(points, t, out):
    """Coordinates (u, v, w) of world points in the frame t = (t, s, n), 9 entries."""
    for k in range(len(points)):
        for c in range(3):
            out[k, c] = t[3 * c] * points[k, 0] + t[3 * c + 1] * points[k, 1] + t[3 * c + 2] * points[k, 2]


@kernel
def plane_through(p):
    """(slope_u, slope_v, height) of the plane through planar corners (u, v, w); for a segment, level across it."""
    if len(p) == 2:
        du, dv, dw = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
        square = du * du + dv * dv
        su, sv = dw * du / square, dw * dv / square
    else:
        # Newell's normal: exact for planar polygons, whatever their first corners.
        nu, nv, nw = 0.0, 0.0, 0.0
        for k in range(len(p)):
            m = (k + 1) % len(p)
            nu += (p[k, 1] - p[m, 1]) * (p[k, 2] + p[m, 2] - 2 * p[0, 2])
            nv += (p[k, 2] - p[m, 2]) * (p[k, 0] + p[m, 0] - 2 * p[0, 0])
            nw += (p[k, 0] - p[m, 0]) * (p[k, 1] + p[m, 1] - 2 * p[0, 1])
        su, sv = -nu / nw, -nv / nw
    return su, sv, p[0, 2] - su * p[0, 0] - sv * p[0, 1]
