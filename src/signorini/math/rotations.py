"""Unit quaternions (w, x, y, z) and rotations, one or many at a time (leading axes are free)."""

from __future__ import annotations

import numpy as np

from signorini.math.sparse import Array

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def multiply(p: Array, q: Array) -> Array:
    """The product p q: rotate by q first, then by p."""
    pw, px, py, pz = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    qw, qx, qy, qz = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out = np.empty(np.broadcast_shapes(p.shape, q.shape))
    out[..., 0] = pw * qw - px * qx - py * qy - pz * qz
    out[..., 1] = pw * qx + px * qw + py * qz - pz * qy
    out[..., 2] = pw * qy - px * qz + py * qw + pz * qx
    out[..., 3] = pw * qz + px * qy - py * qx + pz * qw
    return out


def conjugate(q: Array) -> Array:
    """The inverse rotation."""
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def matrix(q: Array) -> Array:
    """Rotation matrix R of unit quaternions: `R @ local = world`, shape (..., 3, 3)."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0], out[..., 0, 1], out[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[..., 1, 0], out[..., 1, 1], out[..., 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[..., 2, 0], out[..., 2, 1], out[..., 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return out


def rotate(q: Array, v: Array) -> Array:
    """Local vectors v in world coordinates."""
    return np.asarray(np.einsum("...ij,...j->...i", matrix(q), v))


def exponential(rotation_vector: Array) -> Array:
    """Quaternion of the rotation by |v| about v; exact for small vectors too."""
    half = 0.5 * np.linalg.norm(rotation_vector, axis=-1, keepdims=True)
    # sin(half)/half by numpy's sinc, which is exact at 0.
    return np.concatenate((np.cos(half), 0.5 * np.sinc(half / np.pi) * rotation_vector), axis=-1)


def logarithm(q: Array) -> Array:
    """The rotation vector of unit quaternions, of length at most pi."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    return np.asarray(np.where(sine > 1e-12, angle / np.where(sine > 0, sine, 1.0), 2.0) * q[..., 1:])


def about(axis: Array, angle: float) -> Array:
    """Quaternion of the rotation by `angle` [rad] about `axis` (any length but 0)."""
    unit = np.asarray(axis, dtype=np.float64)
    return exponential(unit / np.linalg.norm(unit) * angle)


def from_matrix(R: Array) -> Array:
    """The unit quaternion of one rotation matrix, with w >= 0; its largest component comes first, so none cancels."""
    squares = np.array([R[0, 0] + R[1, 1] + R[2, 2], R[0, 0], R[1, 1], R[2, 2]])
    squares[1:] = 2.0 * squares[1:] - squares[0]
    k = int(np.argmax(squares))
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    q = np.empty(4)
    q[k] = 1.0 + squares[k]
    if k == 0:
        q[1:] = skew
    else:
        i = k - 1
        q[0], q[1:] = skew[i], R[i] + R[:, i]
        q[k] = 1.0 + squares[k]
    q /= np.linalg.norm(q)
    return -q if q[0] < 0 else q


def normals_to(direction: Array) -> Array:
    """Two unit vectors across a unit vector and each other, shape (2, 3); world axes where the line is one."""
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = helper - (helper @ direction) * direction
    first /= np.linalg.norm(first)
    return np.stack((first, np.cross(direction, first)))


def with_z_along(direction: Array) -> Array:
    """Quaternion of a frame whose z axis is a unit vector; no rotation where that is (0, 0, 1)."""
    return from_matrix(np.column_stack((*normals_to(direction), direction)))


def cross_matrix(r: Array) -> Array:
    """[r]x with `[r]x w = r x w`."""
    x, y, z = r
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def to_xyzw(q: Array) -> Array:
    """The same quaternion in the order (x, y, z, w) of other libraries."""
    return np.asarray(np.roll(q, -1, axis=-1))
