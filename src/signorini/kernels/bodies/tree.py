"""Bodies of a tree of joints in joint coordinates: velocities, accelerations, mass matrix, bias forces.

Of a joint between the bodies a and b, with x their centres, r the arms from there to the frames of the joint, z its
axis in the world (it turns with a), `d = x_b + r_b - x_a - r_a` how far it has slid and S the axes about which b turns
against a,

    omega_b = omega_a + S q'
    v_b + omega_b x r_b = v_a + omega_a x (r_a + d) + z s'

and the same once more in time for accelerations. Whichever of a and b is nearer to the root is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.bodies.coordinates import rotation
from signorini.kernels.compile import kernel


class TreeTable(NamedTuple):
    """Joints of a tree, from the root outwards."""

    size: int
    """Joint coordinates, nv."""
    root: np.ndarray
    """Bodies without a way to the ground, and their first column, shape (roots, 2)."""
    body: np.ndarray
    """a and b of each joint, -1 for the world, shape (joints, 2)."""
    outer: np.ndarray
    """Which of a and b, 0 or 1, is the one further from the root, shape (joints,)."""
    turn: np.ndarray
    """First column of what turns, -1 for none, shape (joints,)."""
    slide: np.ndarray
    """Column of what slides, -1 for none, shape (joints,)."""
    ball: np.ndarray
    """Whether it turns about three axes, those of frame b, instead of one, z of frame a; shape (joints,)."""
    point: np.ndarray
    """Origins of the frames in their bodies [m], shape (joints, 2, 3)."""
    axes: np.ndarray
    """Rotation matrices from the frames to their bodies, shape (joints, 2, 3, 3)."""


class TreeMotion(NamedTuple):
    """What a tree does at a state."""

    rate: np.ndarray
    """q' [rad/s or m/s], shape (nv,)."""
    jacobian: np.ndarray
    """Velocities of centres and spins, in the world, over q'; shape (bodies + 1, 6, nv), the last row the world's."""
    acceleration: np.ndarray
    """Of centres, and angular, in the world, where q' is constant [m/s2, rad/s2], shape (bodies + 1, 6)."""


@kernel
def _cross(a, b, out):
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@kernel
def _apply(A, x, out):
    """out = A x."""
    a, b, c = x[0], x[1], x[2]
    for k in range(3):
        out[k] = A[k, 0] * a + A[k, 1] * b + A[k, 2] * c


@kernel
def _apply_transposed(A, x, out):
    """out = A' x."""
    a, b, c = x[0], x[1], x[2]
    for k in range(3):
        out[k] = A[0, k] * a + A[1, k] * b + A[2, k] * c


@kernel
def _add_turning(J, body, arm, sign, child):
    """Add sign * (angular columns of a body x arm) to the linear columns of the child."""
    for k in range(J.shape[2]):
        x, y, z = J[body, 3, k], J[body, 4, k], J[body, 5, k]
        J[child, 0, k] += sign * (y * arm[2] - z * arm[1])
        J[child, 1, k] += sign * (z * arm[0] - x * arm[2])
        J[child, 2, k] += sign * (x * arm[1] - y * arm[0])


@kernel
def _add_swing(A, body, omega, arm, sign, child):
    """Add sign * (alpha x arm + omega x (omega x arm)), alpha that of a body, to the child's linear acceleration."""
    one, two = np.empty(3), np.empty(3)
    _cross(A[body, 3:], arm, one)
    _cross(omega, arm, two)
    _cross(omega, two, two)
    for k in range(3):
        A[child, k] += sign * (one[k] + two[k])


@kernel
def _place(table, joint, position, velocity, omega, R, pose):
    """Rows of `pose`: r_a + d, r_b, velocities of a and b, their angular velocities; in the world."""
    for k in range(3):
        d = 0.0
        for side in range(2):
            b = table.body[joint, side]
            arm = 0.0
            for j in range(3):
                arm += R[b, k, j] * table.point[joint, side, j]
            pose[side, k] = arm
            d += (2 * side - 1) * (arm + (position[b, k] if b >= 0 else 0.0))
            pose[2 + side, k] = velocity[b, k] if b >= 0 else 0.0
            pose[4 + side, k] = omega[b, k]
        pose[0, k] += d


@kernel
def _axis(table, joint, side, which, R, out):
    """Axis of a frame of a joint in the world."""
    b = table.body[joint, side]
    for k in range(3):
        out[k] = 0.0
        for j in range(3):
            out[k] += R[b, k, j] * table.axes[joint, side, j, which]


@kernel
def _start_roots(table, velocity, spin, R, rate, J):
    """Columns and rates of bodies that no joint ties to the ground: linear in the world, angular in the body frame."""
    for i in range(len(table.root)):
        b, first = table.root[i, 0], table.root[i, 1]
        for k in range(3):
            J[b, k, first + k] = 1.0
            rate[first + k], rate[first + 3 + k] = velocity[b, k], spin[b, k]
            for j in range(3):
                J[b, 3 + k, first + 3 + j] = R[b, k, j]


@kernel
def _turn(table, joint, R, pose, sign, rate, J, A, child):
    """Add what turns between the bodies to the angular columns and acceleration of the outer one."""
    axis, between, extra = np.empty(3), np.empty(3), np.empty(3)
    for k in range(3):
        between[k] = pose[5, k] - pose[4, k]
    ball = 1 if table.ball[joint] else 0
    if table.turn[joint] >= 0:
        for j in range(1 + 2 * ball):
            column = table.turn[joint] + j
            _axis(table, joint, ball, j if ball else 2, R, axis)
            for k in range(3):
                J[child, 3 + k, column] += sign * axis[k]
                rate[column] += axis[k] * between[k]
    _cross(pose[4], between, extra)
    for k in range(3):
        A[child, 3 + k] += sign * extra[k]


@kernel
def _slide(table, joint, R, pose, sign, rate, J, A, child):
    """Add what slides between the bodies to the linear columns and acceleration of the outer one."""
    axis, of_a, of_b, extra = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _axis(table, joint, 0, 2, R, axis)
    _cross(pose[4], pose[0], of_a)
    _cross(pose[5], pose[1], of_b)
    _cross(pose[4], axis, extra)
    column, speed = table.slide[joint], 0.0
    for k in range(3):
        speed += axis[k] * (pose[3, k] + of_b[k] - pose[2, k] - of_a[k])
        J[child, k, column] += sign * axis[k]
    rate[column] = speed
    for k in range(3):
        A[child, k] += 2.0 * sign * speed * extra[k]


@kernel
def _rotations(orientation, spin, R, omega):
    """Rotation matrices and angular velocities in the world; the last row, which index -1 means too, is the world."""
    for b in range(len(orientation)):
        rotation(orientation[b, 0], orientation[b, 1], orientation[b, 2], orientation[b, 3], R[b])
        _apply(R[b], spin[b], omega[b])
    rotation(1.0, 0.0, 0.0, 0.0, R[len(orientation)])


@kernel
def tree_motion(table, position, orientation, velocity, spin):
    """Rates, Jacobians and accelerations of all bodies of a tree, and of the world in the last row."""
    bodies, nv = len(position), table.size
    R, omega, pose = np.empty((bodies + 1, 3, 3)), np.zeros((bodies + 1, 3)), np.empty((6, 3))
    rate, J, A = np.zeros(nv), np.zeros((bodies + 1, 6, nv)), np.zeros((bodies + 1, 6))
    _rotations(orientation, spin, R, omega)
    _start_roots(table, velocity, spin, R, rate, J)
    for i in range(len(table.body)):
        _place(table, i, position, velocity, omega, R, pose)
        outer, inner = table.outer[i], 1 - table.outer[i]
        child, parent = table.body[i, outer], table.body[i, inner]
        sign = 1.0 if outer == 1 else -1.0
        for k in range(6):
            A[child, k] = A[parent, k]
            for j in range(nv):
                J[child, k, j] = J[parent, k, j]
        _turn(table, i, R, pose, sign, rate, J, A, child)
        _add_turning(J, parent, pose[inner], 1.0, child)
        _add_turning(J, child, pose[outer], -1.0, child)
        _add_swing(A, parent, pose[4 + inner], pose[inner], 1.0, child)
        _add_swing(A, child, pose[4 + outer], pose[outer], -1.0, child)
        if table.slide[i] >= 0:
            _slide(table, i, R, pose, sign, rate, J, A, child)
    return TreeMotion(rate, J, A)


@kernel
def mass_matrix(movable, mass, inertia, orientation, jacobian):
    """Sum of m Jv'Jv + Jw' R I R' Jw over the movable bodies, shape (nv, nv)."""
    nv = jacobian.shape[2]
    out, R, w, turned = np.zeros((nv, nv)), np.empty((3, 3)), np.empty((nv, 3)), np.empty(3)
    for k in range(len(movable)):
        b = movable[k]
        rotation(orientation[b, 0], orientation[b, 1], orientation[b, 2], orientation[b, 3], R)
        for i in range(nv):
            _apply_transposed(R, jacobian[b, 3:, i], w[i])
        for i in range(nv):
            _apply(inertia[k], w[i], turned)
            for j in range(i + 1):
                for c in range(3):
                    out[i, j] += mass[k] * jacobian[b, c, i] * jacobian[b, c, j] + turned[c] * w[j, c]
    for i in range(nv):
        for j in range(i):
            out[j, i] = out[i, j]
    return out


@kernel
def bias_forces(movable, mass, inertia, gravity, orientation, spin, jacobian, acceleration):
    """What the joints must give for q'' = 0: sum of Jv' m (a - g) + Jw' (I alpha + w x I w), shape (nv,)."""
    out, R, torque, more = np.zeros(jacobian.shape[2]), np.empty((3, 3)), np.empty(3), np.empty(3)
    for k in range(len(movable)):
        b = movable[k]
        rotation(orientation[b, 0], orientation[b, 1], orientation[b, 2], orientation[b, 3], R)
        _apply(inertia[k], spin[b], more)
        _cross(spin[b], more, more)
        _apply_transposed(R, acceleration[b, 3:], torque)
        _apply(inertia[k], torque, torque)
        for i in range(3):
            torque[i] += more[i]
        _apply(R, torque, torque)
        for i in range(3):
            push = mass[k] * (acceleration[b, i] - gravity[i])
            for j in range(len(out)):
                out[j] += jacobian[b, i, j] * push + jacobian[b, 3 + i, j] * torque[i]
    return out
