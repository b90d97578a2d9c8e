"""Contacts of two convex polyhedra from their nearest points: `collision/manifold.py`, compiled for these.

A polyhedron is (corners, normals, face_start, face_corner, size): world corners and outward normals of its faces, the
corners of face f being `face_corner[face_start[f]:face_start[f + 1]]` in order, and half its largest extent.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.collision.conventions import FLAT
from signorini.kernels.collision.frames import dot
from signorini.kernels.collision.polygon import clip_segment, overlap, plane_through, tangents
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel

Polyhedron = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]
"""See above."""
SNAP = 1e-4
"""Angle [rad] within which a contact normal is that of a face, which is exact where that of a search is not."""
PARALLEL = 1e-3
"""Sine of the angle up to which two lines touch along their length."""
SAME_HEIGHT = 1e-6
"""Contacts of a manifold this much above the nearest point, relative to their extent, make it superfluous."""


@kernel
def _span(points, n):
    """(lowest, highest) along n."""
    low = high = dot(points[0], n)
    for k in range(1, len(points)):
        height = dot(points[k], n)
        low, high = min(low, height), max(high, height)
    return low, high


@kernel
def best_face(a, b, line):
    """The direction of largest separation among `line`, the normals of a turned round and those of b."""
    best = line.copy()
    largest = _span(a[0], best)[0] - _span(b[0], best)[1]
    for k in range(len(a[1])):
        n = -a[1][k]
        gap = _span(a[0], n)[0] - _span(b[0], n)[1]
        if gap > largest:
            largest, best = gap, n
    for k in range(len(b[1])):
        n = b[1][k]
        gap = _span(a[0], n)[0] - _span(b[0], n)[1]
        if gap > largest:
            largest, best = gap, n.copy()
    return best


@kernel
def feature(shape, n, turn, out):
    """Corners of what a polyhedron shows towards `turn` n: a face, an edge or a corner. Returns their number."""
    corners, normals, face_start, face_corner, size = shape
    best = 0
    towards = -2.0
    for k in range(len(normals)):
        height = turn * dot(normals[k], n)
        if height > towards:
            best, towards = k, height
    if towards > math.cos(FLAT):
        count = face_start[best + 1] - face_start[best]
        for k in range(count):
            out[k] = corners[face_corner[face_start[best] + k]]
        return count
    top = turn * dot(corners[0], n)
    highest = 0
    for k in range(1, len(corners)):
        height = turn * dot(corners[k], n)
        if height > top:
            top, highest = height, k
    first = second = -1
    near = 0
    for k in range(len(corners)):
        if turn * dot(corners[k], n) > top - 2.0 * FLAT * size:
            first, second = (k, second) if near == 0 else (first, k)
            near += 1
    if near == 2:
        along = corners[second] - corners[first]
        if abs(dot(along, n)) < FLAT * math.sqrt(dot(along, along)):
            out[0], out[1] = corners[first], corners[second]
            return 2
    out[0] = corners[highest]
    return 1


@kernel
def snapped(a, b, n):
    """The face normal within `SNAP` of n of largest separation, else n itself; and whether it is one."""
    best = n
    largest = -math.inf
    for side, shape in enumerate((a, b)):
        turn = 1.0 if side else -1.0
        for k in range(len(shape[1])):
            off = 0.0
            for c in range(3):
                off += (turn * shape[1][k, c] - n[c]) ** 2
            if math.sqrt(off) < SNAP:
                direction = turn * shape[1][k]
                gap = _span(a[0], direction)[0] - _span(b[0], direction)[1]
                if gap > largest:
                    largest, best = gap, direction
    return best, largest > -math.inf


@kernel
def _line_overlap(p, q, corners):
    """Ends of a line's part above a face or above a parallel line. Returns their number, 0 or 2."""
    line, other = (p, q) if len(p) == 2 else (q, p)
    du, dv = line[1, 0] - line[0, 0], line[1, 1] - line[0, 1]
    square = du * du + dv * dv
    if square == 0.0:
        return 0
    if len(other) > 2:
        low, high = clip_segment(line, other)
    else:
        eu, ev = other[1, 0] - other[0, 0], other[1, 1] - other[0, 1]
        sine = (du * ev - dv * eu) / math.sqrt(square * max(eu * eu + ev * ev, 1e-300))
        if not abs(sine) < PARALLEL:
            return 0
        one = ((other[0, 0] - line[0, 0]) * du + (other[0, 1] - line[0, 1]) * dv) / square
        two = ((other[1, 0] - line[0, 0]) * du + (other[1, 1] - line[0, 1]) * dv) / square
        low, high = max(0.0, min(one, two)), min(1.0, max(one, two))
    if high <= low:
        return 0
    corners[0, 0], corners[0, 1] = line[0, 0] + low * du, line[0, 1] + low * dv
    corners[1, 0], corners[1, 1] = line[0, 0] + high * du, line[0, 1] + high * dv
    return 2


@kernel
def _in_frame(points, count, frame):
    """Coordinates (u, v, w) of the first `count` points."""
    out = np.empty((count, 3))
    for k in range(count):
        for c in range(3):
            out[k, c] = dot(points[k], frame[c])
    return out


@kernel
def _between(p, q, frame, limit, found, names):
    """Contacts nearer than `limit` at the corners of the overlap of two features (u, v, w).

    Returns their number and that of all corners.
    """
    corners = np.empty((2, 2))
    labels = np.array([1, 2])
    if len(p) > 2 and len(q) > 2:
        corners, labels = overlap(p, q)
        count = len(corners)
    else:
        count = _line_overlap(p, q, corners)
    if count == 0:
        return 0, 0
    plane_p, plane_q = plane_through(p), plane_through(q)
    kept = 0
    for k in range(count):
        u, v = corners[k, 0], corners[k, 1]
        w = plane_p[0] * u + plane_p[1] * v + plane_p[2]
        gap = w - (plane_q[0] * u + plane_q[1] * v + plane_q[2])
        if gap < limit:
            for c in range(3):
                found[kept, c] = u * frame[0, c] + v * frame[1, c] + w * frame[2, c]
            found[kept, 3] = gap
            names[kept] = labels[k]
            kept += 1
    return kept, count


@kernel
def _extent(found, count):
    """Largest extent of points along an axis."""
    extent = 0.0
    for c in range(3):
        low = high = found[0, c]
        for k in range(1, count):
            low, high = min(low, found[k, c]), max(high, found[k, c])
        extent = max(extent, high - low)
    return extent


@kernel
def hull_manifold(a, b, normal, point, gap, limit, single, found, names):
    """All contacts of the features that look at each other along the normal of the nearest contact (point, gap).

    `found` gets (point, gap) of each, `names` its feature, `single` for the nearest one. Returns (number, normal).
    """
    n, moved = snapped(a, b, normal)
    if moved:
        low, high = _span(a[0], n)[0], _span(b[0], n)[1]
        point, gap = point + (low - dot(n, point)) * n, low - high
    frame = np.empty((3, 3))
    frame[0, 0], frame[0, 1], frame[0, 2], frame[1, 0], frame[1, 1], frame[1, 2] = tangents(n[0], n[1], n[2])
    frame[2] = n
    of_a, of_b = np.empty((len(a[0]), 3)), np.empty((len(b[0]), 3))
    count_a, count_b = feature(a, n, -1.0, of_a), feature(b, n, 1.0, of_b)
    kept, over = 0, 0
    if count_a > 1 and count_b > 1:
        kept, over = _between(
            _in_frame(of_a, count_a, frame), _in_frame(of_b, count_b, frame), frame, limit, found, names
        )
    deepest = math.inf
    for k in range(kept):
        deepest = min(deepest, found[k, 3])
    reach = _extent(found, kept) if kept else 0.0
    # Along the normal of a face the supports may lie beside it: only what is over the face counts.
    beside = moved and over > 2
    if not beside and deepest > gap + SAME_HEIGHT * (abs(gap) + reach) and gap < limit:
        found[kept, 0], found[kept, 1], found[kept, 2], found[kept, 3] = point[0], point[1], point[2], gap
        names[kept] = single
        kept += 1
    return kept, n


@kernel
def put_all(found, shapes, names, touches):
    """Store contacts of pairs of shapes: (point on the first, normal, gap, share), named by their features."""
    for k in range(len(shapes)):
        t = touches[k]
        put(found, k, shapes[k, 0], shapes[k, 1], names[k], t[0], t[1], t[2], t[3], t[4], t[5], t[6])
        found.data[k, 10] = t[7]
