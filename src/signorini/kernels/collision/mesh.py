"""Triangles near a box (tree of bounding boxes) and spheres against triangles, in the frame of the mesh."""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.frames import dot, into_frame, out_of_frame
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel

DEPTH = 64
"""Of the stack of a search: more than the tree can be deep."""


@kernel
def triangles_near(node_low, node_high, leaf, low, high, out):
    """Triangles whose boxes meet low..high, in rising order; returns their number, at most len(out).

    The tree is stored like a heap: the children of node k are 2 k and 2 k + 1, leaf[p] is the triangle of the p-th
    of the last row, -1 for none.
    """
    first_leaf = len(node_low) // 2
    stack = np.empty(DEPTH, np.int64)
    stack[0], top, count = 1, 1, 0
    while top:
        top -= 1
        node = stack[top]
        apart = False
        for c in range(3):
            apart = apart or node_low[node, c] > high[c] or node_high[node, c] < low[c]
        if apart:
            continue
        if node >= first_leaf:
            triangle = leaf[node - first_leaf]
            if triangle >= 0 and count < len(out):
                out[count] = triangle
                count += 1
        else:
            stack[top], stack[top + 1] = 2 * node + 1, 2 * node
            top += 2
    out[:count].sort()
    return count


@kernel
def refit(position, facets, leaf, low, high):
    """Boxes of a tree stored like a heap (see `triangles_near`) around facets of three points each."""
    first_leaf = len(low) // 2
    for k in range(first_leaf):
        t, node = leaf[k], first_leaf + k
        for c in range(3):
            low[node, c], high[node, c] = np.inf, -np.inf
            if t >= 0:
                x, y, z = position[facets[t, 0], c], position[facets[t, 1], c], position[facets[t, 2], c]
                low[node, c], high[node, c] = min(x, y, z), max(x, y, z)
    for node in range(first_leaf - 1, 0, -1):
        for c in range(3):
            low[node, c] = min(low[2 * node, c], low[2 * node + 1, c])
            high[node, c] = max(high[2 * node, c], high[2 * node + 1, c])


@kernel
def on_triangle(p, a, b, c):
    """Weights (v, w) of the point a + v (b - a) + w (c - a) of a triangle nearest to p, by Voronoi regions."""
    ab, ac, ap = b - a, c - a, p - a
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0 and d2 <= 0:
        return 0.0, 0.0
    bp = p - b
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0 and d4 <= d3:
        return 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0 and d1 >= 0 and d3 <= 0:
        return d1 / (d1 - d3), 0.0
    cp = p - c
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0 and d5 <= d6:
        return 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0 and d2 >= 0 and d6 <= 0:
        return 0.0, d2 / (d2 - d6)
    va = d3 * d6 - d5 * d4
    if va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 1.0 - w, w
    return vb / (va + vb + vc), vc / (va + vb + vc)


@kernel
def triangle_point(a, b, c, v, w):
    """The point a + v (b - a) + w (c - a)."""
    return (
        a[0] + v * (b[0] - a[0]) + w * (c[0] - a[0]),
        a[1] + v * (b[1] - a[1]) + w * (c[1] - a[1]),
        a[2] + v * (b[2] - a[2]) + w * (c[2] - a[2]),
    )


@kernel
def square_between(p, q):
    """Squared distance of two points."""
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2


@kernel
def nearest_points(centre, corners, near, count, points, distances):
    """Nearest point of each near triangle to `centre`, and its distance."""
    for k in range(count):
        a, b, c = corners[near[k], 0], corners[near[k], 1], corners[near[k], 2]
        v, w = on_triangle(centre, a, b, c)
        points[k, 0], points[k, 1], points[k, 2] = triangle_point(a, b, c, v, w)
        distances[k] = sqrt(square_between(centre, points[k]))


@kernel
def is_spare(k, corners, near, count, points, distances, tolerance):
    """Whether candidate k repeats another: the same point, or a point of a triangle that is itself nearer.

    That leaves one contact where neighbours share an edge, and none at the edges inside a flat or bulging surface.
    """
    for m in range(count):
        if m == k:
            continue
        nearer = distances[m] < distances[k] - tolerance
        if not nearer and (m > k or distances[m] > distances[k] + tolerance):
            continue
        a, b, c = corners[near[m], 0], corners[near[m], 1], corners[near[m], 2]
        v, w = on_triangle(points[k], a, b, c)
        if square_between(triangle_point(a, b, c, v, w), points[k]) <= tolerance * tolerance:
            return True
    return False


@kernel
def put_inside(found, k, i, j, centre, corners, triangle, point, frame):
    """Contact of a sphere whose centre is inside the solid: out through the nearest triangle, along its normal."""
    origin, r, radius = frame
    ab, ac = corners[triangle, 1] - corners[triangle, 0], corners[triangle, 2] - corners[triangle, 0]
    n = np.cross(ab, ac)
    n = n / sqrt(dot(n, n))
    depth = dot(n, centre - point)
    nx, ny, nz = out_of_frame(r, n[0], n[1], n[2])
    x, y, z = out_of_frame(r, centre[0] - radius * n[0], centre[1] - radius * n[1], centre[2] - radius * n[2])
    put(found, k, i, j, triangle, x + origin[0], y + origin[1], z + origin[2], nx, ny, nz, depth - radius)


@kernel
def sphere_mesh(shapes, placed, first, second, limits, mesh, found, k):
    """Spheres (first) against one mesh: mesh = (node_low, node_high, leaf, corners, solid).

    Counts on past the capacity of `found`, so that the caller can grow it.
    `solid` tells that the triangles bound a solid, so that a centre behind the nearest one is inside.
    """
    node_low, node_high, leaf, corners, solid = mesh
    near = np.empty(min(len(corners), 4096), np.int64)
    points, distances = np.empty((len(near), 3)), np.empty(len(near))
    centre = np.empty(3)
    for p in range(len(first)):
        i, j = first[p], second[p]
        o, r, radius = placed.origin[j], placed.rotation[j], shapes.param[i, 0]
        a = placed.origin[i]
        centre[0], centre[1], centre[2] = into_frame(r, a[0] - o[0], a[1] - o[1], a[2] - o[2])
        reach = radius + limits[p]
        count = triangles_near(node_low, node_high, leaf, centre - reach, centre + reach, near)
        if count == 0:
            continue
        nearest_points(centre, corners, near, count, points, distances)
        best = np.argmin(distances[:count])
        side = corners[near[best]]
        if solid and dot(np.cross(side[1] - side[0], side[2] - side[0]), centre - points[best]) < 0:
            if k < len(found.identity):
                put_inside(found, k, i, j, centre, corners, near[best], points[best], (o, r, radius))
            k += 1
            continue
        for m in range(count):
            d = distances[m]
            if d >= reach or d == 0.0 or is_spare(m, corners, near, count, points, distances, 1e-6 * radius):
                continue
            n = (centre - points[m]) / d
            nx, ny, nz = out_of_frame(r, n[0], n[1], n[2])
            x, y, z = a[0] - radius * nx, a[1] - radius * ny, a[2] - radius * nz
            if k < len(found.identity):
                put(found, k, i, j, near[m], x, y, z, nx, ny, nz, d - radius)
            k += 1
    return k
