"""Second derivatives of coordinates, and the forces of springs along them with their derivatives."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.bodies.coordinates import ANGLE, DISTANCE, OFFSET, TURN, product, rotation
from signorini.kernels.compile import kernel

COINCIDENT = 1e-12
"""Points closer than this [m] are taken for one: their distance has no second derivative."""


@kernel
def _cross_matrix(v):
    out = np.zeros((3, 3))
    out[0, 1], out[0, 2], out[1, 2] = -v[2], v[1], -v[0]
    out[1, 0], out[2, 0], out[2, 1] = v[2], -v[1], v[0]
    return out


@kernel
def _put(T, a, b, block):
    """Block (a, b) of three by three."""
    for i in range(3):
        for j in range(3):
            T[3 * a + i, 3 * b + j] += block[i, j]


@kernel
def _outer(u, v):
    """u v' - (u'v) 1."""
    out = np.empty((3, 3))
    size = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    for i in range(3):
        for j in range(3):
            out[i, j] = u[i] * v[j] - (size if i == j else 0.0)
    return out


@kernel
def _offset(a, e, arm, T):
    """Of `a . d`, with e the way from the centre of a to the origin of frame b."""
    cross, lever = _cross_matrix(a), _cross_matrix(arm)
    _put(T, 0, 1, cross)
    _put(T, 2, 1, -cross)
    _put(T, 1, 0, -cross)
    _put(T, 1, 2, cross)
    _put(T, 1, 1, _outer(a, e))
    _put(T, 1, 3, -cross @ lever)
    _put(T, 3, 1, -lever @ cross)
    _put(T, 3, 3, _outer(arm, a))


@kernel
def _distance(d, arm_a, arm_b, T):
    length = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if length < COINCIDENT:
        return
    u = d / length
    across, way = np.eye(3), np.zeros((3, 12))
    for i in range(3):
        for j in range(3):
            across[i, j] -= u[i] * u[j]
        way[i, i], way[i, 6 + i] = -1.0, 1.0
    way[:, 3:6] = _cross_matrix(arm_a)
    way[:, 9:12] = -_cross_matrix(arm_b)
    T += way.T.copy() @ (across / length) @ way
    _put(T, 1, 1, -_outer(arm_a, u))
    _put(T, 3, 3, _outer(arm_b, u))


@kernel
def _turn_slope(s, i, g, slope):
    """g and dg/ds of component i of `2 sign(s_w) s_v`."""
    sign = 1.0 if s[0] >= 0.0 else -1.0
    j, k = (i + 1) % 3, (i + 2) % 3
    g[i], g[j], g[k] = sign * s[0], -sign * s[1 + k], sign * s[1 + j]
    slope[i, 0], slope[j, 1 + k], slope[k, 1 + j] = sign, -sign, sign


@kernel
def _angle_slope(s, g, slope):
    """g and dg/ds of `2 atan2(s_z, s_w)`."""
    w, x, y, z = s[0], s[1], s[2], s[3]
    n = w * w + z * z
    g[0], g[1], g[2] = (z * x - w * y) / n, (w * x + z * y) / n, 1.0
    slope[0, 0], slope[0, 1], slope[0, 2], slope[0, 3] = -y / n, z / n, -w / n, x / n
    slope[1, 0], slope[1, 1], slope[1, 2], slope[1, 3] = x / n, w / n, z / n, y / n
    for i in range(2):
        slope[i, 0] -= g[i] * 2.0 * w / n
        slope[i, 3] -= g[i] * 2.0 * z / n


@kernel
def _turning(kind, i, q, N, T):
    """Of TURN and ANGLE: `J = g(s)' N` for b, where N turns the world into frame b, and the opposite for a."""
    s, back = np.empty(4), q[0].copy()
    for k in range(1, 4):
        back[k] = -back[k]
    product(back, q[1], s)
    g, slope, step = np.zeros(3), np.zeros((3, 4)), np.zeros((4, 3))
    if kind == ANGLE:
        _angle_slope(s, g, slope)
    else:
        _turn_slope(s, i, g, slope)
    # d s = 1/2 step(s) d phi, with phi the turn of b against a in frame b.
    turn = _cross_matrix(s[1:])
    for k in range(3):
        step[0, k] = -s[1 + k]
        for j in range(3):
            step[1 + k, j] = turn[k, j] + (s[0] if k == j else 0.0)
    back_N = N.T.copy()
    inner = back_N @ (0.5 * (slope @ step)) @ N
    own = inner - _cross_matrix(back_N @ g)
    _put(T, 3, 3, own)
    _put(T, 3, 1, -inner)
    _put(T, 1, 3, -own)
    _put(T, 1, 1, inner)


@kernel
def curvature(kind, axis, body, point, turn, position, orientation, jacobian, T):
    """`T[j, k] = d J_j / d q_k` of one coordinate over the columns of a and b, 12 by 12.

    With J the derivative of the coordinate. Turning does not commute, so T need not be symmetric. It is worked out with
    turns in world axes and then brought to body axes: `J = J_w R` gives `R' T_w R + [J]x` in the blocks of turns.
    Columns of the world hold no meaning.
    """
    R, axes, arm = np.empty((2, 3, 3)), np.empty((2, 3, 3)), np.empty((2, 3))
    q, place, still = np.empty((2, 4)), np.empty((2, 3)), np.array([1.0, 0.0, 0.0, 0.0])
    for side in range(2):
        b = body[side]
        own = orientation[b] if b >= 0 else still
        rotation(own[0], own[1], own[2], own[3], R[side])
        product(own, turn[side], q[side])
        rotation(q[side, 0], q[side, 1], q[side, 2], q[side, 3], axes[side])
        for k in range(3):
            r = R[side, k]
            arm[side, k] = r[0] * point[side, 0] + r[1] * point[side, 1] + r[2] * point[side, 2]
            place[side, k] = arm[side, k] + (position[b, k] if b >= 0 else 0.0)
    T[:] = 0.0
    d = place[1] - place[0]
    if kind == OFFSET:
        _offset(axes[0, :, axis[0]].copy(), d + arm[0], arm[1], T)
    elif kind == DISTANCE:
        _distance(d, arm[0], arm[1], T)
    elif kind in (TURN, ANGLE):
        _turning(kind, axis[0], q, axes[1].T.copy(), T)
    for side in range(2):
        first = 6 * side + 3
        T[first : first + 3] = R[side].T.copy() @ T[first : first + 3].copy()
        T[:, first : first + 3] = T[:, first : first + 3].copy() @ R[side]
        _put(T, 2 * side + 1, 2 * side + 1, _cross_matrix(jacobian[first : first + 3]))


@kernel
def force_term(table, first, last, state, effort, stiffness, damping, jacobian, force, dq, dv):
    """`F = J' f` of efforts f along the coordinates first..last-1 of a table, between the same two bodies.

    With `K = -df/ds`, `R = -df/ds'` and T the curvature of the coordinates, `dF/dv = -J' R J` and
    `dF/dq = -J' K J - J' R d(J v)/dq + sum_i f_i T_i`, all over the 12 columns of the two bodies.
    """
    kind, axis, body, point, turn = table
    position, orientation, velocity, spin = state
    m, v, T = last - first, np.zeros(12), np.empty((12, 12))
    for side in range(2):
        b = body[first, side]
        for k in range(3 if b >= 0 else 0):
            v[6 * side + k], v[6 * side + 3 + k] = velocity[b, k], spin[b, k]
    moving = np.empty((m, 12))
    dq[:] = 0.0
    for i in range(m):
        k = first + i
        curvature(kind[k], axis[k], body[k], point[k], turn[k], position, orientation, jacobian[i], T)
        for b in range(12):
            moving[i, b] = 0.0
            for a in range(12):
                moving[i, b] += T[a, b] * v[a]
                dq[a, b] += effort[i] * T[a, b]
    back = jacobian.T.copy()
    dq -= back @ (stiffness @ jacobian + damping @ moving)
    dv[:] = -(back @ (damping @ jacobian))
    force[:] = back @ effort
