"""Nearest points of two convex shapes that are apart, by support points alone [Gilbert1988].

The point v of the difference A - B nearest to the origin is approached by the nearest point of a simplex of support
points; a support point that gets no nearer along v proves that v is the answer.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.convex import core_support
from signorini.kernels.compile import kernel

TOLERANCE = 1e-13
"""Of the squared distance, relative. The error of the normal is of the order of its root."""
MOST_ITERATIONS = 200
FLAT_VOLUME = 1e-14
"""Of a tetrahedron, relative to the product of three edges: below, it has no inside."""


@kernel
def on_line(w, i, j, share):
    """Shares of the corners i and j of the simplex w in the point of their line nearest to the origin."""
    along = dots = 0.0
    for c in range(3):
        d = w[j, c] - w[i, c]
        along += d * d
        dots -= w[i, c] * d
    t = min(max(dots / along, 0.0), 1.0) if along > 0.0 else 0.0
    share[i], share[j] = 1.0 - t, t


@kernel
def on_face(w, i, j, k, share):
    """Shares of the corners i, j, k of the simplex w in the point of their triangle nearest to the origin."""
    ab, ac = w[j] - w[i], w[k] - w[i]
    d1 = -(ab[0] * w[i, 0] + ab[1] * w[i, 1] + ab[2] * w[i, 2])
    d2 = -(ac[0] * w[i, 0] + ac[1] * w[i, 1] + ac[2] * w[i, 2])
    d3 = -(ab[0] * w[j, 0] + ab[1] * w[j, 1] + ab[2] * w[j, 2])
    d4 = -(ac[0] * w[j, 0] + ac[1] * w[j, 1] + ac[2] * w[j, 2])
    d5 = -(ab[0] * w[k, 0] + ab[1] * w[k, 1] + ab[2] * w[k, 2])
    d6 = -(ac[0] * w[k, 0] + ac[1] * w[k, 1] + ac[2] * w[k, 2])
    share[i], share[j], share[k] = 0.0, 0.0, 0.0
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0 and d2 <= 0:
        share[i] = 1.0
    elif d3 >= 0 and d4 <= d3:
        share[j] = 1.0
    elif d6 >= 0 and d5 <= d6:
        share[k] = 1.0
    elif vc <= 0 and d1 >= 0 and d3 <= 0:
        on_line(w, i, j, share)
    elif vb <= 0 and d2 >= 0 and d6 <= 0:
        on_line(w, i, k, share)
    elif va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        on_line(w, j, k, share)
    elif va + vb + vc > 0.0:
        total = va + vb + vc
        share[i], share[j], share[k] = va / total, vb / total, vc / total
    else:
        share[i] = 1.0


@kernel
def _square(w, share, count):
    """Squared length of the point with these shares."""
    square = 0.0
    for c in range(3):
        x = 0.0
        for k in range(count):
            x += share[k] * w[k, c]
        square += x * x
    return square


@kernel
def holds_origin(w):
    """Whether a tetrahedron that is not flat holds the origin."""
    a, b, c, d = w[0], w[1], w[2], w[3]
    n = np.cross(b - a, c - a)
    volume = n[0] * (d[0] - a[0]) + n[1] * (d[1] - a[1]) + n[2] * (d[2] - a[2])
    scale = 1.0
    for e in (b - a, c - a, d - a):
        scale *= sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    if abs(volume) <= FLAT_VOLUME * scale:
        return False
    for i, j, k, other in ((0, 1, 2, 3), (0, 3, 1, 2), (0, 2, 3, 1), (1, 3, 2, 0)):
        m = np.cross(w[j] - w[i], w[k] - w[i])
        inner = outer = 0.0
        for e in range(3):
            inner += m[e] * (w[other, e] - w[i, e])
            outer -= m[e] * w[i, e]
        if inner * outer < 0.0:
            return False
    return True


@kernel
def nearest_of_simplex(w, count, best, share):
    """Shares `best` of the corners in the point of the simplex w that is nearest to the origin; whether it holds it."""
    best[:] = 0.0
    if count == 1:
        best[0] = 1.0
    elif count == 2:
        on_line(w, 0, 1, best)
    elif count == 3:
        on_face(w, 0, 1, 2, best)
    else:
        if holds_origin(w):
            return True
        least = np.inf
        for i, j, k in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)):
            share[:] = 0.0
            on_face(w, i, j, k, share)
            square = _square(w, share, 4)
            if square < least:
                least = square
                best[:] = share
    return False


@kernel
def _merged(w, on_a, kept, count):
    """The point with the shares `kept` in the place of the simplex; returns the number of its corners, 1."""
    for c in range(3):
        x = y = 0.0
        for k in range(count):
            x, y = x + kept[k] * w[k, c], y + kept[k] * on_a[k, c]
        w[0, c], on_a[0, c] = x, y
    kept[0] = 1.0
    return 1


@kernel
def core_distance(a, b, shift, start, normal, point):
    """Distance of two cores with a moved by `shift` [m], -1 where they overlap.

    `start` is any direction from b to a, `normal` gets the unit normal from b to a, `point` the nearest point on a.
    """
    w, on_a = np.empty((4, 3)), np.empty((4, 3))
    best, share, kept = np.empty(4), np.empty(4), np.zeros(4)
    vx, vy, vz = start[0], start[1], start[2]
    if vx == 0.0 and vy == 0.0 and vz == 0.0:
        vz = 1.0
    count, nearest = 0, np.inf
    for _ in range(MOST_ITERATIONS):
        px, py, pz = core_support(a, -vx, -vy, -vz)
        px, py, pz = px + shift[0], py + shift[1], pz + shift[2]
        qx, qy, qz = core_support(b, vx, vy, vz)
        x, y, z = px - qx, py - qy, pz - qz
        if count and vx * (vx - x) + vy * (vy - y) + vz * (vz - z) <= TOLERANCE * nearest:
            break
        w[count, 0], w[count, 1], w[count, 2] = x, y, z
        on_a[count, 0], on_a[count, 1], on_a[count, 2] = px, py, pz
        if nearest_of_simplex(w, count + 1, best, share):
            return -1.0
        square, largest = _square(w, best, count + 1), 0.0
        for k in range(count + 1):
            largest = max(largest, w[k, 0] ** 2 + w[k, 1] ** 2 + w[k, 2] ** 2)
        if square <= 1e-24 * largest:
            return -1.0
        if square >= nearest:
            # Round-off in a thin simplex: go on from its nearest point alone, which is a point of A - B too.
            if count == 1:
                break
            count = _merged(w, on_a, kept, count)
            w[1, 0], w[1, 1], w[1, 2], on_a[1, 0], on_a[1, 1], on_a[1, 2] = x, y, z, px, py, pz
            nearest_of_simplex(w, 2, best, share)
            square = _square(w, best, 2)
            if square >= nearest:
                break
        nearest = square
        count = _reduced(w, on_a, best, count + 1, kept)
        vx = vy = vz = 0.0
        for k in range(count):
            vx, vy, vz = vx + kept[k] * w[k, 0], vy + kept[k] * w[k, 1], vz + kept[k] * w[k, 2]
    distance = sqrt(nearest)
    normal[0], normal[1], normal[2] = vx / distance, vy / distance, vz / distance
    for c in range(3):
        point[c] = 0.0
        for k in range(count):
            point[c] += kept[k] * on_a[k, c]
    return distance


@kernel
def _reduced(w, on_a, best, count, kept):
    """Keep the corners that have a share; returns their number."""
    left = 0
    for k in range(count):
        if best[k] > 0.0:
            w[left], on_a[left], kept[left] = w[k], on_a[k], best[k]
            left += 1
    return left
