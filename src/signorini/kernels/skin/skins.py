"""Contacts of sheets with sheets, themselves included: points on triangles, edges on edges, bars on bars."""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.identity import identity_of
from signorini.kernels.collision.mesh import on_triangle, square_between, triangle_point, triangles_near
from signorini.kernels.compile import kernel
from signorini.kernels.skin.distance import nearest_on_lines
from signorini.kernels.skin.table import anchor, leans_over, store

LEAN = 0.1
"""Slope below which a skin counts as level."""
FACING = -0.1
"""Cosine between two normals up to which two sides look at each other."""
AWAY = 0.5
"""Cosine from which two sides look away from each other, whatever edge they meet at."""
RIDGE = 0.05
"""Slope from which a face falls away from an edge."""
SELF_LEAN = 0.5
"""The same for a skin that folds onto itself: there is no other side that would catch what this one misses."""
PARALLEL = 0.05
"""Sine of the angle up to which two edges are parallel: then their ends touch."""
TOUCHING = 1e-6
"""Share of the depth of a sheet within which a point is on its surface: which face is nearer is round-off there."""
MOST_NEAR = 4096


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
def _are_neighbours(sheets, p, others):
    """Whether point p is one of the other points, or the neighbour of one."""
    for m in range(len(others)):
        if others[m] == p:
            return True
        for j in range(sheets.neighbour_start[p], sheets.neighbour_start[p + 1]):
            if sheets.neighbours[j] == others[m]:
                return True
    return False


@kernel
def _are_outside(low, high, below, above):
    """Whether the box from `below` to `above` is apart from the whole tree."""
    apart = False
    for c in range(3):
        apart = apart or below[c] > high[1, c] or above[c] < low[1, c]
    return apart


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
        if _are_outside(low, high, below, above):
            continue
        count = triangles_near(low, high, leaf, below, above, near)
        for j in range(count):
            t = first_triangle + near[j]
            corner = sheets.triangles[t]
            same = sheets.body[corner[0]] == sheets.body[p]
            if _looks_away(placed, p, t) or (same and _are_neighbours(sheets, p, corner)):
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
        if sheets.body[corner[0]] == sheets.body[p] and _are_neighbours(sheets, p, corner):
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
        store(rows, k, identity_of(own, other, 0), (sheets.body[p], sheets.body[corner[0]]), x, n, gap)
        side = 0
    else:
        x = placed.position[p] - gap * n
        store(rows, k, identity_of(other, own, 0), (sheets.body[corner[0]], sheets.body[p]), x, -n, gap)
        side = 1
    anchor(sheets, one, np.ones(1), rows.nodes[k, side], rows.weights[k, side])
    anchor(sheets, corner, shares, rows.nodes[k, 1 - side], rows.weights[k, 1 - side])


@kernel
def edges_on_edges(sheets, placed, edges, tree, first_triangle, limits, widest, rows, k):
    """Edges first..last against the edges of one sheet, where both are ridges that cross each other."""
    low, high, leaf = tree
    margin, h, fall = limits
    near = np.empty(MOST_NEAR, dtype=np.int64)
    for e in range(edges[0], edges[1]):
        if not _bulges(sheets, placed, e):
            continue
        a, b = placed.position[sheets.edges[e, 0]], placed.position[sheets.edges[e, 1]]
        below, above = np.minimum(a, b) - widest, np.maximum(a, b) + widest
        if _are_outside(low, high, below, above):
            continue
        count = triangles_near(low, high, leaf, below, above, near)
        for j in range(count):
            t = first_triangle + near[j]
            for m in range(3):
                f = sheets.triangle_edges[t, m]
                # Each pair once: by the first triangle of the edge, and of two edges of one sheet by the smaller.
                if sheets.edge_triangles[f, 0] != t or not _bulges(sheets, placed, f):
                    continue
                same = sheets.body[sheets.edges[e, 0]] == sheets.body[sheets.edges[f, 0]]
                if same and (f <= e or _meet(sheets, sheets.edges[e], sheets.edges[f])):
                    continue
                k = _edge_pair(sheets, placed, e, f, margin, h, fall, rows, k)
    return k


@kernel
def _bulges(sheets, placed, edge):
    """Whether the two faces beside an edge fall away from each other; where there is only one, it does."""
    t, q = sheets.edge_triangles[edge, 0], sheets.edge_opposite[edge, 1]
    if q < 0:
        return True
    n, p = placed.triangle_normal[t], sheets.edges[edge, 0]
    u = placed.position[q, 0] - placed.position[p, 0]
    v = placed.position[q, 1] - placed.position[p, 1]
    w = placed.position[q, 2] - placed.position[p, 2]
    return u * n[0] + v * n[1] + w * n[2] < -RIDGE * sqrt(u * u + v * v + w * w)


@kernel
def _meet(sheets, ends, others):
    """Whether two lines share an end, or are one edge or line apart."""
    return _are_neighbours(sheets, ends[0], others) or _are_neighbours(sheets, ends[1], others)


@kernel
def _falls_away(sheets, position, edge, x, n, sign):
    """Whether the faces beside an edge go up along `sign * n` from its point x, one of them clearly."""
    steepest = 0.0
    for side in range(2):
        q = sheets.edge_opposite[edge, side]
        if q < 0:
            continue
        u, v, w = position[q, 0] - x[0], position[q, 1] - x[1], position[q, 2] - x[2]
        slope = sign * (u * n[0] + v * n[1] + w * n[2]) / sqrt(u * u + v * v + w * w)
        if slope < -LEAN:
            return False
        steepest = max(steepest, slope)
    return steepest > RIDGE


@kernel
def _line_approach(velocity, ends, others, s, t):
    """Speed of the point with weight s of a line against that with weight t of another [m/s]."""
    u = (1.0 - s) * velocity[ends[0]] + s * velocity[ends[1]]
    u = u - (1.0 - t) * velocity[others[0]] - t * velocity[others[1]]
    return sqrt(u @ u)


@kernel
def _store_lines(sheets, lines, places, identity, x, n, gap, rows, k):
    """Contact of two lines, each given by its ends, at the weights `places`; x is on the first."""
    store(rows, k, identity, (sheets.body[lines[0][0]], sheets.body[lines[1][0]]), x, n, gap)
    share = np.empty(2)
    for side in range(2):
        share[0], share[1] = 1.0 - places[side], places[side]
        anchor(sheets, lines[side], share, rows.nodes[k, side], rows.weights[k, side])


@kernel
def _edge_pair(sheets, placed, e, f, margin, h, fall, rows, k):
    """The contact of two edges, if they touch inside both."""
    ends, others, position = sheets.edges[e], sheets.edges[f], placed.position
    a, b, c, d = position[ends[0]], position[ends[1]], position[others[0]], position[others[1]]
    s, t = nearest_on_lines(a, b, c, d)
    if min(s, 1.0 - s, t, 1.0 - t) < 1e-6:
        return k
    u, v = b - a, d - c
    n = np.empty(3)
    n[0], n[1], n[2] = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    length = sqrt(n @ n)
    if length < PARALLEL * sqrt((u @ u) * (v @ v)):
        return k
    n /= length
    x, y = a + s * u, c + t * v
    look = placed.normal[others[0]] + placed.normal[others[1]] - placed.normal[ends[0]] - placed.normal[ends[1]]
    if n @ look < 0:
        n = -n
    gap = n @ (x - y)
    if gap >= margin + h * _line_approach(placed.velocity, ends, others, s, t) + fall:
        return k
    if gap < -min(sheets.depth[ends[0]], sheets.depth[others[0]]):
        return k
    if not (_falls_away(sheets, position, e, x, n, 1.0) and _falls_away(sheets, position, f, y, n, -1.0)):
        return k
    if k < len(rows.identity):
        first = sheets.shapes + len(sheets.body) + len(sheets.triangles)
        _store_lines(sheets, (ends, others), (s, t), identity_of(first + e, first + f, 0), x, n, gap, rows, k)
    return k + 1


@kernel
def bars_on_bars(sheets, placed, lines, pairs, offsets, limits, rows, k):
    """Round bars first..last against pairs of points (other bars, or edges of triangles), thick or thin.

    offsets are (feature number of the first line, that of the first pair, whether both are the same list).
    """
    margin, h, fall = limits
    for e in range(lines[0], lines[1]):
        ends = sheets.lines[e]
        a, b = placed.position[ends[0]], placed.position[ends[1]]
        for f in range(len(pairs)):
            others = pairs[f]
            if offsets[2] and (f <= e or _meet(sheets, ends, others)):
                continue
            c, d = placed.position[others[0]], placed.position[others[1]]
            r = sheets.radius[ends[0]] + sheets.radius[others[0]]
            s, t = nearest_on_lines(a, b, c, d)
            # Ends are balls of their own, but for thin edges, whose ends are corners.
            if min(s, 1.0 - s) < 1e-3 or (sheets.radius[others[0]] > 0 and min(t, 1.0 - t) < 1e-3):
                continue
            x, y = a + s * (b - a), c + t * (d - c)
            n = x - y
            length = sqrt(n @ n)
            gap = length - r
            if length == 0.0 or gap >= margin + h * _line_approach(placed.velocity, ends, others, s, t) + fall:
                continue
            n /= length
            if k < len(rows.identity):
                identity = identity_of(sheets.shapes + offsets[0] + e, sheets.shapes + offsets[1] + f, 0)
                x = x - sheets.radius[ends[0]] * n
                _store_lines(sheets, (ends, others), (s, t), identity, x, n, gap, rows, k)
            k += 1
    return k
