"""Stiffness of rotations due to impulses of joints and contacts.

A force f that acts at a lever r turns with neither the body nor its lever: as the body turns, its torque changes. About
an axis of the body that stiffness is at most |f| times the distance of the point from the axis. Times the mobility of
that turning it is the square of the frequency at which a light link swings between the heavy ones that it holds
together. Steps that take paths to second order follow such swings only while they are slower than the step:
(omega h)^2 < 4.

The mobility about an axis is 1 / I of a free body. A row of a joint, (n, t) on the body with mobility y along the row,
that of its partner included, leaves `1 / I - (t / I)^2 / y` of it; further rows can only take more. So the ball of a
pendulum of length L has the mobility 1 / (I + m L^2) about its hinge, however small it is.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel

SIX, THREE = np.uint64(6), np.uint64(3)
"""Velocities of a body, and those of them that shift it; unsigned, so that places need no look at their signs."""


@kernel
def add_joint_loads(indptr, indices, data, impulse, arm, loads):
    """loads += impulse times lever, about each axis, of the rows of joints over movable bodies (6 columns each).

    loads and arm have shape (movable, 3); arm is used to work in: the levers of all rows of a body.
    """
    arm[:] = 0.0
    for last in range(2):
        for i in range(len(indptr) - 1):
            at = indptr[i]
            while at < indptr[i + 1]:
                k, force = np.uint64(indices[at]) // SIX, 0.0
                x, y, z = 0.0, 0.0, 0.0
                while at < indptr[i + 1] and np.uint64(indices[at]) // SIX == k:
                    j, value = np.uint64(indices[at]) % SIX, data[at]
                    if j < 3:
                        force += value * value
                    elif j == 3:
                        x = abs(value)
                    elif j == 4:
                        y = abs(value)
                    else:
                        z = abs(value)
                    at += 1
                force = math.sqrt(force)
                if last == 0:
                    if force > 0.0:
                        arm[k, 0], arm[k, 1] = max(arm[k, 0], x / force), max(arm[k, 1], y / force)
                        arm[k, 2] = max(arm[k, 2], z / force)
                elif force > 0.0:
                    for j in range(3):
                        loads[k, j] += abs(impulse[i]) * force * arm[k, j]
                else:
                    # A torque about one axis stiffens the turning about the other two.
                    for j in range(3):
                        loads[k, j] += abs(impulse[i]) * math.sqrt(x * x + y * y + z * z)


@kernel
def _add_contact(body, place, point, pose, i, size, loads):
    """Of one side of one contact."""
    k = place[body]
    if k < 0:
        return
    position, orientation = pose
    x, y, z = point[i, 0] - position[body, 0], point[i, 1] - position[body, 1], point[i, 2] - position[body, 2]
    w, a, b, c = orientation[body, 0], -orientation[body, 1], -orientation[body, 2], -orientation[body, 3]
    p, q, r = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    x, y, z = x + w * p + b * r - c * q, y + w * q + c * p - a * r, z + w * r + a * q - b * p
    loads[k, 0] += size * math.sqrt(y * y + z * z)
    loads[k, 1] += size * math.sqrt(z * z + x * x)
    loads[k, 2] += size * math.sqrt(x * x + y * y)


@kernel
def add_contact_loads(bodies, points, impulse, place, pose, reach, loads):
    """loads += impulse times lever, about each axis, of contacts; none for bodies of which turning moves no surface.

    bodies and points hold (a, b) of each contact, impulse three numbers each, reach one per body.
    """
    for i in range(len(impulse)):
        size = math.sqrt(impulse[i, 0] ** 2 + impulse[i, 1] ** 2 + impulse[i, 2] ** 2)
        if size > 0.0:
            for side in range(2):
                body = bodies[side][i]
                if reach[body] > 0.0:
                    _add_contact(body, place, points[side], pose, i, size, loads)


@kernel
def _along_row(indices, data, begin, end, mass, inertia):
    """Mobility of all bodies of a row along it."""
    found = 0.0
    for at in range(begin, end):
        k, j = np.uint64(indices[at]) // SIX, np.uint64(indices[at]) % SIX
        found += data[at] * data[at] / (mass[k] if j < THREE else inertia[k, j - THREE, j - THREE])
    return found


@kernel
def turning_mobility(indptr, indices, data, mass, inertia):
    """At most how easily each body turns about each of its axes in its joints, shape (movable, 3) [1 / (kg m2)]."""
    mobility = np.empty((len(mass), 3))
    for k in range(len(mass)):
        for j in range(3):
            mobility[k, j] = 1.0 / inertia[k, j, j]
    for i in range(len(indptr) - 1):
        along = _along_row(indices, data, indptr[i], indptr[i + 1], mass, inertia)
        for at in range(indptr[i], indptr[i + 1]):
            k, j = np.uint64(indices[at]) // SIX, np.uint64(indices[at]) % SIX
            if j >= THREE and along > 0.0:
                j -= THREE
                free = 1.0 / inertia[k, j, j]
                mobility[k, j] = min(mobility[k, j], free - (data[at] * free) ** 2 / along)
    return mobility


@kernel
def stiffest(loads, mobility, h):
    """Largest square of frequency times step of all bodies."""
    found = 0.0
    for k in range(len(loads)):
        for j in range(3):
            found = max(found, h * loads[k, j] * mobility[k, j])
    return found
