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
def _fill_body(direction, sign, arm, orientation, first, column, stride, indices, data):
    """Entries of one body in the three rows of a contact: d in the linear columns, R'(r x d) in the angular ones."""
    w, x, y, z = orientation[0], orientation[1], orientation[2], orientation[3]
    for k in range(3):
        dx, dy, dz = direction[k, 0], direction[k, 1], direction[k, 2]
        mx, my, mz = arm[1] * dz - arm[2] * dy, arm[2] * dx - arm[0] * dz, arm[0] * dy - arm[1] * dx
        at = first + k * stride
        for j in range(6):
            indices[at + j] = column + j
        data[at], data[at + 1], data[at + 2] = sign * dx, sign * dy, sign * dz
        data[at + 3] = sign * ((1 - 2 * (y * y + z * z)) * mx + 2 * (x * y + w * z) * my + 2 * (x * z - w * y) * mz)
        data[at + 4] = sign * (2 * (x * y - w * z) * mx + (1 - 2 * (x * x + z * z)) * my + 2 * (y * z + w * x) * mz)
        data[at + 5] = sign * (2 * (x * z + w * y) * mx + 2 * (y * z - w * x) * my + (1 - 2 * (x * x + y * y)) * mz)


@kernel
def fill(bodies, points, normal, place, position, orientation, velocity, indptr, indices, data, surface):
    """D over movable bodies, and the slip that the prescribed velocities of the others cause, 3 per contact.

    bodies and points hold (a, b) of each contact; velocity has 6 numbers per body (linear world, angular body).
    """
    frame = np.empty((3, 3))
    arm = np.empty(3)
    spare_indices, spare = np.empty(18, dtype=np.int32), np.empty(18)
    for i in range(len(normal)):
        frame[0, 0], frame[0, 1], frame[0, 2] = normal[i, 0], normal[i, 1], normal[i, 2]
        ux, uy, uz, wx, wy, wz = tangents(normal[i, 0], normal[i, 1], normal[i, 2])
        frame[1, 0], frame[1, 1], frame[1, 2] = ux, uy, uz
        frame[2, 0], frame[2, 1], frame[2, 2] = wx, wy, wz
        first, stride = indptr[3 * i], indptr[3 * i + 1] - indptr[3 * i]
        for k in range(3):
            surface[3 * i + k] = 0.0
        for side in range(2):
            body = bodies[side][i]
            own, other = place[body], place[bodies[1 - side][i]]
            sign = 1.0 - 2.0 * side
            for j in range(3):
                arm[j] = points[side][i, j] - position[body, j]
            if own >= 0:
                # Columns rise within a row: the body that comes first in the problem fills the first six.
                at = first + (6 if 0 <= other < own else 0)
                _fill_body(frame, sign, arm, orientation[body], at, 6 * own, stride, indices, data)
                continue
            _fill_body(frame, sign, arm, orientation[body], 0, 0, 6, spare_indices, spare)
            for k in range(3):
                for j in range(6):
                    surface[3 * i + k] += spare[6 * k + j] * velocity[body, j]
