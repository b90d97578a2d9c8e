"""Block algebra of the interior point: Nesterov-Todd scaling in its own eigenbasis.

Blocks are half-lines (dimension 1), Lorentz cones (dimension d >= 2) and free rows (joints, after the cones).
For a Lorentz block the scaling W = eta * V diag(kappa, 1/kappa, 1, ...) V' has the eigenvectors
(1, w)/sqrt(2), (1, -w)/sqrt(2) and the tangents perpendicular to the unit vector w. In the standard basis the
huge and the tiny eigenvalue of W^2 share every entry, and the tiny one drowns in the round-off of the huge one
long before the gap is closed. So each block is turned into this eigenbasis ("turned" below): a Householder
reflection of the tangents that carries w to `sign * (1, 0, ..)`, then a turn by 45 degrees in the (normal, first
tangent) plane. There W^2 is diagonal and the graded matrices that the linear solver sees lose nothing.

For the same reason det(lambda), det(y) and lambda'y are not recomputed from lambda and y near the boundary of
the cone, where they cancel, but carried from one iterate to the next in scaled space, where they do not.

`scaling` has one row per block: eta, kappa, sign. `reflector` has one entry per row.
`trace` has one row per block: det(lambda), det(y), lambda'y; for half-lines lambda, y, lambda y.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.interior.lorentz3 import ROOT_HALF, scale_three, turn_back_three, turn_three


@kernel
def tangent_length(x, first, last):
    """Length of the tangents of one block."""
    total = 0.0
    for k in range(first + 1, last):
        total += x[k] * x[k]
    return math.sqrt(total)


@kernel
def determinant(x, first, last):
    """normal^2 - |tangents|^2 of one block, without cancelling squares."""
    tangent = tangent_length(x, first, last)
    return (x[first] - tangent) * (x[first] + tangent)


@kernel
def initial_trace(start, lam, y, trace):
    """The trace of a point well inside the cones."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        dot = lam[first] * y[first]
        for k in range(first + 1, last):
            dot += lam[k] * y[k]
        trace[i, 0] = lam[first] if last - first == 1 else determinant(lam, first, last)
        trace[i, 1] = y[first] if last - first == 1 else determinant(y, first, last)
        trace[i, 2] = dot


@kernel
def turn_block(first, last, sign, reflector, x, out):
    """Into the eigenbasis; `out` may be `x`."""
    dot = 0.0
    for k in range(first + 1, last):
        dot += reflector[k] * x[k]
    dot *= 2.0
    for k in range(first + 1, last):
        out[k] = x[k] - dot * reflector[k]
    normal = x[first]
    along = sign * out[first + 1]
    out[first] = (normal + along) * ROOT_HALF
    out[first + 1] = (normal - along) * ROOT_HALF


@kernel
def turn_back_block(first, last, sign, reflector, x, out):
    """Out of the eigenbasis; `out` may be `x`."""
    plus, minus = x[first], x[first + 1]
    out[first] = (plus + minus) * ROOT_HALF
    dot = 0.0
    along = sign * (plus - minus) * ROOT_HALF
    dot = reflector[first + 1] * along
    for k in range(first + 2, last):
        dot += reflector[k] * x[k]
    dot *= 2.0
    out[first + 1] = along - dot * reflector[first + 1]
    for k in range(first + 2, last):
        out[k] = x[k] - dot * reflector[k]


@kernel
def turn(start, scaling, reflector, x, out):
    """All cone blocks into their eigenbases; rows after the last cone (joints) are copied."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            turn_three(first, scaling[i, 2], reflector, x, out)
        elif last - first == 1:
            out[first] = x[first]
        else:
            turn_block(first, last, scaling[i, 2], reflector, x, out)
    for k in range(start[-1], len(x)):
        out[k] = x[k]


@kernel
def turn_back(start, scaling, reflector, x, out):
    """All cone blocks out of their eigenbases; rows after the last cone are copied."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            turn_back_three(first, scaling[i, 2], reflector, x, out)
        elif last - first == 1:
            out[first] = x[first]
        else:
            turn_back_block(first, last, scaling[i, 2], reflector, x, out)
    for k in range(start[-1], len(x)):
        out[k] = x[k]


@kernel
def reflect_to_axis(first, last, length, reflector):
    """Turn the tangent vector of that length stored in `reflector` into its Householder vector; returns the sign.

    The reflection carries the unit vector to `sign * (1, 0, ..)`; the sign is chosen against cancellation.
    """
    if length == 0.0:
        return 1.0
    for k in range(first + 1, last):
        reflector[k] /= length
    sign = -1.0 if reflector[first + 1] >= 0.0 else 1.0
    pivot = reflector[first + 1] - sign
    size = math.sqrt(2.0 * abs(pivot))
    reflector[first + 1] = pivot / size
    for k in range(first + 2, last):
        reflector[k] /= size
    return sign


@kernel
def _scale_half_line(i, first, trace, scaling, theta, z):
    lam, y = trace[i, 0], trace[i, 1]
    scaling[i, 0] = math.sqrt(y / lam)
    scaling[i, 1] = 1.0
    scaling[i, 2] = 1.0
    theta[first] = y / lam
    z[first] = math.sqrt(y * lam)


@kernel
def _scale_lorentz(i, first, last, lam, y, trace, scaling, reflector, theta, z):
    root_l = math.sqrt(trace[i, 0])
    root_y = math.sqrt(trace[i, 1])
    gamma = math.sqrt(0.5 * (1.0 + trace[i, 2] / (root_l * root_y)))
    # Tangent part of the scaling point w [Mangoni2018, section 4.14.2], and its length.
    length = 0.0
    for k in range(first + 1, last):
        w = (y[k] / root_y - lam[k] / root_l) / (2.0 * gamma)
        reflector[k] = w
        length += w * w
    length = math.sqrt(length)
    eta = math.sqrt(root_y / root_l)
    kappa = math.sqrt(1.0 + length * length) + length
    sign = reflect_to_axis(first, last, length, reflector)
    scaling[i, 0] = eta
    scaling[i, 1] = kappa
    scaling[i, 2] = sign
    # z = W lambda = W^-1 y: each component from the one that is not a small difference.
    turn_block(first, last, sign, reflector, y, z)
    plus = z[first] / (eta * kappa)
    # The components across w agree in theory; their mean halves the round-off.
    for k in range(first + 2, last):
        theta[k] = z[k]
    turn_block(first, last, sign, reflector, lam, z)
    minus = z[first + 1] * eta / kappa
    z[first] = (plus + minus) * ROOT_HALF
    z[first + 1] = (plus - minus) * ROOT_HALF
    theta[first] = (eta * kappa) ** 2
    theta[first + 1] = (eta / kappa) ** 2
    for k in range(first + 2, last):
        z[k] = 0.5 * (z[k] * eta + theta[k] / eta)
        theta[k] = eta * eta


@kernel
def scale(start, lam, y, trace, scaling, reflector, theta, z):
    """Nesterov-Todd scaling of all cone blocks: eigenvalues `theta` of W^2 and the scaled point z.

    z is in the basis (normal, along w, across), not in the eigenbasis.
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            scale_three(i, first, lam, y, trace, scaling, reflector, theta, z)
        elif last - first == 1:
            _scale_half_line(i, first, trace, scaling, theta, z)
        else:
            _scale_lorentz(i, first, last, lam, y, trace, scaling, reflector, theta, z)


@kernel
def to_scaled(start, scaling, x, out):
    """W x for turned x (an impulse direction); the result is in the basis of z."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        eta, kappa = scaling[i, 0], scaling[i, 1]
        if last - first == 1:
            out[first] = eta * x[first]
        else:
            plus, minus = eta * kappa * x[first], eta / kappa * x[first + 1]
            out[first] = (plus + minus) * ROOT_HALF
            out[first + 1] = (plus - minus) * ROOT_HALF
            for k in range(first + 2, last):
                out[k] = eta * x[k]


@kernel
def from_scaled(start, scaling, x, out):
    """W x for x in the basis of z (a slip direction); the result is turned."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        eta, kappa = scaling[i, 0], scaling[i, 1]
        if last - first == 1:
            out[first] = eta * x[first]
        else:
            plus, minus = (x[first] + x[first + 1]) * ROOT_HALF, (x[first] - x[first + 1]) * ROOT_HALF
            out[first] = eta * kappa * plus
            out[first + 1] = eta / kappa * minus
            for k in range(first + 2, last):
                out[k] = eta * x[k]
