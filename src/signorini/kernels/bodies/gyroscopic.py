"""Free rotation of rigid bodies over one step: Euler's equations by the implicit midpoint rule.

Orientations follow by `q <- q exp(h w)` with w in the middle of each part of the step. Both are symmetric in time, so
that a body that turns freely keeps its kinetic energy and the magnitude of its angular momentum exactly, and the
direction of the latter to second order.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.bodies.poses import turn
from signorini.kernels.compile import kernel

TURN_PER_PART = 0.1
"""Largest rotation of one part of a step [rad]: the axis of a body then stays right to about its square over 24."""
MOST_PARTS = 1000
MOST_ITERATIONS = 12
ROUND_OFF = 4e-16


@kernel
def _solve3(a, b, x):
    """x = a^-1 b by Cramer's rule; False when a is singular."""
    c00 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
    c01 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
    c02 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
    det = a[0, 0] * c00 + a[0, 1] * c01 + a[0, 2] * c02
    if det == 0.0 or not math.isfinite(det):
        return False
    x[0] = (
        c00 * b[0] + (a[0, 2] * a[2, 1] - a[0, 1] * a[2, 2]) * b[1] + (a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1]) * b[2]
    ) / det
    x[1] = (
        c01 * b[0] + (a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0]) * b[1] + (a[0, 2] * a[1, 0] - a[0, 0] * a[1, 2]) * b[2]
    ) / det
    x[2] = (
        c02 * b[0] + (a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1]) * b[1] + (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]) * b[2]
    ) / det
    return True


@kernel
def _part(inertia, h, start, w, m, spin, residual, jacobian, change):
    """One implicit midpoint step from `start`; the new velocity in w. False without convergence."""
    w[0], w[1], w[2] = start[0], start[1], start[2]
    for _ in range(MOST_ITERATIONS):
        for j in range(3):
            m[j] = 0.5 * (start[j] + w[j])
        for j in range(3):
            spin[j] = inertia[j, 0] * m[0] + inertia[j, 1] * m[1] + inertia[j, 2] * m[2]
        for j in range(3):
            a, b = (j + 1) % 3, (j + 2) % 3
            residual[j] = h * (m[a] * spin[b] - m[b] * spin[a])
            for k in range(3):
                residual[j] += inertia[j, k] * (w[k] - start[k])
                jacobian[j, k] = inertia[j, k] + 0.5 * h * (m[a] * inertia[b, k] - m[b] * inertia[a, k])
            jacobian[j, a] += 0.5 * h * spin[b]
            jacobian[j, b] -= 0.5 * h * spin[a]
        if not _solve3(jacobian, residual, change):
            return False
        size, length = 0.0, 0.0
        for j in range(3):
            w[j] -= change[j]
            size = max(size, abs(change[j]))
            length = max(length, abs(w[j]))
        if size <= ROUND_OFF * length:
            return True
    return size <= 1e-12 * length


@kernel
def halfway(inertia, h, before, w, m, momentum, residual, jacobian, change):
    """Half of a part of h, in place: before becomes the velocity in its middle; unchanged without convergence."""
    if _part(inertia, 0.5 * h, before, w, m, momentum, residual, jacobian, change):
        before[0], before[1], before[2] = w[0], w[1], w[2]


@kernel
def turn_freely(which, movable, inertia, h, start, orientation, spin):
    """Turn the bodies `which` among the movable ones freely over h: `I w' = -w x I w` and `q' = q w / 2`.

    start holds the orientations of all bodies before; orientation and spin (body frame, before) become those after.
    """
    w, m, momentum = np.empty(3), np.empty(3), np.empty(3)
    residual, change, jacobian = np.empty(3), np.empty(3), np.empty((3, 3))
    for k in which:
        i = movable[k]
        now = spin[i]
        speed = math.sqrt(now[0] ** 2 + now[1] ** 2 + now[2] ** 2)
        if not math.isfinite(speed):
            continue
        orientation[i] = start[i]
        parts = int(min(max(math.ceil(h * speed / TURN_PER_PART), 1), MOST_PARTS))
        part = h / parts
        for _ in range(parts):
            halfway(inertia[k], part, now, w, m, momentum, residual, jacobian, change)
            turn(orientation, i, 0.5 * part * now[0], 0.5 * part * now[1], 0.5 * part * now[2])
            halfway(inertia[k], part, now, w, m, momentum, residual, jacobian, change)
