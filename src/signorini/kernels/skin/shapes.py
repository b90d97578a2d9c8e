"""Contacts of skins with rigid shapes that have a signed distance: at points, and where a face or line is lowest.

A contact within the margin counts always. Farther ones, which the velocity may close within the step, count only where
the skin is nearest to the shape: points beside it would push sideways without cause.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from signorini.kernels.collision.frames import into_frame, out_of_frame
from signorini.kernels.collision.identity import PART_BITS, identity_of
from signorini.kernels.compile import kernel
from signorini.kernels.skin.distance import distance, lowest_on_line, lowest_on_triangle
from signorini.kernels.skin.table import anchor, leans_over, store

LEAN = 0.25
"""Slope below which a skin counts as level: a beam on a cylinder rolls a little before it touches elsewhere."""
BORDER = 1e-3
"""Weight below which a point of a triangle belongs to its edge, one of an edge to its end."""


@kernel
def _inward(R, origin, x, out):
    """World to shape."""
    out[0], out[1], out[2] = into_frame(R, x[0] - origin[0], x[1] - origin[1], x[2] - origin[2])


@kernel
def _reach(pose, x, velocity, limits):
    """Envelope [m] of a point with this velocity: margin + h |relative velocity| + fall."""
    _, _, centre, speed, spin = pose
    margin, h, fall = limits
    rx, ry, rz = x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]
    u = velocity[0] - speed[0] - (spin[1] * rz - spin[2] * ry)
    v = velocity[1] - speed[1] - (spin[2] * rx - spin[0] * rz)
    w = velocity[2] - speed[2] - (spin[0] * ry - spin[1] * rx)
    return margin + h * sqrt(u * u + v * v + w * w) + fall


@kernel
def points_on_shape(sheets, placed, chosen, d, s, pose, body, limits, rows, k):
    """Points `chosen` against shape s; pose is (rotation (9,), origin, centre of the body, velocity, angular velocity).

    Returns how many contacts there are, k of which were there before.
    """
    local, normal = np.empty(3), np.empty(3)
    for i in range(len(chosen)):
        p = chosen[i]
        x = placed.position[p]
        _inward(pose[0], pose[1], x, local)
        phi, nx, ny, nz = distance(d, s, local[0], local[1], local[2])
        gap = phi - sheets.radius[p]
        if gap >= _reach(pose, x, placed.velocity[p], limits):
            continue
        normal[0], normal[1], normal[2] = out_of_frame(pose[0], nx, ny, nz)
        if gap > limits[0] and leans_over(sheets, placed.position, p, normal, LEAN):
            continue
        if k < len(rows.identity):
            identity = identity_of(sheets.shapes + p, s, 0, PART_BITS)
            point = x - sheets.radius[p] * normal
            store(rows, k, identity, (sheets.body[p], body), point, normal, gap)
            for m in range(4):
                rows.nodes[k, 0, m], rows.weights[k, 0, m] = sheets.nodes[p, m], sheets.weights[p, m]
        k += 1
    return k


@kernel
def triangles_on_shape(sheets, placed, chosen, d, s, pose, body, limits, rows, k):
    """The lowest point of each of the triangles `chosen` against a round shape, if it is inside."""
    a, b, c, normal = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    velocity, shares = np.empty(3), np.empty(3)
    for i in range(len(chosen)):
        corner = sheets.triangles[chosen[i]]
        _inward(pose[0], pose[1], placed.position[corner[0]], a)
        _inward(pose[0], pose[1], placed.position[corner[1]], b)
        _inward(pose[0], pose[1], placed.position[corner[2]], c)
        v, w = lowest_on_triangle(d, s, a, b, c)
        shares[0], shares[1], shares[2] = 1.0 - v - w, v, w
        if shares.min() < BORDER:
            continue
        x = shares[0] * a + v * b + w * c
        gap, nx, ny, nz = distance(d, s, x[0], x[1], x[2])
        x = np.zeros(3)
        velocity[:] = 0.0
        for m in range(3):
            x += shares[m] * placed.position[corner[m]]
            velocity += shares[m] * placed.velocity[corner[m]]
        if gap >= _reach(pose, x, velocity, limits):
            continue
        if k < len(rows.identity):
            normal[0], normal[1], normal[2] = out_of_frame(pose[0], nx, ny, nz)
            identity = identity_of(sheets.shapes + len(sheets.body) + chosen[i], s, 0, PART_BITS)
            store(rows, k, identity, (sheets.body[corner[0]], body), x, normal, gap)
            rows.data[k, 10] = d.core[s] + gap
            anchor(sheets, corner, shares, rows.nodes[k, 0], rows.weights[k, 0])
        k += 1
    return k


@kernel
def _is_ridge(sheets, position, edge, x, normal):
    """Whether no face beside an edge goes down from point x of it, along a normal."""
    for side in range(2):
        q = sheets.edge_opposite[edge, side]
        if q < 0:
            continue
        u, v, w = position[q, 0] - x[0], position[q, 1] - x[1], position[q, 2] - x[2]
        if u * normal[0] + v * normal[1] + w * normal[2] < -LEAN * sqrt(u * u + v * v + w * w):
            return False
    return True


@kernel
def lines_on_shape(sheets, placed, chosen, ends, first, d, s, pose, body, limits, rows, k):
    """The lowest point of each of the edges or bars `chosen` among `ends` against shape s, if it is inside.

    `first` is the feature number of the first of `ends`. An edge of triangles that is no ridge there counts within the
    margin only.
    """
    a, b, normal, shares = np.empty(3), np.empty(3), np.empty(3), np.empty(2)
    for i in range(len(chosen)):
        p, q = ends[chosen[i]]
        _inward(pose[0], pose[1], placed.position[p], a)
        _inward(pose[0], pose[1], placed.position[q], b)
        w = lowest_on_line(d, s, a, b)
        if min(w, 1.0 - w) < BORDER:
            continue
        x = a + w * (b - a)
        phi, nx, ny, nz = distance(d, s, x[0], x[1], x[2])
        gap = phi - sheets.radius[p]
        x = (1.0 - w) * placed.position[p] + w * placed.position[q]
        if gap >= _reach(pose, x, (1.0 - w) * placed.velocity[p] + w * placed.velocity[q], limits):
            continue
        normal[0], normal[1], normal[2] = out_of_frame(pose[0], nx, ny, nz)
        thin = sheets.radius[p] == 0.0
        if thin and gap > limits[0] and not _is_ridge(sheets, placed.position, chosen[i], x, normal):
            continue
        if k < len(rows.identity):
            shares[0], shares[1] = 1.0 - w, w
            identity = identity_of(sheets.shapes + first + chosen[i], s, 0, PART_BITS)
            store(rows, k, identity, (sheets.body[p], body), x - sheets.radius[p] * normal, normal, gap)
            rows.data[k, 10] = d.core[s] + gap if thin else 0.0
            anchor(sheets, ends[chosen[i]], shares, rows.nodes[k, 0], rows.weights[k, 0])
        k += 1
    return k
