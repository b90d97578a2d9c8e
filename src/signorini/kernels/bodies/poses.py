"""New poses from new velocities, and the impulses of contacts that were there before."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel

SMALL_ANGLE = 1e-4
"""Half angles below this take the series of sin(x)/x, exact to round-off there."""


@kernel
def turn(orientation, i, rx, ry, rz):
    """q <- q exp(2 r) of body i, in place: r is half of the rotation vector."""
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
def advance(movable, new, h, position, orientation, velocity, spin):
    """x += h v and q <- q exp(h w) for the movable bodies, in place, with their `new` velocities, 6 each, which become
    their velocity and spin."""
    for k in range(len(movable)):
        i = movable[k]
        for j in range(3):
            velocity[i, j], spin[i, j] = new[k, j], new[k, 3 + j]
            position[i, j] += h * new[k, j]
        turn(orientation, i, 0.5 * h * new[k, 3], 0.5 * h * new[k, 4], 0.5 * h * new[k, 5])


@kernel
def is_rising(identity):
    """Whether identities rise strictly."""
    for k in range(1, len(identity)):  # noqa: SIM110 - compiled: a generator is slower
        if identity[k] <= identity[k - 1]:
            return False
    return True


@kernel
def carry_over(old_identity, old_impulse, identity, order, out):
    """Impulses of identities that are in both, and how many; old_identity rises, and so does identity[order].

    An empty order stands for 0, 1, 2, ...
    """
    at, found = 0, 0
    for p in range(len(identity)):
        k = order[p] if len(order) else p
        wanted = identity[k]
        while at < len(old_identity) and old_identity[at] < wanted:
            at += 1
        same = at < len(old_identity) and old_identity[at] == wanted
        found += same
        for j in range(3):
            out[k, j] = old_impulse[at, j] if same else 0.0
    return found
