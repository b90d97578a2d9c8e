"""New poses from new velocities, and the impulses of contacts that were there before."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 512
"""Bodies or contacts of a part."""

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
def advance_part(part, parts, movable, new, h, position, orientation, velocity, spin):
    """`advance` of one part of the bodies."""
    for k in range(first_of(part, parts, len(movable)), first_of(part + 1, parts, len(movable))):
        i = movable[k]
        for j in range(3):
            velocity[i, j], spin[i, j] = new[k, j], new[k, 3 + j]
            position[i, j] += h * new[k, j]
        turn(orientation, i, 0.5 * h * new[k, 3], 0.5 * h * new[k, 4], 0.5 * h * new[k, 5])


advance_by_team = shared(advance_part)


@kernel
def advance(team, movable, new, h, position, orientation, velocity, spin):
    """x += h v and q <- q exp(h w) for the movable bodies, in place, with their `new` velocities, 6 each, which become
    their velocity and spin."""
    parts = parts_of(len(movable), LEAST)
    advance_by_team(team, parts, (parts, movable, new, h, position, orientation, velocity, spin))


@shared
@kernel
def copy_part(part, parts, position, orientation, velocity, spin, out):
    """`copies` of one part of the bodies."""
    places, turned, moving, turning = out
    for i in range(first_of(part, parts, len(position)), first_of(part + 1, parts, len(position))):
        for j in range(3):
            places[i, j], moving[i, j], turning[i, j] = position[i, j], velocity[i, j], spin[i, j]
        for j in range(4):
            turned[i, j] = orientation[i, j]


@kernel
def copies(team, position, orientation, velocity, spin):
    """Copies of what bodies have, one row each."""
    out = (np.empty(position.shape), np.empty(orientation.shape), np.empty(velocity.shape), np.empty(spin.shape))
    parts = parts_of(len(position), LEAST)
    copy_part(team, parts, (parts, position, orientation, velocity, spin, out))
    return out


@kernel
def carry_part(part, parts, old_identity, old_impulse, identity, order, out, counts):
    """`carry_over` of one part of the identities."""
    first, last, found = first_of(part, parts, len(identity)), first_of(part + 1, parts, len(identity)), 0
    if first == last:
        counts[part] = 0
        return
    at = np.searchsorted(old_identity, identity[order[first] if len(order) else first])
    for p in range(first, last):
        k = order[p] if len(order) else p
        wanted = identity[k]
        while at < len(old_identity) and old_identity[at] < wanted:
            at += 1
        same = at < len(old_identity) and old_identity[at] == wanted
        found += same
        for j in range(3):
            out[k, j] = old_impulse[at, j] if same else 0.0
    counts[part] = found


carry_by_team = shared(carry_part)


@kernel
def carry_over(team, old_identity, old_impulse, identity, order, out):
    """Impulses of identities that are in both, and how many; old_identity rises, and so does identity[order].

    An empty order stands for 0, 1, 2, ...
    """
    parts = parts_of(len(identity), LEAST)
    counts = np.empty(parts, np.int64)
    carry_by_team(team, parts, (parts, old_identity, old_impulse, identity, order, out, counts))
    return counts.sum()
