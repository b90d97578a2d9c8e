"""New poses from new velocities, and the impulses of contacts that were there before."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel

SMALL_ANGLE = 1e-4
"""Half angles below this take the series of sin(x)/x, exact to round-off there."""


@kernel
def advance(movable, velocity, h, position, orientation):
    """x += h v and q <- q exp(h w) for the movable bodies, in place; velocity has 6 numbers per movable body."""
    for k in range(len(movable)):
        i = movable[k]
        for j in range(3):
            position[i, j] += h * velocity[k, j]
        rx, ry, rz = 0.5 * h * velocity[k, 3], 0.5 * h * velocity[k, 4], 0.5 * h * velocity[k, 5]
        half = math.sqrt(rx * rx + ry * ry + rz * rz)
        sine = math.sin(half) / half if half > SMALL_ANGLE else 1.0 - half * half / 6.0
        pw, px, py, pz = math.cos(half), sine * rx, sine * ry, sine * rz
        w, x, y, z = orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3]
        nw, nx = w * pw - x * px - y * py - z * pz, w * px + x * pw + y * pz - z * py
        ny, nz = w * py - x * pz + y * pw + z * px, w * pz + x * py - y * px + z * pw
        # The product of unit quaternions is one up to round-off, which would add up over millions of steps.
        scale = 1.5 - 0.5 * (nw * nw + nx * nx + ny * ny + nz * nz)
        orientation[i, 0], orientation[i, 1] = scale * nw, scale * nx
        orientation[i, 2], orientation[i, 3] = scale * ny, scale * nz


@kernel
def carry_over(old_identity, old_impulse, identity, order, out):
    """Impulses of identities that are in both, and how many; old_identity rises, and so does identity[order]."""
    at, found = 0, 0
    for k in order:
        wanted = identity[k]
        while at < len(old_identity) and old_identity[at] < wanted:
            at += 1
        same = at < len(old_identity) and old_identity[at] == wanted
        found += same
        for j in range(3):
            out[k, j] = old_impulse[at, j] if same else 0.0
    return found
