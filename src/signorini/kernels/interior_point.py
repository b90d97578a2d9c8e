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

ROOT_HALF = math.sqrt(0.5)


@kernel
def _tangent(x, first, last):
    total = 0.0
    for k in range(first + 1, last):
        total += x[k] * x[k]
    return math.sqrt(total)


@kernel
def _determinant(x, first, last):
    tangent = _tangent(x, first, last)
    return (x[first] - tangent) * (x[first] + tangent)


@kernel
def initial_trace(start, lam, y, trace):
    """The trace of a point well inside the cones."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        dot = lam[first] * y[first]
        for k in range(first + 1, last):
            dot += lam[k] * y[k]
        trace[i, 0] = lam[first] if last - first == 1 else _determinant(lam, first, last)
        trace[i, 1] = y[first] if last - first == 1 else _determinant(y, first, last)
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
        if start[i + 1] - start[i] == 1:
            out[start[i]] = x[start[i]]
        else:
            turn_block(start[i], start[i + 1], scaling[i, 2], reflector, x, out)
    for k in range(start[-1], len(x)):
        out[k] = x[k]


@kernel
def turn_back(start, scaling, reflector, x, out):
    """All cone blocks out of their eigenbases; rows after the last cone are copied."""
    for i in range(len(start) - 1):
        if start[i + 1] - start[i] == 1:
            out[start[i]] = x[start[i]]
        else:
            turn_back_block(start[i], start[i + 1], scaling[i, 2], reflector, x, out)
    for k in range(start[-1], len(x)):
        out[k] = x[k]


@kernel
def _reflect_to_axis(first, last, length, reflector):
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
    sign = _reflect_to_axis(first, last, length, reflector)
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
        if last - first == 1:
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


@kernel
def _inverse_step(z, d, first, last):
    """1/alpha of the largest step that keeps z + alpha d in one cone, <= 0 if there is no limit [Mangoni2018, 4.56]."""
    if last - first == 1:
        return -d[first] / z[first]
    root = math.sqrt(max(_determinant(z, first, last), 1e-300))
    z0 = z[first] / root
    dot = z0 * d[first]
    for k in range(first + 1, last):
        dot -= z[k] / root * d[k]
    factor = (dot + d[first]) / (z0 + 1.0)
    square = 0.0
    for k in range(first + 1, last):
        part = d[k] - factor * z[k] / root
        square += part * part
    return (math.sqrt(square) - dot) / root


@kernel
def longest_steps(start, z, d_lam, d_y):
    """The largest steps that keep z + alpha d_lam and z + alpha d_y in the cones."""
    worst_l = 0.0
    worst_y = 0.0
    for i in range(len(start) - 1):
        worst_l = max(worst_l, _inverse_step(z, d_lam, start[i], start[i + 1]))
        worst_y = max(worst_y, _inverse_step(z, d_y, start[i], start[i + 1]))
    return (1.0 / worst_l if worst_l > 0.0 else math.inf), (1.0 / worst_y if worst_y > 0.0 else math.inf)


@kernel
def corrected(start, z, d_lam, d_y, target, out):
    """out = z \\ (z o z + d_y o d_lam - target e): Jordan division of the corrector's right-hand side [Mangoni2018, 4.51].

    The product z o z is divided exactly, so only the correction is.
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 1:
            out[first] = z[first] + (d_lam[first] * d_y[first] - target) / z[first]
        else:
            product = d_lam[first] * d_y[first]
            for k in range(first + 1, last):
                product += d_lam[k] * d_y[k]
            product -= target
            cross = 0.0
            for k in range(first + 1, last):
                out[k] = d_lam[first] * d_y[k] + d_y[first] * d_lam[k]
                cross += z[k] * out[k]
            normal = (z[first] * product - cross) / _determinant(z, first, last)
            for k in range(first + 1, last):
                out[k] = z[k] + (out[k] - normal * z[k]) / z[first]
            out[first] = z[first] + normal


@kernel
def complete(s, d_lam, d_y):
    """d_y = -s - d_lam: the scaled slip direction from the linearised complementarity."""
    for k in range(len(d_y)):
        d_y[k] = -s[k] - d_lam[k]


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
def advance(start, scaling, z, d_lam, d_y, move_l, move_y, step_l, step_y, lam, y, trace):
    """Take the steps. `d_*` are scaled directions, `move_*` the same in the standard basis.

    Returns False when round-off has pushed a block out of its cone (then nothing can be trusted).
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 1:
            _advance_half_line(i, first, z, d_lam, d_y, step_l, step_y, lam, y, trace)
        else:
            dot = 0.0
            for k in range(first, last):
                move = z[k]
                d_lam[k] = move + step_l * d_lam[k]
                d_y[k] = move + step_y * d_y[k]
                dot += d_lam[k] * d_y[k]
            square = scaling[i, 0] ** 2
            trace[i, 0] = _determinant(d_lam, first, last) / square
            trace[i, 1] = _determinant(d_y, first, last) * square
            trace[i, 2] = dot
            if trace[i, 0] > 0.0 and trace[i, 1] > 0.0:
                _advance_vector(first, last, step_l, move_l, trace[i, 0], lam)
                _advance_vector(first, last, step_y, move_y, trace[i, 1], y)
        if not (trace[i, 0] > 0.0 and trace[i, 1] > 0.0 and trace[i, 2] > 0.0):
            return False
    return True


@kernel
def distance_outside(start, x):
    """Smallest shift along the cone axes that brings all blocks into their cones; negative when all are inside."""
    worst = -math.inf
    for i in range(len(start) - 1):
        worst = max(worst, _tangent(x, start[i], start[i + 1]) - x[start[i]])
    return worst


@kernel
def shift(start, x, amount):
    """x += amount * e."""
    for i in range(len(start) - 1):
        x[start[i]] += amount


@kernel
def fold_into_cone(start, x, least):
    """Make every block an interior one: normal = max(least, |normal|) plus the length of the tangents."""
    for i in range(len(start) - 1):
        x[start[i]] = max(least, abs(x[start[i]])) + _tangent(x, start[i], start[i + 1])


@kernel
def push_into_cone(start, x, margin):
    """Project every block on its cone, then add `margin` along the axis."""
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        tangent = _tangent(x, first, last)
        if x[first] <= -tangent:
            for k in range(first, last):
                x[k] = 0.0
        elif x[first] < tangent:
            projected = 0.5 * (x[first] + tangent)
            for k in range(first + 1, last):
                x[k] *= projected / tangent
            x[first] = projected
        x[first] += margin


@kernel
def natural_error(start, x, y):
    """Largest `|x - P(x - y)|` over the blocks, P the projection on the self-dual cones."""
    worst = 0.0
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        normal = x[first] - y[first]
        tangent = 0.0
        for k in range(first + 1, last):
            tangent += (x[k] - y[k]) ** 2
        tangent = math.sqrt(tangent)
        # P = a (normal, tangent) with the spectral values cut at 0.
        up, low = max(normal + tangent, 0.0), max(normal - tangent, 0.0)
        along = 0.5 * (up - low) / tangent if tangent > 0.0 else 0.0
        square = (x[first] - 0.5 * (up + low)) ** 2
        for k in range(first + 1, last):
            square += (x[k] - along * (x[k] - y[k])) ** 2
        worst = max(worst, math.sqrt(square))
    return worst


@kernel
def centre(start, z, d_lam, d_y, step_l, step_y, low, high, s):
    """Gondzio's centrality corrector: change s so that the products of the trial point move into [low, high].

    The trial point is (z + step_l d_lam) o (z + step_y d_y); its spectral values below `low` are lifted, those above
    `high` lowered by at most `high` [Gondzio1996, carried over from products to Jordan products].
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 1:
            product = (z[first] + step_l * d_lam[first]) * (z[first] + step_y * d_y[first])
            change = max(min(max(product, low), high) - product, -high)
            s[first] -= change / z[first]
            continue
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
        head = (z[first] * t0 - cross) / _determinant(z, first, last)
        s[first] -= head
        for k in range(first + 1, last):
            tangent = t1 * (a0 * (z[k] + step_y * d_y[k]) + b0 * (z[k] + step_l * d_lam[k]))
            s[k] -= (tangent - head * z[k]) / z[first]


SMALLEST_SLOPE = 1e-14
"""Slopes of the projection below this count as 0: the impulse component is fixed."""


@kernel
def linearise_projection(start, x, slip, scaling, reflector, theta, right):
    """Semismooth Newton equation of `x = P(x - slip)` block by block, in the eigenbasis of the projection.

    With slopes tau of P, `(1 - tau) dx + tau dslip = -(x - P)` becomes `dslip + theta dx = right`, turned.
    """
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 1:
            active = x[first] - slip[first] > 0.0
            tau = 1.0 if active else SMALLEST_SLOPE
            theta[first] = (1.0 - tau) / tau
            right[first] = -(slip[first] if active else x[first]) / tau
            continue
        length = 0.0
        for k in range(first + 1, last):
            reflector[k] = x[k] - slip[k]
            length += reflector[k] ** 2
        length = math.sqrt(length)
        normal = x[first] - slip[first]
        large, small = normal + length, normal - length
        up, low = max(large, 0.0), max(small, 0.0)
        sign = _reflect_to_axis(first, last, length, reflector)
        scaling[i, 2] = sign
        across = min(1.0, (up - low) / (2.0 * length)) if length > 0.0 else (1.0 if normal > 0.0 else 0.0)
        turn_block(first, last, sign, reflector, x, right)
        # In the eigenbasis P is (up, low)/sqrt(2) and nothing across.
        right[first] = -(right[first] - up * ROOT_HALF)
        right[first + 1] = -(right[first + 1] - low * ROOT_HALF)
        for k in range(first + 2, last):
            right[k] = -right[k]
        for k in range(first, last):
            tau = across
            if k == first:
                tau = 1.0 if large > 0.0 else 0.0
            elif k == first + 1:
                tau = 1.0 if small > 0.0 else 0.0
            tau = max(tau, SMALLEST_SLOPE)
            theta[k] = (1.0 - tau) / tau
            right[k] /= tau
