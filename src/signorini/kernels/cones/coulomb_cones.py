"""Products of cones K = { (n, t) : mu n >= |t| }, block by block; a half-line is a block of dimension 1.

`start` holds the first row of each block and the number of rows, `mu` the friction coefficient of each block.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import inlined, kernel

TINY = 1e-300
"""Divisor where a tangent impulse is zero."""


@kernel
def tangent_norm(x, first, last):
    """Length of the tangent part of the block that spans rows first..last-1."""
    total = 0.0
    for k in range(first + 1, last):
        total += x[k] * x[k]
    return math.sqrt(total)


@inlined
def projected(n, tangent, mu):
    """Normal part of the projection of one block on K, and the factor of its tangent part; `tangent` is its length.

    Branch-free: whether a contact sticks, slides or opens is hard to predict, and a mispredicted branch costs more than
    a square root. With the excess `e = max(0, |t| - mu n)` the normal part is `max(0, n + mu e / (1 + mu^2))` in all
    three cases, and the tangent is cut to mu times that. NaN is propagated: `max` and `min` keep their first argument
    then.
    """
    n = max(n + mu / (1.0 + mu * mu) * max(tangent - mu * n, 0.0), 0.0)
    return n, min(mu * n / max(tangent, TINY), 1.0)


@inlined
def project_three(n, s, t, mu):
    """Projection of (n, s, t) on the Coulomb cone of coefficient mu >= 0."""
    n, cut = projected(n, math.sqrt(s * s + t * t), mu)
    return n, cut * s, cut * t


@inlined
def project_outside(n, s, t, mu):
    """`project_three` for any mu (-1 is a free impulse), behind tests that take neither a root nor a division.

    For sequential loops in which most contacts stick or are open, as before.
    """
    edge, square = mu * n, s * s + t * t
    if mu >= 0.0 and (n < 0.0 or square > edge * edge):
        if n < 0.0 and n * n >= mu * mu * square:
            n, s, t = 0.0, 0.0, 0.0
        else:
            n, s, t = project_three(n, s, t, mu)
    return n, s, t


@kernel
def project_block(x, first, last, mu, out):
    """Projection of the block that spans rows first..last-1; `out` may be `x`."""
    out[first], cut = projected(x[first], tangent_norm(x, first, last), mu)
    for k in range(first + 1, last):
        out[k] = cut * x[k]


@inlined
def natural_square(pn, ps, pt, un, us, ut, mu):
    """|p - P_K(p - u)|^2 of the impulse p and the slip u of one contact of three rows, see `natural_map`."""
    n, s, t = pn - un, ps - us, pt - ut
    tangent = math.sqrt(s * s + t * t)
    if n + mu * tangent <= 0.0:
        square = pn * pn + ps * ps + pt * pt
    elif tangent <= mu * n:
        square = un * un + us * us + ut * ut
    else:
        outside = (tangent - mu * n) / (1.0 + mu * mu)
        share = outside / tangent
        square = (un - outside * mu) ** 2 + (us + share * s) ** 2 + (ut + share * t) ** 2
    return square


@kernel
def natural_map(start, mu, rho, impulse, slip, work, error):
    """error_i = | impulse_i - P_K(impulse_i - rho_i slip_i) | of every block; returns the norm over all.

    Written as `rho slip + (p - P_K(p))` with p = impulse - rho slip: subtracting P_K(p) from the impulse instead would
    lose a slip that is below the round-off of a huge impulse, and call it zero.
    """
    total = 0.0
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        for k in range(first, last):
            work[k] = impulse[k] - rho[i] * slip[k]
        normal, tangent = work[first], tangent_norm(work, first, last)
        square = 0.0
        if normal + mu[i] * tangent <= 0.0:
            for k in range(first, last):
                square += impulse[k] ** 2
        elif tangent <= mu[i] * normal:
            for k in range(first, last):
                square += (rho[i] * slip[k]) ** 2
        else:
            outside = (tangent - mu[i] * normal) / (1.0 + mu[i] * mu[i])
            square += (rho[i] * slip[first] - outside * mu[i]) ** 2
            for k in range(first + 1, last):
                square += (rho[i] * slip[k] + outside * work[k] / tangent) ** 2
        error[i] = math.sqrt(square)
        total += square
    return math.sqrt(total)


@kernel
def add_de_saxce(start, mu, slip, out):
    """out = slip with mu |slip_t| added to each normal: the exact Coulomb law in the form of de Saxce."""
    for i in range(len(mu)):
        for k in range(start[i], start[i + 1]):
            out[k] = slip[k]
        out[start[i]] += mu[i] * tangent_norm(slip, start[i], start[i + 1])
