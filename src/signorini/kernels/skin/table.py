"""The arrays that contact kernels of skins pass around, where the skins are, and how contacts are stored.

A sheet is the surface of one flexible body, or the corners, edges and faces of one rigid shape. All sheets of a model
lie in the same arrays: points, triangles, edges (of triangles) and lines (round bars of cables).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from signorini.kernels.collision.frames import out_of_frame, rotation_entries
from signorini.kernels.compile import kernel

LEAN = 0.1
"""Slope below which a skin counts as level."""
MOST_NEAR = 4096
"""Triangles near one point or edge."""


class Sheets(NamedTuple):
    """All points, triangles, edges and lines. Built once."""

    nodes: np.ndarray
    """Nodes that each point depends on, (points, 4), -1 for none."""
    weights: np.ndarray
    """(points, 4)."""
    body: np.ndarray
    """Body of each point: of rigid sheets its index, of flexible ones their number above all rigid bodies."""
    local: np.ndarray
    """Points of rigid sheets in the frame of their body [m], (points, 3)."""
    outward: np.ndarray
    """Normals of points of rigid sheets without triangles, in the frame of their body, (points, 3); 0 for others."""
    radius: np.ndarray
    """Of the balls around points and the bars around lines [m], (points,)."""
    triangles: np.ndarray
    edges: np.ndarray
    """(edges, 2)."""
    edge_triangles: np.ndarray
    """(edges, 2), -1 for none."""
    edge_opposite: np.ndarray
    """The corners of those triangles that are not on the edge, (edges, 2), -1 for none."""
    triangle_edges: np.ndarray
    """(triangles, 3): edge from corner k to k + 1."""
    lines: np.ndarray
    """(lines, 2)."""
    neighbour_start: np.ndarray
    neighbours: np.ndarray
    """Points that share an edge or a line with each point."""
    depth: np.ndarray
    """How deep others may be inside the sheet of each point and still belong to this side of it [m], (points,)."""
    shapes: int
    """Number of rigid shapes: features are numbered from there on, points first, then triangles, edges, lines."""
    rigid: int
    """Number of rigid bodies."""


class Placed(NamedTuple):
    """Where the sheets are at one instant, world frame."""

    position: np.ndarray
    """(points, 3) [m]."""
    velocity: np.ndarray
    """(points, 3) [m/s]."""
    normal: np.ndarray
    """Mean outward normal at points, (points, 3); of points without triangles 0."""
    triangle_normal: np.ndarray
    """(triangles, 3)."""


class RawContacts(NamedTuple):
    """Raw contacts, filled from the front; kernels keep counting past the capacity so that the caller can grow it."""

    identity: np.ndarray
    bodies: np.ndarray
    """(capacity, 2)."""
    nodes: np.ndarray
    """(capacity, 2, 4), -1 for none."""
    weights: np.ndarray
    """(capacity, 2, 4)."""
    data: np.ndarray
    """(capacity, 11): point on a, point on b, normal from b to a, gap, radius that rolls over a face (0: none)."""


@kernel
def place(sheets, position, orientation, velocity, angular_velocity, node_position, node_velocity, out):
    """Positions, velocities and normals of all points and triangles."""
    for p in range(len(sheets.body)):
        b = sheets.body[p]
        if b < sheets.rigid:
            q, r, w = orientation[b], sheets.local[p], angular_velocity[b]
            R = rotation_entries(q[0], q[1], q[2], q[3])
            x, y, z = out_of_frame(R, r[0], r[1], r[2])
            u, v, s = out_of_frame(R, w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0])
            out.position[p, 0], out.position[p, 1], out.position[p, 2] = x, y, z
            out.velocity[p, 0], out.velocity[p, 1], out.velocity[p, 2] = u, v, s
            for c in range(3):
                out.position[p, c] += position[b, c]
                out.velocity[p, c] += velocity[b, c]
            o = sheets.outward[p]
            out.normal[p, 0], out.normal[p, 1], out.normal[p, 2] = out_of_frame(R, o[0], o[1], o[2])
            continue
        for c in range(3):
            x, u = 0.0, 0.0
            for k in range(4):
                n = sheets.nodes[p, k]
                if n >= 0:
                    x += sheets.weights[p, k] * node_position[n, c]
                    u += sheets.weights[p, k] * node_velocity[n, c]
            out.position[p, c], out.velocity[p, c], out.normal[p, c] = x, u, 0.0
    _normals(sheets.triangles, out)


@kernel
def _normals(triangles, out):
    """Of triangles, and at points the mean of their triangles, weighted by area."""
    for t in range(len(triangles)):
        a, b, c = out.position[triangles[t, 0]], out.position[triangles[t, 1]], out.position[triangles[t, 2]]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        for k in range(3):
            p = triangles[t, k]
            out.normal[p, 0], out.normal[p, 1], out.normal[p, 2] = (
                out.normal[p, 0] + x,
                out.normal[p, 1] + y,
                out.normal[p, 2] + z,
            )
        length = max(sqrt(x * x + y * y + z * z), 1e-300)
        out.triangle_normal[t, 0], out.triangle_normal[t, 1], out.triangle_normal[t, 2] = (
            x / length,
            y / length,
            z / length,
        )
    for p in range(len(out.normal)):
        length = sqrt(out.normal[p, 0] ** 2 + out.normal[p, 1] ** 2 + out.normal[p, 2] ** 2)
        if length > 0:
            for c in range(3):
                out.normal[p, c] /= length


@kernel
def anchor(sheets, points, shares, nodes, weights):
    """Nodes and weights of a mean of points; of rigid points none."""
    for k in range(4):
        nodes[k], weights[k] = -1, 0.0
    for i in range(len(points)):
        if sheets.body[points[i]] < sheets.rigid or shares[i] == 0.0:
            continue
        for k in range(4):
            n, w = sheets.nodes[points[i], k], shares[i] * sheets.weights[points[i], k]
            if n < 0 or w == 0.0:
                continue
            for m in range(4):
                if nodes[m] == n or nodes[m] < 0:
                    nodes[m] = n
                    weights[m] += w
                    break


@kernel
def store(rows, k, identity, bodies, point, normal, gap):
    """Contact k: point on a, unit normal from b to a, gap; nodes and weights are filled in by the caller."""
    rows.identity[k] = identity
    rows.bodies[k, 0], rows.bodies[k, 1] = bodies
    for c in range(3):
        rows.data[k, c] = point[c]
        rows.data[k, 3 + c] = point[c] - gap * normal[c]
        rows.data[k, 6 + c] = normal[c]
    rows.data[k, 9], rows.data[k, 10] = gap, 0.0
    for side in range(2):
        for m in range(4):
            rows.nodes[k, side, m], rows.weights[k, side, m] = -1, 0.0


@kernel
def leans_over(sheets, position, point, normal, tolerance):
    """Whether a neighbour of a point lies lower along a normal: then the point is not where its sheet is lowest."""
    for m in range(sheets.neighbour_start[point], sheets.neighbour_start[point + 1]):
        q = sheets.neighbours[m]
        x = position[q, 0] - position[point, 0]
        y = position[q, 1] - position[point, 1]
        z = position[q, 2] - position[point, 2]
        if x * normal[0] + y * normal[1] + z * normal[2] < -tolerance * sqrt(x * x + y * y + z * z):
            return True
    return False


@kernel
def are_neighbours(sheets, p, others):
    """Whether point p is one of the other points, or the neighbour of one."""
    for m in range(len(others)):
        if others[m] == p:
            return True
        for j in range(sheets.neighbour_start[p], sheets.neighbour_start[p + 1]):
            if sheets.neighbours[j] == others[m]:
                return True
    return False


@kernel
def is_outside(low, high, below, above):
    """Whether the box from `below` to `above` is apart from the whole tree."""
    apart = False
    for c in range(3):
        apart = apart or below[c] > high[1, c] or above[c] < low[1, c]
    return apart
