"""Rows of the contact Jacobian and the tangents that go with a normal."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.whole_rows import ONE, ZERO

# The reference direction p of the tangent frames and two tangents of p. No frame is continuous on the whole sphere:
# this one breaks at -p alone, a direction that no floor, wall or ceiling has. At the normal (0, 0, 1) it is (x, y).
PX, PY = 0.4721, -0.3163
PZ = math.sqrt(1.0 - PX * PX - PY * PY)
SX = (1.0 - PX * PX / (1.0 + PZ), -PX * PY / (1.0 + PZ), -PX)
SY = (-PX * PY / (1.0 + PZ), 1.0 - PY * PY / (1.0 + PZ), -PY)
AT_THE_BREAK = 1e-12


@kernel
def tangents(nx, ny, nz):
    """Two unit vectors (t1, t2) with n right-handed: the tangents of p, turned the short way from p to n."""
    x, y, z = nx + PX, ny + PY, nz + PZ
    share = 1.0 + nx * PX + ny * PY + nz * PZ
    if share < AT_THE_BREAK:
        return SX[0], SX[1], SX[2], -SY[0], -SY[1], -SY[2]
    s = (SX[0] * nx + SX[1] * ny + SX[2] * nz) / share
    t = (SY[0] * nx + SY[1] * ny + SY[2] * nz) / share
    return SX[0] - s * x, SX[1] - s * y, SX[2] - s * z, SY[0] - t * x, SY[1] - t * y, SY[2] - t * z


@kernel
def frames(normal, out):
    """Rows (normal, t1, t2) of each contact; out has shape (contacts, 3, 3)."""
    for i in range(len(normal)):
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        out[i, 0, 0], out[i, 0, 1], out[i, 0, 2] = nx, ny, nz
        ux, uy, uz, wx, wy, wz = tangents(nx, ny, nz)
        out[i, 1, 0], out[i, 1, 1], out[i, 1, 2] = ux, uy, uz
        out[i, 2, 0], out[i, 2, 1], out[i, 2, 2] = wx, wy, wz


@kernel
def pattern(body_a, body_b, place, indptr, pairs):
    """Row pointers of D: six entries per movable body in each of the three rows of a contact.

    `pairs` gets the places of the movable bodies of each contact, the smaller first, of one movable body twice. False
    when a contact has no movable body.
    """
    total, all_movable = 0, True
    indptr[0] = 0
    for i in range(len(body_a)):
        a, b = place[body_a[i]], place[body_b[i]]
        width = 6 * ((a >= 0) + (b >= 0))
        all_movable = all_movable and width > 0
        for row in range(3 * i, 3 * i + 3):
            total += width
            indptr[row + 1] = total
        a, b = a if a >= 0 else b, b if b >= 0 else a
        pairs[i, 0], pairs[i, 1] = min(a, b), max(a, b)
    return all_movable


@kernel
def _turned_lever(orientation, x, y, z):
    """Entries, row by row, of the matrix that takes a direction d to R' (arm x d), with arm = (x, y, z)."""
    w, i, j, k = orientation[0], orientation[1], orientation[2], orientation[3]
    r00, r01, r02 = 1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)
    r10, r11, r12 = 2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)
    r20, r21, r22 = 2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)
    return (
        r10 * z - r20 * y, r20 * x - r00 * z, r00 * y - r10 * x,
        r11 * z - r21 * y, r21 * x - r01 * z, r01 * y - r11 * x,
        r12 * z - r22 * y, r22 * x - r02 * z, r02 * y - r12 * x,
    )  # fmt: skip


@kernel
def _fill_row(x, y, z, sign, m, row):
    """Entries of one body in the row of the direction (x, y, z): that itself, and R'(arm x d) by `_turned_lever`."""
    row[0], row[1], row[2] = sign * x, sign * y, sign * z
    row[3] = sign * (m[0] * x + m[1] * y + m[2] * z)
    row[4] = sign * (m[3] * x + m[4] * y + m[5] * z)
    row[5] = sign * (m[6] * x + m[7] * y + m[8] * z)


@kernel
def _fill_body(frame, sign, m, first, stride, sixes):
    """Entries of one body in the three rows of a contact, which are `stride` sixes apart."""
    n, s, t = frame
    _fill_row(n[0], n[1], n[2], sign, m, sixes[first])
    _fill_row(s[0], s[1], s[2], sign, m, sixes[first + stride])
    _fill_row(t[0], t[1], t[2], sign, m, sixes[first + stride + stride])


@kernel
def _fill_columns(column, row):
    """The six columns of one body in a row."""
    for j in range(6):
        row[j] = column + j


@kernel
def fill(bodies, points, normal, place, position, orientation, velocity, columns, sixes, surface):
    """D over movable bodies, and the slip that the prescribed velocities of the others cause, (contacts, 3).

    bodies and points hold (a, b) of each contact, velocity (linear, world; angular, body's frame) of all bodies.
    Columns and entries come in rows of six, see `whole_rows`; their places are unsigned, which costs less.
    """
    linear, angular = velocity
    spare, at = np.empty((3, 6)), ZERO
    for i in range(len(normal)):
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        ux, uy, uz, wx, wy, wz = tangents(nx, ny, nz)
        frame = ((nx, ny, nz), (ux, uy, uz), (wx, wy, wz))
        stride = np.uint64((place[bodies[0][i]] >= 0) + (place[bodies[1][i]] >= 0))
        surface[i, 0], surface[i, 1], surface[i, 2] = 0.0, 0.0, 0.0
        for side in range(2):
            body, point, sign = bodies[side][i], points[side][i], 1.0 - 2.0 * side
            own, other = place[body], place[bodies[1 - side][i]]
            x, y, z = point[0] - position[body, 0], point[1] - position[body, 1], point[2] - position[body, 2]
            lever = _turned_lever(orientation[body], x, y, z)
            if own >= 0:
                # Columns rise within a row: the body that comes first in the problem fills the first six.
                first = at + (ONE if 0 <= other < own else ZERO)
                _fill_body(frame, sign, lever, first, stride, sixes)
                for k in range(3):
                    _fill_columns(6 * own, columns[first + np.uint64(k) * stride])
                continue
            _fill_body(frame, sign, lever, ZERO, ONE, spare)
            for k in range(3):
                for j in range(3):
                    surface[i, k] += spare[k, j] * linear[body, j] + spare[k, 3 + j] * angular[body, j]
        at += stride + stride + stride
