"""Blocks of three rows, the usual contact: what `scaling.py` and `steps.py` do with loops, in scalars.

Three to four times as fast: the compiler keeps a block in registers. Letters and bases as there.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel

ROOT_HALF = math.sqrt(0.5)
SMALLEST = 1e-300
"""Determinants are at least this."""


@kernel
def turn_three(f, sign, reflector, x, out):
    """Into the eigenbasis; `out` may be `x`."""
    r1, r2 = reflector[f + 1], reflector[f + 2]
    normal, one, two = x[f], x[f + 1], x[f + 2]
    dot = 2.0 * (r1 * one + r2 * two)
    along = sign * (one - dot * r1)
    out[f] = (normal + along) * ROOT_HALF
    out[f + 1] = (normal - along) * ROOT_HALF
    out[f + 2] = two - dot * r2


@kernel
def turn_back_three(f, sign, reflector, x, out):
    """Out of the eigenbasis; `out` may be `x`."""
    r1, r2 = reflector[f + 1], reflector[f + 2]
    plus, minus, across = x[f], x[f + 1], x[f + 2]
    along = sign * (plus - minus) * ROOT_HALF
    dot = 2.0 * (r1 * along + r2 * across)
    out[f] = (plus + minus) * ROOT_HALF
    out[f + 1] = along - dot * r1
    out[f + 2] = across - dot * r2


@kernel
def _determinant(normal, one, two):
    tangent = math.sqrt(one * one + two * two)
    return (normal - tangent) * (normal + tangent)


@kernel
def scale_three(i, f, lam, y, trace, scaling, reflector, theta, z):
    """Nesterov-Todd scaling of one block [Mangoni2018, section 4.14.2]."""
    root_l, root_y = math.sqrt(trace[i, 0]), math.sqrt(trace[i, 1])
    twice_gamma = 2.0 * math.sqrt(0.5 * (1.0 + trace[i, 2] / (root_l * root_y)))
    w1 = (y[f + 1] / root_y - lam[f + 1] / root_l) / twice_gamma
    w2 = (y[f + 2] / root_y - lam[f + 2] / root_l) / twice_gamma
    length = math.sqrt(w1 * w1 + w2 * w2)
    eta, kappa = math.sqrt(root_y / root_l), math.sqrt(1.0 + length * length) + length
    sign = 1.0
    if length > 0.0:
        # The Householder vector that carries w to sign * (1, 0), the sign chosen against cancellation.
        w1, w2 = w1 / length, w2 / length
        sign = -1.0 if w1 >= 0.0 else 1.0
        size = math.sqrt(2.0 * abs(w1 - sign))
        w1, w2 = (w1 - sign) / size, w2 / size
    scaling[i, 0], scaling[i, 1], scaling[i, 2] = eta, kappa, sign
    reflector[f + 1], reflector[f + 2] = w1, w2
    # z = W lambda = W^-1 y: each component from the one that is not a small difference, the third as the mean of both.
    dot_y, dot_l = 2.0 * (w1 * y[f + 1] + w2 * y[f + 2]), 2.0 * (w1 * lam[f + 1] + w2 * lam[f + 2])
    plus = (y[f] + sign * (y[f + 1] - dot_y * w1)) * ROOT_HALF / (eta * kappa)
    minus = (lam[f] - sign * (lam[f + 1] - dot_l * w1)) * ROOT_HALF * eta / kappa
    across = 0.5 * ((lam[f + 2] - dot_l * w2) * eta + (y[f + 2] - dot_y * w2) / eta)
    z[f], z[f + 1], z[f + 2] = (plus + minus) * ROOT_HALF, (plus - minus) * ROOT_HALF, across
    theta[f], theta[f + 1], theta[f + 2] = (eta * kappa) ** 2, (eta / kappa) ** 2, eta * eta


@kernel
def _inverse_step(z0, z1, z2, inverse_root, d0, d1, d2):
    normal = z0 * inverse_root
    dot = normal * d0 - (z1 * d1 + z2 * d2) * inverse_root
    factor = (dot + d0) / (normal + 1.0) * inverse_root
    part1, part2 = d1 - factor * z1, d2 - factor * z2
    return (math.sqrt(part1 * part1 + part2 * part2) - dot) * inverse_root


@kernel
def inverse_steps_three(f, z, d_lam, d_y):
    """1/alpha of the largest steps along d_lam and d_y [Mangoni2018, 4.56]."""
    z0, z1, z2 = z[f], z[f + 1], z[f + 2]
    inverse_root = 1.0 / math.sqrt(max(_determinant(z0, z1, z2), SMALLEST))
    return (
        _inverse_step(z0, z1, z2, inverse_root, d_lam[f], d_lam[f + 1], d_lam[f + 2]),
        _inverse_step(z0, z1, z2, inverse_root, d_y[f], d_y[f + 1], d_y[f + 2]),
    )


@kernel
def _divided(z0, z1, z2, t0, t1, t2):
    """z \\ t, the s with `z o s = t`."""
    head = (z0 * t0 - z1 * t1 - z2 * t2) / _determinant(z0, z1, z2)
    return head, (t1 - head * z1) / z0, (t2 - head * z2) / z0


@kernel
def corrected_three(f, z, d_lam, d_y, target, out):
    """out = z + z \\ (d_y o d_lam - target e) [Mangoni2018, eq. 4.51]."""
    z0, z1, z2 = z[f], z[f + 1], z[f + 2]
    a0, a1, a2 = d_lam[f], d_lam[f + 1], d_lam[f + 2]
    b0, b1, b2 = d_y[f], d_y[f + 1], d_y[f + 2]
    t0 = a0 * b0 + a1 * b1 + a2 * b2 - target
    s0, s1, s2 = _divided(z0, z1, z2, t0, a0 * b1 + b0 * a1, a0 * b2 + b0 * a2)
    out[f], out[f + 1], out[f + 2] = z0 + s0, z1 + s1, z2 + s2


@kernel
def centre_three(f, z, d_lam, d_y, step_l, step_y, low, high, s):
    """s -= z \\ t, where t moves the spectral values of the trial point into [low, high] [Gondzio1996]."""
    z0, z1, z2 = z[f], z[f + 1], z[f + 2]
    a0, b0 = z0 + step_l * d_lam[f], z0 + step_y * d_y[f]
    a1, b1 = z1 + step_l * d_lam[f + 1], z1 + step_y * d_y[f + 1]
    a2, b2 = z2 + step_l * d_lam[f + 2], z2 + step_y * d_y[f + 2]
    normal, one, two = a0 * b0 + a1 * b1 + a2 * b2, a0 * b1 + b0 * a1, a0 * b2 + b0 * a2
    length = math.sqrt(one * one + two * two)
    small, large = normal - length, normal + length
    change_small = max(min(max(small, low), high) - small, -high)
    change_large = max(min(max(large, low), high) - large, -high)
    share = 0.5 * (change_large - change_small) / length if length > 0.0 else 0.0
    s0, s1, s2 = _divided(z0, z1, z2, 0.5 * (change_small + change_large), share * one, share * two)
    s[f] -= s0
    s[f + 1] -= s1
    s[f + 2] -= s2


@kernel
def _advance_vector(f, step, direction, determinant, x):
    one, two = x[f + 1] + step * direction[f + 1], x[f + 2] + step * direction[f + 2]
    x[f], x[f + 1], x[f + 2] = math.sqrt(determinant + one * one + two * two), one, two


@kernel
def advance_three(i, f, eta, z, d_lam, d_y, move_l, move_y, step_l, step_y, lam, y, trace):
    """Take the steps; the trace is followed in scaled space."""
    a0, b0 = z[f] + step_l * d_lam[f], z[f] + step_y * d_y[f]
    a1, b1 = z[f + 1] + step_l * d_lam[f + 1], z[f + 1] + step_y * d_y[f + 1]
    a2, b2 = z[f + 2] + step_l * d_lam[f + 2], z[f + 2] + step_y * d_y[f + 2]
    trace[i, 0] = _determinant(a0, a1, a2) / (eta * eta)
    trace[i, 1] = _determinant(b0, b1, b2) * (eta * eta)
    trace[i, 2] = a0 * b0 + a1 * b1 + a2 * b2
    if trace[i, 0] > 0.0 and trace[i, 1] > 0.0:
        _advance_vector(f, step_l, move_l, trace[i, 0], lam)
        _advance_vector(f, step_y, move_y, trace[i, 1], y)
