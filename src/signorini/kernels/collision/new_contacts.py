"""Contacts that a step brings about, among those found with its velocities."""

from __future__ import annotations

import numpy as np

from signorini.kernels.collision.frames import out_of_frame, rotation_entries
from signorini.kernels.compile import inlined, kernel


@kernel
def point_speed(body, point, direction, position, orientation, velocity, spin):
    """Speed of a point of a body along a direction [m/s]; spin is in the body's frame."""
    q = orientation[body]
    r = rotation_entries(q[0], q[1], q[2], q[3])
    wx, wy, wz = out_of_frame(r, spin[body, 0], spin[body, 1], spin[body, 2])
    x, y, z = point[0] - position[body, 0], point[1] - position[body, 1], point[2] - position[body, 2]
    return (
        direction[0] * (velocity[body, 0] + wy * z - wz * y)
        + direction[1] * (velocity[body, 1] + wz * x - wx * z)
        + direction[2] * (velocity[body, 2] + wx * y - wy * x)
    )


@inlined
def gap_rate(k, bodies, points, normal, state):
    """Rate of the gap of contact k [m/s]; state is (position, orientation, velocity, spin)."""
    one = point_speed(bodies[0][k], points[0][k], normal[k], *state)
    return one - point_speed(bodies[1][k], points[1][k], normal[k], *state)


@kernel
def gap_rates(bodies, points, normal, state, out):
    """Rates of the gaps of all contacts [m/s]."""
    for k in range(len(normal)):
        out[k] = gap_rate(k, bodies, points, normal, state)


@kernel
def least_fresh_gap(known, identity, bodies, points, normal, gap, state, step, fresh):
    """Least gap after the step [m] of the contacts that are not known, inf without any; `fresh` marks them.

    known and identity rise; state is (position, orientation, velocity, spin) with the velocities of the step.
    """
    at, least = 0, np.inf
    for k in range(len(identity)):
        while at < len(known) and known[at] < identity[k]:
            at += 1
        fresh[k] = at == len(known) or known[at] != identity[k]
        if fresh[k]:
            least = min(least, gap[k] + step * gap_rate(k, bodies, points, normal, state))
    return least
