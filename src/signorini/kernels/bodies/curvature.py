"""Second derivatives of coordinates, and the forces of springs along them with their derivatives."""

from __future__ import annotations

import math

from signorini.kernels.bodies.coordinates import ANGLE, DISTANCE, OFFSET, TURN, product, rotation
from signorini.kernels.compile import kernel
from signorini.kernels.stack import cube, matrix, vector, zeros

COINCIDENT = 1e-12
"""Points closer than this [m] are taken for one: their distance has no second derivative."""


@kernel
def _put_cross(v, out):
    """out x = v x x."""
    out[0, 0], out[1, 1], out[2, 2] = 0.0, 0.0, 0.0
    out[0, 1], out[0, 2], out[1, 2] = -v[2], v[1], -v[0]
    out[1, 0], out[2, 0], out[2, 1] = v[2], -v[1], v[0]


@kernel
def _multiply(A, B, out):
    """out = A B. Loops: a call of BLAS costs more than products of this size."""
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            total = 0.0
            for k in range(A.shape[1]):
                total += A[i, k] * B[k, j]
            out[i, j] = total


@kernel
def _put(T, a, b, factor, block):
    """Add a block to block (a, b) of three by three."""
    for i in range(3):
        for j in range(3):
            T[3 * a + i, 3 * b + j] += factor * block[i, j]


@kernel
def _put_outer(T, a, factor, u, v):
    """`_put` of u v' - (u'v) 1 at (a, a)."""
    size = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    for i in range(3):
        for j in range(3):
            T[3 * a + i, 3 * a + j] += factor * (u[i] * v[j] - (size if i == j else 0.0))


@kernel
def _offset(a, e, arm, T):
    """Of `a . d`, with e the way from the centre of a to the origin of frame b."""
    cross, lever, both = matrix(3, 3), matrix(3, 3), matrix(3, 3)
    _put_cross(a, cross)
    _put_cross(arm, lever)
    _put(T, 0, 1, 1.0, cross)
    _put(T, 2, 1, -1.0, cross)
    _put(T, 1, 0, -1.0, cross)
    _put(T, 1, 2, 1.0, cross)
    _put_outer(T, 1, 1.0, a, e)
    _multiply(cross, lever, both)
    _put(T, 1, 3, -1.0, both)
    _multiply(lever, cross, both)
    _put(T, 3, 1, -1.0, both)
    _put_outer(T, 3, 1.0, arm, a)


@kernel
def _distance(d, arm_a, arm_b, T):
    length = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if length < COINCIDENT:
        return
    u, across, way, turned, cross = vector(3), matrix(3, 3), matrix(3, 12), matrix(3, 12), matrix(3, 3)
    for i in range(3):
        u[i] = d[i] / length
    for i in range(3):
        for j in range(3):
            across[i, j] = ((1.0 if i == j else 0.0) - u[i] * u[j]) / length
            way[i, j], way[i, 6 + j] = (-1.0, 1.0) if i == j else (0.0, 0.0)
    for side, arm in ((3, arm_a), (9, arm_b)):
        _put_cross(arm, cross)
        for i in range(3):
            for j in range(3):
                way[i, side + j] = cross[i, j] if side == 3 else -cross[i, j]
    _multiply(across, way, turned)
    for i in range(12):
        for j in range(12):
            for k in range(3):
                T[i, j] += way[k, i] * turned[k, j]
    _put_outer(T, 1, -1.0, arm_a, u)
    _put_outer(T, 3, 1.0, arm_b, u)


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
    s, back = vector(4), vector(4)
    for k in range(4):
        back[k] = -q[0, k] if k else q[0, k]
    product(back, q[1], s)
    g, slope, step, turn = zeros(3), matrix(3, 4), matrix(4, 3), matrix(3, 3)
    slope[:] = 0.0
    if kind == ANGLE:
        _angle_slope(s, g, slope)
    else:
        _turn_slope(s, i, g, slope)
    # d s = 1/2 step(s) d phi, with phi the turn of b against a in frame b.
    _put_cross(s[1:], turn)
    for k in range(3):
        step[0, k] = -0.5 * s[1 + k]
        for j in range(3):
            step[1 + k, j] = 0.5 * (turn[k, j] + (s[0] if k == j else 0.0))
    bent, half, inner, along = matrix(3, 3), matrix(3, 3), matrix(3, 3), vector(3)
    _multiply(slope, step, bent)
    _multiply(bent, N, half)
    _multiply(N.T, half, inner)
    for k in range(3):
        along[k] = N[0, k] * g[0] + N[1, k] * g[1] + N[2, k] * g[2]
    _put_cross(along, turn)
    _put(T, 3, 3, 1.0, inner)
    _put(T, 3, 3, -1.0, turn)
    _put(T, 3, 1, -1.0, inner)
    _put(T, 1, 3, -1.0, inner)
    _put(T, 1, 3, 1.0, turn)
    _put(T, 1, 1, 1.0, inner)


@kernel
def _to_body_axes(T, first, R):
    """Rows and columns first..first + 2 of T, turned from the world into a body."""
    for j in range(12):
        x, y, z = T[first, j], T[first + 1, j], T[first + 2, j]
        for i in range(3):
            T[first + i, j] = R[0, i] * x + R[1, i] * y + R[2, i] * z
    for i in range(12):
        x, y, z = T[i, first], T[i, first + 1], T[i, first + 2]
        for j in range(3):
            T[i, first + j] = x * R[0, j] + y * R[1, j] + z * R[2, j]


@kernel
def curvature(kind, axis, body, point, turn, position, orientation, jacobian, T):
    """`T[j, k] = d J_j / d q_k` of one coordinate over the columns of a and b, 12 by 12.

    With J the derivative of the coordinate. Turning does not commute, so T need not be symmetric. It is worked out with
    turns in world axes and then brought to body axes: `J = J_w R` gives `R' T_w R + [J]x` in the blocks of turns.
    Columns of the world hold no meaning.
    """
    R, axes, arm, cross = cube(2, 3, 3), cube(2, 3, 3), matrix(2, 3), matrix(3, 3)
    q, place, d, reach, still = matrix(2, 4), matrix(2, 3), vector(3), vector(3), zeros(4)
    still[0] = 1.0
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
    for k in range(3):
        d[k] = place[1, k] - place[0, k]
        reach[k] = d[k] + arm[0, k]
    if kind == OFFSET:
        _offset(axes[0, :, axis[0]], reach, arm[1], T)
    elif kind == DISTANCE:
        _distance(d, arm[0], arm[1], T)
    elif kind in (TURN, ANGLE):
        _turning(kind, axis[0], q, axes[1].T, T)
    for side in range(2):
        first = 6 * side + 3
        _to_body_axes(T, first, R[side])
        _put_cross(jacobian[first : first + 3], cross)
        _put(T, 2 * side + 1, 2 * side + 1, 1.0, cross)


@kernel
def _add_squares(jacobian, square, right, factor, out):
    """out += factor J' S right, for a square matrix S."""
    m = len(jacobian)
    for i in range(m):
        for k in range(m):
            share = factor * square[i, k]
            if share != 0.0:
                for a in range(12):
                    for b in range(12):
                        out[a, b] += share * jacobian[i, a] * right[k, b]


@kernel
def force_term(table, first, last, state, effort, stiffness, damping, jacobian, force, dq, dv):
    """`F = J' f` of efforts f along the coordinates first..last-1 of a table, between the same two bodies.

    With `K = -df/ds`, `R = -df/ds'` and T the curvature of the coordinates, `dF/dv = -J' R J` and
    `dF/dq = -J' K J - J' R d(J v)/dq + sum_i f_i T_i`, all over the 12 columns of the two bodies.
    """
    kind, axis, body, point, turn = table
    position, orientation, velocity, spin = state
    m, v, T = last - first, zeros(12), matrix(12, 12)
    for side in range(2):
        b = body[first, side]
        for k in range(3 if b >= 0 else 0):
            v[6 * side + k], v[6 * side + 3 + k] = velocity[b, k], spin[b, k]
    moving = matrix(m, 12)
    dq[:], dv[:], force[:] = 0.0, 0.0, 0.0
    for i in range(m):
        k = first + i
        curvature(kind[k], axis[k], body[k], point[k], turn[k], position, orientation, jacobian[i], T)
        for b in range(12):
            moving[i, b] = 0.0
            force[b] += effort[i] * jacobian[i, b]
            for a in range(12):
                moving[i, b] += T[a, b] * v[a]
                dq[a, b] += effort[i] * T[a, b]
    _add_squares(jacobian, stiffness, jacobian, -1.0, dq)
    _add_squares(jacobian, damping, moving, -1.0, dq)
    _add_squares(jacobian, damping, jacobian, -1.0, dv)
