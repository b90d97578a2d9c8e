"""Rows of the contact Jacobian of flexible bodies: up to four weighted nodes, or a rigid body, on either side."""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies.contact_jacobian import tangents
from signorini.kernels.compile import kernel

MOST = 24
"""Velocities on both sides together: four nodes on each."""


@kernel
def _side(contact, side, contacts, state, column, rigid, at, columns, entries):
    """Columns that one side moves with and their share in the world velocity of its point, (MOST, 3), from `at` on."""
    bodies, points, nodes, weights = contacts
    position, orientation = state
    sign = 1.0 - 2.0 * side
    body = bodies[contact, side]
    if body >= rigid:
        for m in range(4):
            n = nodes[contact, side, m]
            if n < 0:
                continue
            for j in range(3):
                columns[at] = 6 * rigid + 3 * n + j
                for c in range(3):
                    entries[at, c] = sign * weights[contact, side, m] if c == j else 0.0
                at += 1
        return at
    w, x, y, z = orientation[body, 0], orientation[body, 1], orientation[body, 2], orientation[body, 3]
    r = points[contact, side] - position[body]
    for j in range(3):
        columns[at + j] = 6 * body + j
        columns[at + 3 + j] = 6 * body + 3 + j
        for c in range(3):
            entries[at + j, c] = sign if c == j else 0.0
        # Axis j of the body in the world; its spin moves the point by (axis x r).
        if j == 0:
            u, v, s = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
        elif j == 1:
            u, v, s = 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)
        else:
            u, v, s = 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
        entries[at + 3 + j, 0] = sign * (v * r[2] - s * r[1])
        entries[at + 3 + j, 1] = sign * (s * r[0] - u * r[2])
        entries[at + 3 + j, 2] = sign * (u * r[1] - v * r[0])
    return at + 6


@kernel
def fill(contacts, normal, state, column, velocity, rigid, indptr, indices, data, slip):
    """D over unknown velocities and the slip that known ones cause, three rows per contact; returns the entries used.

    contacts are (bodies (k, 2), points (k, 2, 3), nodes (k, 2, 4), weights (k, 2, 4)), state is (position,
    orientation) of rigid bodies, `velocity` that of everything, in the columns of `model.component`.
    """
    columns, entries = np.empty(MOST, dtype=np.int64), np.empty((MOST, 3))
    places, frame = np.empty(MOST, dtype=np.int64), np.empty((3, 3))
    used = 0
    for i in range(len(normal)):
        n = normal[i]
        frame[0, 0], frame[0, 1], frame[0, 2] = n[0], n[1], n[2]
        ux, uy, uz, wx, wy, wz = tangents(n[0], n[1], n[2])
        frame[1, 0], frame[1, 1], frame[1, 2] = ux, uy, uz
        frame[2, 0], frame[2, 1], frame[2, 2] = wx, wy, wz
        count = _side(i, 0, contacts, state, column, rigid, 0, columns, entries)
        count = _side(i, 1, contacts, state, column, rigid, count, columns, entries)
        width = 0
        for k in range(3):
            slip[3 * i + k] = 0.0
        for m in range(count):
            place = column[columns[m]]
            if place < 0:
                for k in range(3):
                    along = frame[k, 0] * entries[m, 0] + frame[k, 1] * entries[m, 1] + frame[k, 2] * entries[m, 2]
                    slip[3 * i + k] += along * velocity[columns[m]]
                continue
            width = _insert(places, entries, width, place, m)
        for k in range(3):
            for m in range(width):
                indices[used] = places[m]
                data[used] = frame[k, 0] * entries[m, 0] + frame[k, 1] * entries[m, 1] + frame[k, 2] * entries[m, 2]
                used += 1
            indptr[3 * i + k + 1] = used
    return used


@kernel
def _insert(places, entries, width, place, m):
    """Put entry m where its place belongs among the first `width`, which rise; equal places are added up."""
    x, y, z = entries[m, 0], entries[m, 1], entries[m, 2]
    at = width
    while at > 0 and places[at - 1] >= place:
        at -= 1
    if at < width and places[at] == place:
        entries[at, 0] += x
        entries[at, 1] += y
        entries[at, 2] += z
        return width
    for k in range(width, at, -1):
        places[k] = places[k - 1]
        for c in range(3):
            entries[k, c] = entries[k - 1, c]
    places[at] = place
    entries[at, 0], entries[at, 1], entries[at, 2] = x, y, z
    return width + 1
