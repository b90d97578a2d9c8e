"""Steps of the interior point in scaled space: lengths, right-hand sides, moves, and the semismooth finish.

Blocks and bases as in `kernels/interior/scaling.py`.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.lorentz3 import (
    ROOT_HALF,
    advance_three,
    centre_three,
    corrected_three,
    inverse_steps_three,
)
from signorini.kernels.interior.scaling import determinant, reflect_to_axis, to_scaled, turn_block

SMALLEST_SLOPE = 1e-14
"""Slopes of the projection below this count as 0: the impulse component is fixed."""


@kernel
def _inverse_step(z, d, first, last, inverse_root):
    """1/alpha of the largest step that keeps z + alpha d in one Lorentz cone, <= 0 if there is no limit.

    [Mangoni2018, 4.56]; `inverse_root` is `det(z)^(-1/2)`.
    """
    z0 = z[first] * inverse_root
    dot = 0.0
    for k in range(first + 1, last):
        dot += z[k] * d[k]
    dot = z0 * d[first] - dot * inverse_root
    factor = (dot + d[first]) / (z0 + 1.0) * inverse_root
    square = 0.0
    for k in range(first + 1, last):
        part = d[k] - factor * z[k]
        square += part * part
    return (math.sqrt(square) - dot) * inverse_root


@kernel
def _inverse_steps(z, d_lam, d_y, first, last):
    """The same for d_lam and d_y."""
    inverse_root = 1.0 / math.sqrt(max(determinant(z, first, last), 1e-300))
    return _inverse_step(z, d_lam, first, last, inverse_root), _inverse_step(z, d_y, first, last, inverse_root)


@kernel
def longest_steps(start, z, d_lam, d_y):
    """The largest steps that keep z + alpha d_lam and z + alpha d_y in the cones."""
    worst_l = 0.0
    worst_y = 0.0
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            inverse_l, inverse_y = inverse_steps_three(first, z, d_lam, d_y)
        elif last - first == 1:
            inverse_l, inverse_y = -d_lam[first] / z[first], -d_y[first] / z[first]
        else:
            inverse_l, inverse_y = _inverse_steps(z, d_lam, d_y, first, last)
        worst_l = max(worst_l, inverse_l)
        worst_y = max(worst_y, inverse_y)
    return (1.0 / worst_l if worst_l > 0.0 else math.inf), (1.0 / worst_y if worst_y > 0.0 else math.inf)


@kernel
def _corrected_block(first, last, z, d_lam, d_y, target, out):
    product = d_lam[first] * d_y[first]
    for k in range(first + 1, last):
        product += d_lam[k] * d_y[k]
    product -= target
    cross = 0.0
    for k in range(first + 1, last):
        out[k] = d_lam[first] * d_y[k] + d_y[first] * d_lam[k]
        cross += z[k] * out[k]
    normal = (z[first] * product - cross) / determinant(z, first, last)
    for k in range(first + 1, last):
        out[k] = z[k] + (out[k] - normal * z[k]) / z[first]
    out[first] = z[first] + normal


@kernel
def corrected(start, z, d_lam, d_y, target, out):
    """out = z \\ (z o z + d_y o d_lam - target e), the corrector's right-hand side [Mangoni2018, eq. 4.51].

    z o z is divided exactly, so only the correction goes through Jordan division.
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            corrected_three(first, z, d_lam, d_y, target, out)
        elif last - first == 1:
            out[first] = z[first] + (d_lam[first] * d_y[first] - target) / z[first]
        else:
            _corrected_block(first, last, z, d_lam, d_y, target, out)


@kernel
def right_rows(start, scaling, r2, s, out):
    """out = -r2 - W s: the rows of a Newton step, turned. Joint rows have no s."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        eta, kappa = scaling[i, 0], scaling[i, 1]
        if last - first == 1:
            out[first] = -r2[first] - eta * s[first]
        else:
            plus, minus = (s[first] + s[first + 1]) * ROOT_HALF, (s[first] - s[first + 1]) * ROOT_HALF
            out[first] = -r2[first] - eta * kappa * plus
            out[first + 1] = -r2[first + 1] - eta / kappa * minus
            for k in range(first + 2, last):
                out[k] = -r2[k] - eta * s[k]
    for k in range(start[-1], len(r2)):
        out[k] = -r2[k]


@kernel
def complete(start, scaling, z, s, dx, d_lam, d_y):
    """Scaled directions from turned impulses dx: d_lam = W dx and, by the linearised complementarity, d_y = -s - d_lam.

    Returns the longest steps along them.
    """
    to_scaled(start, scaling, dx, d_lam)
    for k in range(len(d_y)):
        d_y[k] = -s[k] - d_lam[k]
    return longest_steps(start, z, d_lam, d_y)


@kernel
def _advance_half_line(i, first, z, d_lam, d_y, step_l, step_y, lam, y, trace):
    ratio_l = 1.0 + step_l * d_lam[first] / z[first]
    ratio_y = 1.0 + step_y * d_y[first] / z[first]
    trace[i, 0] *= ratio_l
    trace[i, 1] *= ratio_y
    trace[i, 2] = trace[i, 0] * trace[i, 1]
    lam[first] = trace[i, 0]
    y[first] = trace[i, 1]


@kernel
def _advance_vector(first, last, step, direction, determinant, x):
    """x += step * direction in the tangents; the normal follows from the determinant, which is known better."""
    tangent = 0.0
    for k in range(first + 1, last):
        x[k] += step * direction[k]
        tangent += x[k] * x[k]
    x[first] = math.sqrt(determinant + tangent)


@kernel
def _advance_block(i, first, last, eta, z, d_lam, d_y, move_l, move_y, step_l, step_y, lam, y, trace):
    dot = 0.0
    for k in range(first, last):
        move = z[k]
        d_lam[k] = move + step_l * d_lam[k]
        d_y[k] = move + step_y * d_y[k]
        dot += d_lam[k] * d_y[k]
    trace[i, 0] = determinant(d_lam, first, last) / (eta * eta)
    trace[i, 1] = determinant(d_y, first, last) * (eta * eta)
    trace[i, 2] = dot
    if trace[i, 0] > 0.0 and trace[i, 1] > 0.0:
        _advance_vector(first, last, step_l, move_l, trace[i, 0], lam)
        _advance_vector(first, last, step_y, move_y, trace[i, 1], y)


@kernel
def advance(start, scaling, z, d_lam, d_y, move_l, move_y, step_l, step_y, lam, y, trace):
    """Take the steps. `d_*` are scaled directions, `move_*` the same in the standard basis.

    Returns False when round-off has pushed a block out of its cone (then nothing can be trusted).
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        eta = scaling[i, 0]
        if last - first == 3:
            advance_three(i, first, eta, z, d_lam, d_y, move_l, move_y, step_l, step_y, lam, y, trace)
        elif last - first == 1:
            _advance_half_line(i, first, z, d_lam, d_y, step_l, step_y, lam, y, trace)
        else:
            _advance_block(i, first, last, eta, z, d_lam, d_y, move_l, move_y, step_l, step_y, lam, y, trace)
        if not (trace[i, 0] > 0.0 and trace[i, 1] > 0.0 and trace[i, 2] > 0.0):
            return False
    return True


@kernel
def _centre_block(first, last, z, d_lam, d_y, step_l, step_y, low, high, s):
    a0 = z[first] + step_l * d_lam[first]
    b0 = z[first] + step_y * d_y[first]
    normal = a0 * b0
    length = 0.0
    for k in range(first + 1, last):
        a, b = z[k] + step_l * d_lam[k], z[k] + step_y * d_y[k]
        normal += a * b
        length += (a0 * b + b0 * a) ** 2
    length = math.sqrt(length)
    small, large = normal - length, normal + length
    change_small = max(min(max(small, low), high) - small, -high)
    change_large = max(min(max(large, low), high) - large, -high)
    t0 = 0.5 * (change_small + change_large)
    t1 = 0.5 * (change_large - change_small) / length if length > 0.0 else 0.0
    # s -= z \ t with t = (t0, t1 * tangent of the product)
    cross = 0.0
    for k in range(first + 1, last):
        tangent = t1 * (a0 * (z[k] + step_y * d_y[k]) + b0 * (z[k] + step_l * d_lam[k]))
        cross += z[k] * tangent
    head = (z[first] * t0 - cross) / determinant(z, first, last)
    s[first] -= head
    for k in range(first + 1, last):
        tangent = t1 * (a0 * (z[k] + step_y * d_y[k]) + b0 * (z[k] + step_l * d_lam[k]))
        s[k] -= (tangent - head * z[k]) / z[first]


@kernel
def centre(start, z, d_lam, d_y, step_l, step_y, low, high, s):
    """Gondzio's centrality corrector: change s so that the products of the trial point move into [low, high].

    The trial point is (z + step_l d_lam) o (z + step_y d_y); its spectral values below `low` are lifted, those above
    `high` lowered by at most `high` [Gondzio1996, carried over from products to Jordan products].
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            centre_three(first, z, d_lam, d_y, step_l, step_y, low, high, s)
        elif last - first == 1:
            product = (z[first] + step_l * d_lam[first]) * (z[first] + step_y * d_y[first])
            change = max(min(max(product, low), high) - product, -high)
            s[first] -= change / z[first]
        else:
            _centre_block(first, last, z, d_lam, d_y, step_l, step_y, low, high, s)


@kernel
def linearise(start, x, y, frames, reflector, tau, rest, right):
    """Semismooth Newton equation of `x = P(x - y)`: slopes tau of P, `rest = 1 - tau` and right = P - x, turned.

    Joint rows are free: tau = 1, right = -y.
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 1:
            active = x[first] - y[first] > 0.0
            tau[first], rest[first] = (1.0, 0.0) if active else (0.0, 1.0)
            right[first] = -(y[first] if active else x[first])
            continue
        length = 0.0
        for k in range(first + 1, last):
            reflector[k] = x[k] - y[k]
            length += reflector[k] ** 2
        length = math.sqrt(length)
        normal = x[first] - y[first]
        large, small = normal + length, normal - length
        sign = reflect_to_axis(first, last, length, reflector)
        frames[i, 2] = sign
        # Where nothing is cut off, P - x is -y: the difference would lose a small slip beside a large impulse.
        turn_block(first, last, sign, reflector, y if small > 0.0 else x, right)
        across = 1.0 if small > 0.0 else max(large, 0.0) / (2.0 * length) if length > 0.0 else 0.0
        for k in range(first, last):
            right[k] = -right[k]
            tau[k] = across if k > first + 1 else 1.0 if (large if k == first else small) > 0.0 else 0.0
            rest[k] = 1.0 - tau[k]
        if small <= 0.0 < large:
            right[first] += large * ROOT_HALF
    for k in range(start[-1], len(x)):
        tau[k], rest[k], right[k] = 1.0, 0.0, -y[k]


@kernel
def linearise_projection(start, x, slip, frames, reflector, theta, right):
    """The same divided by tau, for symmetric systems: `dslip + theta dx = right` with `theta = (1 - tau)/tau`."""
    rest = np.empty(len(theta))
    linearise(start, x, slip, frames, reflector, theta, rest, right)
    for k in range(len(theta)):
        tau = max(theta[k], SMALLEST_SLOPE)
        theta[k] = (1.0 - tau) / tau
        right[k] /= tau
