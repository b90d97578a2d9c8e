"""Second derivatives of coordinates, for the stiffness of springs."""

from __future__ import annotations

import numpy as np

from signorini.math.rotations import conjugate, cross_matrix, matrix, multiply
from signorini.math.sparse import Array
from signorini.model.coordinate import ANGLE, DISTANCE, DOT, OFFSET, WORLD, Coordinate
from signorini.model.state import State
from signorini.problem.errors import ModelError

A, TURN_A, B, TURN_B = (slice(k, k + 3) for k in (0, 3, 6, 9))
SIDES = (A, TURN_A), (B, TURN_B)
EYE = np.eye(3)
COINCIDENT = 1e-12
"""Points closer than this [m] are taken for one: their distance has no second derivative."""


def curvature(coordinate: Coordinate, state: State) -> Array:
    """`T[j, k] = d J_j / d q_k`, shape (12, 12), over the columns of a and b; those of the world hold no meaning.

    With J the derivative of the coordinate. Turning does not commute, so T need not be symmetric. It is worked out with
    turns in world axes and then brought to body axes: `J = J_w R` gives `R' T_w R + [J]x` in the blocks of turns.
    """
    pose = [_pose(coordinate, side, state) for side in (0, 1)]
    if coordinate.kind == OFFSET:
        T = _offset(coordinate.axes[0], pose)
    elif coordinate.kind == DISTANCE:
        T = _distance(pose)
    elif coordinate.kind == DOT:
        raise ModelError("there are no springs on cosines: use an angle")
    else:
        T = _turning(coordinate, pose)
    _, jacobian = coordinate.table.evaluate(state)
    for side, (R, *_) in enumerate(pose):
        turn = SIDES[side][1]
        T[turn, :] = R.T @ T[turn, :]
        T[:, turn] = T[:, turn] @ R
        T[turn, turn] += cross_matrix(jacobian[0, turn])
    return T


def _pose(coordinate: Coordinate, side: int, state: State) -> tuple[Array, Array, Array, Array]:
    """Rotation of the body, arm to the frame's origin (world), the origin, quaternion of the frame (world)."""
    body = (coordinate.a, coordinate.b)[side]
    frame = (coordinate.frame_a, coordinate.frame_b)[side]
    if body == WORLD:
        return EYE, frame.position, frame.position, frame.orientation
    R = matrix(state.orientation[body])
    arm = R @ frame.position
    return R, arm, state.position[body] + arm, multiply(state.orientation[body], frame.orientation)


def _offset(i: int, pose: list[tuple[Array, Array, Array, Array]]) -> Array:
    """Of `a . d`, with e the way from the centre of a to the origin of frame b."""
    (_, arm_a, p_a, q_a), (_, arm_b, p_b, _) = pose
    a, e = matrix(q_a)[:, i], p_b - p_a + arm_a
    T, cross = np.zeros((12, 12)), cross_matrix(a)
    T[A, TURN_A], T[B, TURN_A] = cross, -cross
    T[TURN_A, A], T[TURN_A, B] = -cross, cross
    T[TURN_A, TURN_A] = np.outer(a, e) - (a @ e) * EYE
    T[TURN_A, TURN_B] = -cross @ cross_matrix(arm_b)
    T[TURN_B, TURN_A] = -cross_matrix(arm_b) @ cross
    T[TURN_B, TURN_B] = np.outer(arm_b, a) - (a @ arm_b) * EYE
    return T


def _distance(pose: list[tuple[Array, Array, Array, Array]]) -> Array:
    (_, arm_a, p_a, _), (_, arm_b, p_b, _) = pose
    d = p_b - p_a
    length = float(np.linalg.norm(d))
    if length < COINCIDENT:
        return np.zeros((12, 12))
    u = d / length
    way = np.hstack((-EYE, cross_matrix(arm_a), EYE, -cross_matrix(arm_b)))
    T = np.asarray(way.T @ ((EYE - np.outer(u, u)) / length) @ way)
    T[TURN_A, TURN_A] += (u @ arm_a) * EYE - np.outer(arm_a, u)
    T[TURN_B, TURN_B] += np.outer(arm_b, u) - (u @ arm_b) * EYE
    return T


def _turning(coordinate: Coordinate, pose: list[tuple[Array, Array, Array, Array]]) -> Array:
    """Of TURN and ANGLE: `J = g(s)' N` for b, where N turns the world into frame b, and the opposite for a."""
    s = multiply(conjugate(pose[0][3]), pose[1][3])
    N = matrix(pose[1][3]).T
    w, v = s[0], s[1:]
    # d s = 1/2 step(s) d phi, with phi the turn of b against a in frame b.
    step = np.vstack((-v, w * EYE + cross_matrix(v)))
    g, slope = _angle_gradient(s) if coordinate.kind == ANGLE else _turn_gradient(s, coordinate.axes[0])
    inner = N.T @ (0.5 * slope @ step) @ N
    T = np.zeros((12, 12))
    T[TURN_B, TURN_B], T[TURN_B, TURN_A] = inner - cross_matrix(N.T @ g), -inner
    T[TURN_A, :] = -T[TURN_B, :]
    return T


def _turn_gradient(s: Array, i: int) -> tuple[Array, Array]:
    """g and dg/ds of component i of `2 sign(s_w) s_v`."""
    sign, unit = (1.0 if s[0] >= 0 else -1.0), EYE[i]
    return sign * (s[0] * unit + np.cross(unit, s[1:])), sign * np.column_stack((unit, cross_matrix(unit)))


def _angle_gradient(s: Array) -> tuple[Array, Array]:
    """g and dg/ds of `2 atan2(s_z, s_w)`."""
    w, x, y, z = s
    n = w * w + z * z
    g = np.array([(z * x - w * y) / n, (w * x + z * y) / n, 1.0])
    slope = np.array([[-y, z, -w, x], [x, w, z, y], [0.0, 0.0, 0.0, 0.0]]) / n
    slope[:2] -= np.outer(g[:2], np.array([2 * w, 0.0, 0.0, 2 * z])) / n
    return g, slope
