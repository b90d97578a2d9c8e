"""Contacts of sheets with sheets, themselves included: points on triangles."""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.identity import PART_BITS, identity_of
from signorini.kernels.collision.mesh import on_triangle, square_between, triangle_point, triangles_near
from signorini.kernels.compile import kernel
from signorini.kernels.skin.table import LEAN, MOST_NEAR, anchor, are_neighbours, is_outside, leans_over, store

FACING = -0.1
"""Cosine between two normals up to which two sides look at each other."""
AWAY = 0.5
"""Cosine from which two sides look away from each other, whatever edge they meet at."""
SELF_LEAN = 0.5
"""`LEAN` of a skin that folds onto itself: there is no other side that would catch what this one misses."""
TOUCHING = 1e-6
"""Share of the depth of a sheet within which a point is on its surface: which face is nearer is round-off there."""


@kernel
def _approach(placed, p, triangle, shares):
    """Speed of point p against a point of a triangle [m/s]."""
    square = 0.0
    for c in range(3):
        u = placed.velocity[p, c]
        for m in range(3):
            u -= shares[m] * placed.velocity[triangle[m], c]
        square += u * u
    return sqrt(square)


@kernel
def points_on_triangles(sheets, placed, points, tree, first_triangle, limits, widest, rows, k):
    """Points first..last against the triangles of one sheet; tree is (low, high, leaf), leaf from 0 on.

    limits are (margin, step, fall); `widest` bounds how far a point may be from a triangle that it touches, on either
    side [m].
    """
    low, high, leaf = tree
    margin, h, fall = limits
    near, shares, n = np.empty(MOST_NEAR, dtype=np.int64), np.empty(3), np.empty(3)
    for p in range(points[0], points[1]):
        x, first = placed.position[p], k
        wide = widest + sheets.radius[p]
        below, above = x - wide, x + wide
        if is_outside(low, high, below, above):
            continue
        count = triangles_near(low, high, leaf, below, above, near)
        for j in range(count):
            t = first_triangle + near[j]
            corner = sheets.triangles[t]
            same = sheets.body[corner[0]] == sheets.body[p]
            if _looks_away(placed, p, t) or (same and are_neighbours(sheets, p, corner)):
                continue
            a, b, c = placed.position[corner[0]], placed.position[corner[1]], placed.position[corner[2]]
            v, w = on_triangle(x, a, b, c)
            shares[0], shares[1], shares[2] = 1.0 - v - w, v, w
            gap = _gap(sheets, placed, p, t, shares, margin, same, n)
            if gap >= margin + h * _approach(placed, p, corner, shares) + fall:
                continue
            depth = -gap - sheets.radius[p]
            inside = depth > TOUCHING * sheets.depth[p]
            if inside and _is_nearer(sheets, placed, p, depth, near[:count], first_triangle):
                continue
            if k < len(rows.identity):
                _store_point(sheets, placed, p, t, shares, n, gap, rows, k)
                if _is_repeated(rows.data, first, k, TOUCHING * sheets.depth[p]):
                    continue
            k += 1
    return k


@kernel
def _is_nearer(sheets, placed, p, depth, near, first_triangle):
    """Whether point p is nearer than `depth` to another triangle: then it is not inside the sheet behind this one."""
    x = placed.position[p]
    for j in range(len(near)):
        corner = sheets.triangles[first_triangle + near[j]]
        if sheets.body[corner[0]] == sheets.body[p] and are_neighbours(sheets, p, corner):
            continue
        a, b, c = placed.position[corner[0]], placed.position[corner[1]], placed.position[corner[2]]
        v, w = on_triangle(x, a, b, c)
        if square_between(x, triangle_point(a, b, c, v, w)) < (0.999 * depth) ** 2:
            return True
    return False


@kernel
def _looks_away(placed, p, t):
    """Whether the normals of a point and of a triangle are so alike that they cannot touch."""
    n, m = placed.normal[p], placed.triangle_normal[t]
    return n[0] * m[0] + n[1] * m[1] + n[2] * m[2] > AWAY


@kernel
def _is_repeated(data, first, k, tolerance):
    """Whether contact k has the place and normal of one of those from `first` on: neighbours share their edges."""
    for m in range(first, k):
        off, turn = 0.0, 0.0
        for c in range(3):
            off = max(off, abs(data[k, c] - data[m, c]), abs(data[k, 3 + c] - data[m, 3 + c]))
            turn = max(turn, abs(data[k, 6 + c] - data[m, 6 + c]))
        if off < tolerance and turn < 1e-6:
            return True
    return False


@kernel
def _gap(sheets, placed, p, t, shares, margin, same, n):
    """Gap of a point or ball p to a triangle, and its normal in n; infinite where they do not look at each other.

    Above or below the inside of the triangle the normal is the triangle's own. Beside it the nearest edge or corner
    counts, if no face there is nearer: from above where faces fall away from it, from below where they rise, as in a
    dent; the mean normal there tells above from below.
    """
    corner, up = sheets.triangles[t], placed.triangle_normal[t]
    square, height = 0.0, 0.0
    for c in range(3):
        n[c] = placed.position[p, c]
        for m in range(3):
            n[c] -= shares[m] * placed.position[corner[m], c]
        square += n[c] * n[c]
        height += n[c] * up[c]
    depth = min(sheets.depth[p], sheets.depth[corner[0]])
    if square - height * height <= max((TOUCHING * depth) ** 2, 1e-14 * square):
        gap = height
        n[0], n[1], n[2] = up[0], up[1], up[2]
    else:
        gap = sqrt(square)
        if height > 0.0:
            n /= gap
            for m in range(3):
                if shares[m] > 0.0 and leans_over(sheets, placed.position, corner[m], -n, LEAN):
                    return np.inf
        else:
            rise = 0.0
            for m in range(3):
                own = placed.normal[corner[m]]
                rise += shares[m] * (own[0] * n[0] + own[1] * n[1] + own[2] * n[2])
            if rise >= 0.0:
                return np.inf
            n /= -gap
            gap = -gap
    if gap < -depth:
        return np.inf
    if sheets.radius[p] > 0:
        return gap - sheets.radius[p]
    own = placed.normal[p]
    if own[0] * n[0] + own[1] * n[1] + own[2] * n[2] > FACING:
        return np.inf
    if (gap > margin or same) and leans_over(sheets, placed.position, p, n, SELF_LEAN if same else LEAN):
        return np.inf
    return gap


@kernel
def _store_point(sheets, placed, p, t, shares, n, gap, rows, k):
    """Contact of point p with triangle t; a is flexible, the point where both are."""
    corner, points = sheets.triangles[t], len(sheets.body)
    own, other = sheets.shapes + p, sheets.shapes + points + t
    one = np.empty(1, dtype=np.int64)
    one[0] = p
    if sheets.body[p] >= sheets.rigid:
        x = placed.position[p] - sheets.radius[p] * n
        store(rows, k, identity_of(own, other, 0, PART_BITS), (sheets.body[p], sheets.body[corner[0]]), x, n, gap)
        side = 0
    else:
        x = placed.position[p] - gap * n
        store(rows, k, identity_of(other, own, 0, PART_BITS), (sheets.body[corner[0]], sheets.body[p]), x, -n, gap)
        side = 1
    anchor(sheets, one, np.ones(1), rows.nodes[k, side], rows.weights[k, side])
    anchor(sheets, corner, shares, rows.nodes[k, 1 - side], rows.weights[k, 1 - side])
