"""Free rotation of rigid bodies over one step: Euler's equations by the implicit midpoint rule.

Orientations follow by `q <- q exp(h w)` with w in the middle of each part of the step. Both are symmetric in time, so
that a body that turns freely keeps its kinetic energy and the magnitude of its angular momentum exactly, and the
direction of the latter to second order.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.bodies.poses import turned
from signorini.kernels.compile import kernel

TURN_PER_PART = 0.1
"""Largest rotation of one part of a step [rad]: the axis of a body then stays right to about its square over 24."""
MOST_PARTS = 1000
MOST_ITERATIONS = 12
ROUND_OFF = 4e-16
NEARLY = 1e-12
"""Relative change of the last iteration that is still an answer."""


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
    """One implicit midpoint step from `start`; the new velocity in w, `start` itself without convergence."""
    w[:], size, length = start, 1.0, 0.0
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
            break
        size, length = 0.0, 0.0
        for j in range(3):
            w[j] -= change[j]
            size = max(size, abs(change[j]))
            length = max(length, abs(w[j]))
        if size <= ROUND_OFF * length:
            return
    if not size <= NEARLY * length:
        w[:] = start


@kernel
def turn_freely(which, movable, inertia, h, start, orientation, spin):
    """Turn the bodies `which` among the movable ones freely over h: `I w' = -w x I w` and `q' = q w / 2`.

    start holds the orientations of all bodies before; orientation and spin (body frame, before) become those after.
    """
    before, w, m, momentum = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    residual, change, jacobian, q = np.empty(3), np.empty(3), np.empty((3, 3)), np.empty(4)
    for k in which:
        i = movable[k]
        before[:], q[:] = spin[i], start[i]
        speed = math.sqrt(before[0] ** 2 + before[1] ** 2 + before[2] ** 2)
        if not math.isfinite(speed):
            continue
        parts = int(min(max(math.ceil(h * speed / TURN_PER_PART), 1), MOST_PARTS))
        part = h / parts
        for _ in range(parts):
            _part(inertia[k], 0.5 * part, before, w, m, momentum, residual, jacobian, change)
            q[0], q[1], q[2], q[3] = turned(q[0], q[1], q[2], q[3], part * w[0], part * w[1], part * w[2])
            before[:] = w
            _part(inertia[k], 0.5 * part, before, w, m, momentum, residual, jacobian, change)
            before[:] = w
        orientation[i], spin[i] = q, before
