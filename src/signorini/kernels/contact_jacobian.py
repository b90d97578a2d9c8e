"""Rows of the contact Jacobian and the tangents that go with a normal."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel

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
def count_entries(body_a, body_b, place, indptr):
    """Row pointers of D: six entries per movable body in each of the three rows of a contact."""
    total = 0
    indptr[0] = 0
    for i in range(len(body_a)):
        width = 6 * ((place[body_a[i]] >= 0) + (place[body_b[i]] >= 0))
        for row in range(3 * i, 3 * i + 3):
            total += width
            indptr[row + 1] = total


@kernel
def movable_pairs(body_a, body_b, place, pairs):
    """Places of the movable bodies of each contact, the smaller first; of one movable body twice.

    False when a contact has no movable body.
    """
    for i in range(len(body_a)):
        a, b = place[body_a[i]], place[body_b[i]]
        a, b = a if a >= 0 else b, b if b >= 0 else a
        if a < 0:
            return False
        pairs[i, 0], pairs[i, 1] = min(a, b), max(a, b)
    return True


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
def _fill_body(frame, sign, arm, orientation, first, stride, data):
    """Entries of one body in the three rows of a contact: d in the linear columns, R'(arm x d) in the angular ones."""
    m = _turned_lever(orientation, arm[0], arm[1], arm[2])
    for k in range(3):
        x, y, z = frame[k]
        row = data[first + k * stride : first + k * stride + 6]
        row[0], row[1], row[2] = sign * x, sign * y, sign * z
        row[3] = sign * (m[0] * x + m[1] * y + m[2] * z)
        row[4] = sign * (m[3] * x + m[4] * y + m[5] * z)
        row[5] = sign * (m[6] * x + m[7] * y + m[8] * z)


@kernel
def _fill_columns(column, first, stride, indices):
    """The six columns of one body in the three rows of a contact."""
    for k in range(3):
        row = indices[first + k * stride : first + k * stride + 6]
        for j in range(6):
            row[j] = column + j


@kernel
def fill(bodies, points, normal, place, position, orientation, velocity, indptr, indices, data, surface):
    """D over movable bodies, and the slip that the prescribed velocities of the others cause, 3 per contact.

    bodies and points hold (a, b) of each contact, velocity (linear, world; angular, body's frame) of all bodies.
    """
    linear, angular = velocity
    spare = np.empty(18)
    for i in range(len(normal)):
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        ux, uy, uz, wx, wy, wz = tangents(nx, ny, nz)
        frame = ((nx, ny, nz), (ux, uy, uz), (wx, wy, wz))
        first, stride = indptr[3 * i], indptr[3 * i + 1] - indptr[3 * i]
        for k in range(3):
            surface[3 * i + k] = 0.0
        for side in range(2):
            body, point, sign = bodies[side][i], points[side][i], 1.0 - 2.0 * side
            own, other = place[body], place[bodies[1 - side][i]]
            arm = (point[0] - position[body, 0], point[1] - position[body, 1], point[2] - position[body, 2])
            if own >= 0:
                # Columns rise within a row: the body that comes first in the problem fills the first six.
                at = first + (6 if 0 <= other < own else 0)
                _fill_body(frame, sign, arm, orientation[body], at, stride, data)
                _fill_columns(6 * own, at, stride, indices)
                continue
            _fill_body(frame, sign, arm, orientation[body], 0, 6, spare)
            for k in range(3):
                for j in range(3):
                    turning = spare[6 * k + 3 + j] * angular[body, j]
                    surface[3 * i + k] += spare[6 * k + j] * linear[body, j] + turning
