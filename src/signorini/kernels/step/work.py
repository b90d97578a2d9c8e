"""The work of impulses on the bodies in a step; the mathematics is that of `stepping.work`."""

from __future__ import annotations

import numpy as np

from signorini.kernels.bodies.gyroscopic import rotate_freely
from signorini.kernels.compile import kernel
from signorini.kernels.stack import matrix, vector

CONTACTS, FRICTION, LIMITS, BRAKES, MOTORS, FORCES = range(6)
"""Places of what does work."""
KINDS = 6


@kernel
def _along(A, row, v):
    """A v of one row."""
    out = 0.0
    for k in range(A.indptr[row], A.indptr[row + 1]):
        out += A.data[k] * v[A.indices[k]]
    return out


@kernel
def _before(bodies, state, h, turning, out):
    """Velocities before the step, those of bodies at the places `turning` after their free turn, shape (movable, 6)."""
    count = len(bodies.movable)
    spin = matrix(count, 3)
    for k in range(count):
        i = bodies.movable[k]
        for j in range(3):
            spin[k, j], out[k, j] = state.spin[i, j], state.velocity[i, j]
    rotate_freely(turning, bodies.inertia, h, spin)
    for k in range(count):
        for j in range(3):
            out[k, 3 + j] = spin[k, j]


@kernel
def _motor_work(springs, place, h, v, mean):
    """Of motors that give an effort."""
    out, body = 0.0, springs.coordinates[2]
    for i in range(len(springs.efforts)):
        first, rate, way = springs.start[springs.storing + i], 0.0, 0.0
        for side in range(2):
            b = body[first, side]
            where = place[b] if b >= 0 else -1
            for a in range(6 if where >= 0 else 0):
                g = springs.efforts[i, 2 + 6 * side + a]
                rate += g * v[6 * where + a]
                way += g * mean[6 * where + a]
        out += (h * springs.efforts[i, 0] - springs.efforts[i, 1] * rate) * way
    return out


@kernel
def works(bodies, rows, springs, state, h, turning, prepared, near, contacts, lam, gamma, v):
    """Of contacts, friction, limits, brakes, motors and other forces than weight [J], shape (KINDS,).

    Gyroscopic torque of the bodies at the places `turning` is in the momentum before the step.
    """
    out, count = np.zeros(KINDS), len(bodies.movable)
    before, mean, total = matrix(count, 6), vector(len(v)), 0.0
    _before(bodies, state, h, turning, before)
    for k in range(count):
        for j in range(6):
            mean[6 * k + j] = 0.5 * (v[6 * k + j] + before[k, j])
        for j in range(3):
            change = bodies.mass[k] * (v[6 * k + j] - before[k, j] - h * bodies.gravity[j])
            total += mean[6 * k + j] * change
            for i in range(3):
                total += mean[6 * k + 3 + i] * bodies.inertia[k, i, j] * (v[6 * k + 3 + j] - before[k, 3 + j])
    limits = 3 * contacts
    for i in range(rows.limits):
        limits += near[i]
    for i in range(len(lam)):
        if lam[i] != 0.0:
            done = lam[i] * _along(prepared.D, i, mean)
            kind = (FRICTION if i % 3 else CONTACTS) if i < 3 * contacts else LIMITS if i < limits else BRAKES
            out[kind] += done
            total -= done
    for i in range(len(gamma)):
        done = gamma[i] * _along(prepared.C, i, mean)
        total -= done
        if rows.driving[i]:
            out[MOTORS] += done
    by_effort = _motor_work(springs, bodies.place, h, v, mean) if len(springs.efforts) else 0.0
    out[MOTORS] += by_effort
    out[FORCES] = total - by_effort
    return out
