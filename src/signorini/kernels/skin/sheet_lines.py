"""Contacts of sheets with sheets, themselves included: edges on edges, round bars on bars and edges."""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.identity import PART_BITS, identity_of
from signorini.kernels.collision.mesh import triangles_near
from signorini.kernels.compile import kernel
from signorini.kernels.skin.distance import nearest_on_lines
from signorini.kernels.skin.table import LEAN, MOST_NEAR, anchor, are_neighbours, is_outside, store

RIDGE = 0.002
"""Slope from which a face falls away from an edge."""
PARALLEL = 0.05
"""Sine of the angle up to which two edges are parallel: then their ends touch."""


@kernel
def edges_on_edges(sheets, placed, edges, tree, first_triangle, limits, widest, rows, k):
    """Edges first..last that are ridges against the edges of one sheet that cross them.

    These are ridges, and in skins also edges of level faces: a ridge that presses into a face that bends runs through
    it between corners, if only corners touch. Pairs of ridges are found once, from the edge of the smaller number.
    """
    low, high, leaf = tree
    margin, h, fall = limits
    near = np.empty(MOST_NEAR, dtype=np.int64)
    for e in range(edges[0], edges[1]):
        if _bulge(sheets, placed, e) >= -RIDGE:
            continue
        a, b = placed.position[sheets.edges[e, 0]], placed.position[sheets.edges[e, 1]]
        below, above = np.minimum(a, b) - widest, np.maximum(a, b) + widest
        if is_outside(low, high, below, above):
            continue
        count = triangles_near(low, high, leaf, below, above, near)
        for j in range(count):
            t = first_triangle + near[j]
            for m in range(3):
                f = sheets.triangle_edges[t, m]
                # Each edge once: by its first triangle.
                if sheets.edge_triangles[f, 0] != t:
                    continue
                bulge, level = _bulge(sheets, placed, f), sheets.body[sheets.edges[f, 0]]
                if bulge > LEAN or (bulge < -RIDGE and f < e) or (bulge >= -RIDGE and level < sheets.rigid):
                    continue
                same = sheets.body[sheets.edges[e, 0]] == level
                if same and _meet(sheets, sheets.edges[e], sheets.edges[f]):
                    continue
                # Edges of flexible bodies come first, and body a is flexible.
                k = _edge_pair(sheets, placed, min(e, f), max(e, f), margin, h, fall, rows, k)
    return k


@kernel
def _bulge(sheets, placed, edge):
    """Slope of one face beside an edge against the other, negative where they fall away from each other; -1 where there
    is only one."""
    t, q = sheets.edge_triangles[edge, 0], sheets.edge_opposite[edge, 1]
    if q < 0:
        return -1.0
    n, p = placed.triangle_normal[t], sheets.edges[edge, 0]
    u = placed.position[q, 0] - placed.position[p, 0]
    v = placed.position[q, 1] - placed.position[p, 1]
    w = placed.position[q, 2] - placed.position[p, 2]
    return (u * n[0] + v * n[1] + w * n[2]) / sqrt(u * u + v * v + w * w)


@kernel
def _meet(sheets, ends, others):
    """Whether two lines share an end, or are one edge or line apart."""
    return are_neighbours(sheets, ends[0], others) or are_neighbours(sheets, ends[1], others)


@kernel
def _rise(sheets, position, edge, x, n, sign):
    """How steeply the faces beside an edge go up along `sign * n` from its point x; -1 where one of them goes down."""
    steepest = 0.0
    for side in range(2):
        q = sheets.edge_opposite[edge, side]
        if q < 0:
            continue
        u, v, w = position[q, 0] - x[0], position[q, 1] - x[1], position[q, 2] - x[2]
        slope = sign * (u * n[0] + v * n[1] + w * n[2]) / sqrt(u * u + v * v + w * w)
        if slope < -LEAN:
            return -1.0
        steepest = max(steepest, slope)
    return steepest


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
    one, other = _rise(sheets, position, e, x, n, 1.0), _rise(sheets, position, f, y, n, -1.0)
    if min(one, other) < 0.0 or max(one, other) <= RIDGE:
        return k
    if k < len(rows.identity):
        first = sheets.shapes + len(sheets.body) + len(sheets.triangles)
        _store_lines(
            sheets, (ends, others), (s, t), identity_of(first + e, first + f, 0, PART_BITS), x, n, gap, rows, k
        )
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
                identity = identity_of(sheets.shapes + offsets[0] + e, sheets.shapes + offsets[1] + f, 0, PART_BITS)
                x = x - sheets.radius[ends[0]] * n
                _store_lines(sheets, (ends, others), (s, t), identity, x, n, gap, rows, k)
            k += 1
    return k
