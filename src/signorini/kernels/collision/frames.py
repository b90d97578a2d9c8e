"""Vectors of three components, and how a rotation carries them between a frame and the world."""

from __future__ import annotations

from signorini.kernels.compile import kernel


@kernel
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def difference(a, b):
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def rotation_entries(w, x, y, z):
    """Rotation matrix of a unit quaternion, row by row."""
    return (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )


@kernel
def into_frame(r, x, y, z):
    """World vector in the frame of the rotation r (9 entries)."""
    return r[0] * x + r[3] * y + r[6] * z, r[1] * x + r[4] * y + r[7] * z, r[2] * x + r[5] * y + r[8] * z


@kernel
def out_of_frame(r, x, y, z):
    """Vector of the frame r in the world."""
    return r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z
