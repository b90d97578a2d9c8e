"""How frames of two bodies stand to each other: values and derivatives of the coordinates of joints."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.stack import cube, matrix, vector, zeros

OFFSET, DOT, TURN, ANGLE, DISTANCE = 0, 1, 2, 3, 4
"""Kinds; what they are stands in `model.coordinate.Coordinate`."""
COINCIDENT = 1e-300
"""Points closer than this [m] have no direction from one to the other; the distance then has no derivative."""


@kernel
def rotation(w, x, y, z, out):
    """out = the matrix of a unit quaternion."""
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def product(p, q, out):
    """out = p q of quaternions."""
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2]
    out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1]
    out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]


@kernel
def _cross(u, v, out):
    out[0], out[1], out[2] = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@kernel
def _offset(i, axes, arm, d, gradient):
    """a . d with a axis i of frame a; its derivative by a's turning is a x (arm_a + d)."""
    value = 0.0
    for k in range(3):
        a = axes[0, k, i]
        value += a * d[k]
        gradient[0, k], gradient[2, k] = -a, a
        arm[0, k] += d[k]
    _cross(axes[0, :, i], arm[0], gradient[1])
    _cross(arm[1], axes[0, :, i], gradient[3])
    return value


@kernel
def _dot(i, j, axes, gradient):
    value = 0.0
    for k in range(3):
        value += axes[0, k, i] * axes[1, k, j]
        gradient[0, k] = gradient[2, k] = 0.0
    _cross(axes[0, :, i], axes[1, :, j], gradient[1])
    for k in range(3):
        gradient[3, k] = -gradient[1, k]
    return value


@kernel
def _turning(kind, i, p, axes, gradient):
    """TURN and ANGLE: the derivative by the turning of b against a in the axes of frame b is g."""
    w, x, y, z = p[0], p[1], p[2], p[3]
    g = gradient[0]
    if kind == TURN:
        sign = 1.0 if w >= 0.0 else -1.0
        value = 2.0 * sign * p[1 + i]
        g[0], g[1], g[2] = 0.0, 0.0, 0.0
        g[i] = sign * w
        g[(i + 1) % 3], g[(i + 2) % 3] = -sign * p[1 + (i + 2) % 3], sign * p[1 + (i + 1) % 3]
    else:
        value = 2.0 * math.atan2(z, w)
        share = 1.0 / (w * w + z * z)
        g[0], g[1], g[2] = (z * x - w * y) * share, (w * x + z * y) * share, 1.0
    for k in range(3):
        gradient[3, k] = axes[1, k, 0] * g[0] + axes[1, k, 1] * g[1] + axes[1, k, 2] * g[2]
        gradient[1, k] = -gradient[3, k]
    for k in range(3):
        gradient[0, k] = gradient[2, k] = 0.0
    return value


@kernel
def _distance(arm, d, gradient):
    length = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    for k in range(3):
        u = d[k] / length if length > COINCIDENT else 0.0
        gradient[0, k], gradient[2, k] = -u, u
    _cross(gradient[2], arm[0], gradient[1])
    _cross(arm[1], gradient[2], gradient[3])
    return length


@kernel
def evaluate(kind, axis, body, point, turn, position, orientation, value, jacobian):
    """Value and derivatives (12 numbers: linear world and angular body frame of a, then of b) of each coordinate.

    axis, body, point and turn hold the two sides of each coordinate; a body < 0 is the world.
    """
    R, axes = cube(2, 3, 3), cube(2, 3, 3)
    arm, gradient = matrix(2, 3), matrix(4, 3)
    q, p, d = matrix(2, 4), vector(4), vector(3)
    still = zeros(4)
    still[0] = 1.0
    for row in range(len(kind)):
        for k in range(3):
            d[k] = 0.0
        for side in range(2):
            b = body[row, side]
            own = orientation[b] if b >= 0 else still
            rotation(own[0], own[1], own[2], own[3], R[side])
            product(own, turn[row, side], q[side])
            rotation(q[side, 0], q[side, 1], q[side, 2], q[side, 3], axes[side])
            for k in range(3):
                r = R[side, k]
                arm[side, k] = r[0] * point[row, side, 0] + r[1] * point[row, side, 1] + r[2] * point[row, side, 2]
                place = arm[side, k] + (position[b, k] if b >= 0 else 0.0)
                d[k] += place if side else -place
        if kind[row] == OFFSET:
            value[row] = _offset(axis[row, 0], axes, arm, d, gradient)
        elif kind[row] == DOT:
            value[row] = _dot(axis[row, 0], axis[row, 1], axes, gradient)
        elif kind[row] == DISTANCE:
            value[row] = _distance(arm, d, gradient)
        else:
            for k in range(1, 4):
                q[0, k] = -q[0, k]
            product(q[0], q[1], p)
            value[row] = _turning(kind[row], axis[row, 0], p, axes, gradient)
        for side in range(2):
            for k in range(3):
                jacobian[row, 6 * side + k] = gradient[2 * side, k]
                m, r = gradient[2 * side + 1], R[side]
                jacobian[row, 6 * side + 3 + k] = r[0, k] * m[0] + r[1, k] * m[1] + r[2, k] * m[2]
