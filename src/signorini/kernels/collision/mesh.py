"""Triangles near a box (tree of bounding boxes) and spheres against triangles, in the frame of the mesh.

The tree is stored like a heap: the children of node k are 2 k and 2 k + 1, leaf[p] is the triangle of the p-th node of
the last row, -1 for none. It is searched in preorder without a stack, so that a GPU can do it too.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from signorini.kernels.collision.frames import difference, dot, into_frame, out_of_frame
from signorini.kernels.collision.table import put
from signorini.kernels.compile import kernel


@kernel
def following(node):
    """The next node in preorder after the subtree of one; 0 after the last."""
    while node & 1:
        node >>= 1
    return node + 1 if node else 0


@kernel
def near_leaf(node_low, node_high, node, low, high):
    """First leaf from `node` on, in preorder, whose box meets low..high; 0 if there is none."""
    while node:
        apart = False
        for c in range(3):
            apart = apart or node_low[node, c] > high[c] or node_high[node, c] < low[c]
        if apart:
            node = following(node)
        elif node >= len(node_low) // 2:
            break
        else:
            node = 2 * node
    return node


@kernel
def triangles_near(node_low, node_high, leaf, low, high, out):
    """Triangles whose boxes meet low..high, in rising order; returns their number, at most len(out)."""
    count = 0
    node = near_leaf(node_low, node_high, 1, low, high)
    while node:
        triangle = leaf[node - len(node_low) // 2]
        if triangle >= 0 and count < len(out):
            out[count] = triangle
            count += 1
        node = near_leaf(node_low, node_high, following(node), low, high)
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
    ab, ac, ap = difference(b, a), difference(c, a), difference(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0 and d2 <= 0:
        return 0.0, 0.0
    bp = difference(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0 and d4 <= d3:
        return 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0 and d1 >= 0 and d3 <= 0:
        return d1 / (d1 - d3), 0.0
    cp = difference(p, c)
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
def nearest_on(corners, triangle, p):
    """Point of a triangle nearest to p, and its distance."""
    a, b, c = corners[triangle, 0], corners[triangle, 1], corners[triangle, 2]
    v, w = on_triangle(p, a, b, c)
    point = triangle_point(a, b, c, v, w)
    return point, sqrt(square_between(p, point))


@kernel
def nearest_triangle(mesh, centre, low, high):
    """The nearest to `centre` of the triangles that meet low..high, of equal ones the first; -1 for none."""
    node_low, node_high, leaf, corners, _ = mesh
    best, least = -1, inf
    node = near_leaf(node_low, node_high, 1, low, high)
    while node:
        triangle = leaf[node - len(leaf)]
        _, distance = nearest_on(corners, triangle, centre)
        if distance < least or (distance == least and triangle < best):
            best, least = triangle, distance
        node = near_leaf(node_low, node_high, following(node), low, high)
    return best


@kernel
def is_spare(mesh, triangle, point, distance, centre, low, high, tolerance):
    """Whether a triangle's contact repeats another: the same point, or a point of a triangle that is itself nearer.

    That leaves one contact where neighbours share an edge, and none at the edges inside a flat or bulging surface.
    """
    node_low, node_high, leaf, corners, _ = mesh
    node = near_leaf(node_low, node_high, 1, low, high)
    while node:
        other = leaf[node - len(leaf)]
        node = near_leaf(node_low, node_high, following(node), low, high)
        if other == triangle:
            continue
        _, theirs = nearest_on(corners, other, centre)
        if theirs >= distance - tolerance and (other > triangle or theirs > distance + tolerance):
            continue
        _, between = nearest_on(corners, other, point)
        if between <= tolerance:
            return True
    return False


@kernel
def across(corners, triangle):
    """Normal of a triangle, as long as twice its area."""
    u = difference(corners[triangle, 1], corners[triangle, 0])
    v = difference(corners[triangle, 2], corners[triangle, 0])
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@kernel
def put_inside(found, k, i, j, centre, corners, triangle, point, frame):
    """Contact of a sphere whose centre is inside the solid: out through the nearest triangle, along its normal."""
    origin, r, radius = frame
    n = across(corners, triangle)
    length = sqrt(dot(n, n))
    n = (n[0] / length, n[1] / length, n[2] / length)
    depth = dot(n, difference(centre, point))
    nx, ny, nz = out_of_frame(r, n[0], n[1], n[2])
    x, y, z = out_of_frame(r, centre[0] - radius * n[0], centre[1] - radius * n[1], centre[2] - radius * n[2])
    put(found, k, i, j, triangle, x + origin[0], y + origin[1], z + origin[2], nx, ny, nz, depth - radius)


@kernel
def sphere_on_mesh(shapes, placed, i, j, limit, mesh, found, k):
    """Sphere i against mesh j: mesh = (node_low, node_high, leaf, corners, solid).

    Keeps counting past the capacity of `found`, so that the caller can grow it. `solid` tells that the triangles bound
    a solid, so that a centre behind the nearest one is inside.
    """
    node_low, node_high, leaf, corners, solid = mesh
    a, o, r, radius = placed.origin[i], placed.origin[j], placed.rotation[j], shapes.param[i, 0]
    centre = into_frame(r, a[0] - o[0], a[1] - o[1], a[2] - o[2])
    reach = radius + limit
    low = (centre[0] - reach, centre[1] - reach, centre[2] - reach)
    high = (centre[0] + reach, centre[1] + reach, centre[2] + reach)
    best = nearest_triangle(mesh, centre, low, high)
    if best < 0:
        return k
    point, _ = nearest_on(corners, best, centre)
    if solid and dot(across(corners, best), difference(centre, point)) < 0:
        if k < len(found.identity):
            put_inside(found, k, i, j, centre, corners, best, point, (o, r, radius))
        return k + 1
    node = near_leaf(node_low, node_high, 1, low, high)
    while node:
        triangle = leaf[node - len(leaf)]
        node = near_leaf(node_low, node_high, following(node), low, high)
        p, d = nearest_on(corners, triangle, centre)
        if d >= reach or d == 0.0 or is_spare(mesh, triangle, p, d, centre, low, high, 1e-6 * radius):
            continue
        nx, ny, nz = out_of_frame(r, (centre[0] - p[0]) / d, (centre[1] - p[1]) / d, (centre[2] - p[2]) / d)
        if k < len(found.identity):
            x, y, z = a[0] - radius * nx, a[1] - radius * ny, a[2] - radius * nz
            put(found, k, i, j, triangle, x, y, z, nx, ny, nz, d - radius)
        k += 1
    return k


@kernel
def sphere_mesh(shapes, placed, first, second, limits, mesh, found, k):
    """Spheres (first) against one mesh, see `sphere_on_mesh`."""
    for p in range(len(first)):
        k = sphere_on_mesh(shapes, placed, first[p], second[p], limits[p], mesh, found, k)
    return k
