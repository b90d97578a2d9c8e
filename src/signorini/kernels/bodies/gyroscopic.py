"""Free rotation of rigid bodies over one step: Euler's equations by the implicit midpoint rule."""

from __future__ import annotations

import math

from signorini.kernels.bodies.poses import turn
from signorini.kernels.compile import kernel
from signorini.kernels.stack import vector

TURN_PER_PART = 0.5
"""Largest rotation of one part of a step [rad]: Newton then converges from the old velocity in a few iterations."""
FREE_TURN = 0.1
"""That of bodies whose orientations follow: their axes stay right to about its square over 24."""
MOST_PARTS = 1000
MOST_ITERATIONS = 12
ROUND_OFF = 4e-16
KEPT = 1e-3
"""Below this relative change, Newton's method keeps its matrix."""


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
def _copy(source, target):
    """A loop: an assignment of slices costs seconds of compilation, for an error message that cannot occur."""
    for j in range(3):
        target[j] = source[j]


@kernel
def _inverse3(a, b, c, d, e, f, g, h, i):
    """Inverse of [[a, b, c], [d, e, f], [g, h, i]], row by row; not finite where there is none."""
    p, q, r = e * i - f * h, c * h - b * i, b * f - c * e
    det = a * p + d * q + g * r
    s = 1.0 / det if det != 0.0 else math.inf
    return (
        s * p, s * q, s * r,
        s * (f * g - d * i), s * (a * i - c * g), s * (c * d - a * f),
        s * (d * h - e * g), s * (b * g - a * h), s * (a * e - b * d),
    )  # fmt: skip


@kernel
def _part(inertia, h, start, w):
    """One implicit midpoint step from `start`; the new velocity in w. False without convergence.

    `I (w - start) + h m x I m = 0` with `m = (start + w) / 2` by Newton's method, whose matrix is kept once changes are
    small.
    """
    a, b, c = inertia[0, 0], inertia[0, 1], inertia[0, 2]
    d, e, f = inertia[1, 0], inertia[1, 1], inertia[1, 2]
    g, k, i = inertia[2, 0], inertia[2, 1], inertia[2, 2]
    x, y, z = start[0], start[1], start[2]
    wx, wy, wz = x, y, z
    inverse = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    size, length, half = math.inf, 0.0, 0.5 * h
    for _ in range(MOST_ITERATIONS):
        mx, my, mz = 0.5 * (x + wx), 0.5 * (y + wy), 0.5 * (z + wz)
        lx, ly, lz = a * mx + b * my + c * mz, d * mx + e * my + f * mz, g * mx + k * my + i * mz
        if not size <= KEPT * length:
            inverse = _inverse3(
                a + half * (my * g - mz * d), b + half * (my * k - mz * e + lz), c + half * (my * i - mz * f - ly),
                d + half * (mz * a - mx * g - lz), e + half * (mz * b - mx * k), f + half * (mz * c - mx * i + lx),
                g + half * (mx * d - my * a + ly), k + half * (mx * e - my * b - lx), i + half * (mx * f - my * c),
            )  # fmt: skip
        dx, dy, dz = wx - x, wy - y, wz - z
        rx = h * (my * lz - mz * ly) + a * dx + b * dy + c * dz
        ry = h * (mz * lx - mx * lz) + d * dx + e * dy + f * dz
        rz = h * (mx * ly - my * lx) + g * dx + k * dy + i * dz
        cx = inverse[0] * rx + inverse[1] * ry + inverse[2] * rz
        cy = inverse[3] * rx + inverse[4] * ry + inverse[5] * rz
        cz = inverse[6] * rx + inverse[7] * ry + inverse[8] * rz
        wx, wy, wz = wx - cx, wy - cy, wz - cz
        size, length = max(abs(cx), abs(cy), abs(cz)), max(abs(wx), abs(wy), abs(wz))
        if not math.isfinite(cx + cy + cz):
            return False
        if size <= ROUND_OFF * length:
            break
    w[0], w[1], w[2] = wx, wy, wz
    return size <= 1e-12 * length


@kernel
def _kick(inertia, share, torque, q, w, turned, change):
    """Add I^-1 of a share of a torque impulse, which stays in space while the body has turned by q."""
    qw, qx, qy, qz = q[0], -q[1], -q[2], -q[3]
    x, y, z = torque[0], torque[1], torque[2]
    cx, cy, cz = 2.0 * (qy * z - qz * y), 2.0 * (qz * x - qx * z), 2.0 * (qx * y - qy * x)
    turned[0] = share * (x + qw * cx + qy * cz - qz * cy)
    turned[1] = share * (y + qw * cy + qz * cx - qx * cz)
    turned[2] = share * (z + qw * cz + qx * cy - qy * cx)
    _solve3(inertia, turned, change)
    for j in range(3):
        w[j] += change[j]


@kernel
def _follow(q, x, y, z):
    """q <- q exp(2 (x, y, z))."""
    half = math.sqrt(x * x + y * y + z * z)
    sine, pw = math.sin(half) / half if half > 0.0 else 1.0, math.cos(half)
    px, py, pz = sine * x, sine * y, sine * z
    w, i, j, k = q[0], q[1], q[2], q[3]
    q[0], q[1] = w * pw - i * px - j * py - k * pz, w * px + i * pw + j * pz - k * py
    q[2], q[3] = w * py - i * pz + j * pw + k * px, w * pz + i * py - j * px + k * pw


@kernel
def turn_with_torque(which, inertia, h, turn_per_part, torque, angular_velocity, turn):
    """Follow the bodies `which` through h under torque impulses (body axes at the beginning [N m s]) that act evenly
    and stay in space. In place: their angular velocities, and `turn`, their rotation vectors [rad]."""
    start, w, m, change, q = vector(3), vector(3), vector(3), vector(3), vector(4)
    for i in which:
        _copy(angular_velocity[i], start)
        speed = math.sqrt(start[0] ** 2 + start[1] ** 2 + start[2] ** 2)
        if not math.isfinite(speed):
            continue
        parts = int(max(1, min(math.ceil(h * speed / turn_per_part), MOST_PARTS)))
        q[0], q[1], q[2], q[3] = 1.0, 0.0, 0.0, 0.0
        part = 0.25 * h / parts
        for _ in range(parts):
            _kick(inertia[i], 0.5 / parts, torque[i], q, start, m, change)
            if not _part(inertia[i], h / parts, start, w):
                _copy(start, w)
            _follow(q, part * (start[0] + w[0]), part * (start[1] + w[1]), part * (start[2] + w[2]))
            _kick(inertia[i], 0.5 / parts, torque[i], q, w, m, change)
            _copy(w, start)
        _copy(start, angular_velocity[i])
        size = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        # A body that turns by more than half a turn in a step has two rotation vectors; the shorter one does.
        factor = 2.0 * math.atan2(size, abs(q[0])) / size if size > 0.0 else 2.0
        factor = factor if q[0] >= 0.0 else -factor
        turn[i, 0], turn[i, 1], turn[i, 2] = factor * q[1], factor * q[2], factor * q[3]


@kernel
def rotate_freely(which, inertia, h, angular_velocity):
    """Turn the body-frame velocities of the bodies `which` by `I w' = -w x I w` over h, in place."""
    start, w = vector(3), vector(3)
    for i in which:
        _copy(angular_velocity[i], start)
        speed = math.sqrt(start[0] ** 2 + start[1] ** 2 + start[2] ** 2)
        if not math.isfinite(speed):
            continue
        parts = int(min(math.ceil(h * speed / TURN_PER_PART), MOST_PARTS))
        for _ in range(parts):
            if not _part(inertia[i], h / parts, start, w):
                break
            _copy(w, start)
        _copy(start, angular_velocity[i])


@kernel
def halfway(inertia, h, before, w):
    """Half of a part of h, in place: before becomes the velocity in its middle; unchanged without convergence."""
    if _part(inertia, 0.5 * h, before, w):
        before[0], before[1], before[2] = w[0], w[1], w[2]


@kernel
def turn_freely(which, movable, inertia, h, start, orientation, spin):
    """Turn the bodies `which` among the movable ones freely over h: `I w' = -w x I w` and `q' = q w / 2`.

    start holds the orientations of all bodies before; orientation and spin (body frame, before) become those after.
    q follows with w in the middle of each part: energy and the magnitude of momentum stay, its direction to second
    order.
    """
    w = vector(3)
    for k in which:
        i = movable[k]
        now = spin[i]
        speed = math.sqrt(now[0] ** 2 + now[1] ** 2 + now[2] ** 2)
        if not math.isfinite(speed):
            continue
        for j in range(4):
            orientation[i, j] = start[i, j]
        parts = int(min(max(math.ceil(h * speed / FREE_TURN), 1), MOST_PARTS))
        part = h / parts
        for _ in range(parts):
            halfway(inertia[k], part, now, w)
            turn(orientation, i, 0.5 * part * now[0], 0.5 * part * now[1], 0.5 * part * now[2])
            halfway(inertia[k], part, now, w)
