"""Products of cones K = { (n, t) : mu n >= |t| }, block by block; a half-line is a block of dimension 1.

`start` holds the first row of each block and the number of rows, `mu` the friction coefficient of each block.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel


@kernel
def tangent_norm(x, first, last):
    """Length of the tangent part of the block that spans rows first..last-1."""
    total = 0.0
    for k in range(first + 1, last):
        total += x[k] * x[k]
    return math.sqrt(total)


@kernel
def project_block(x, first, last, mu, out):
    """Euclidean projection of one block on K [Anitescu2007, projection operator]."""
    normal = x[first]
    tangent = tangent_norm(x, first, last)
    # Polar cone first: with mu = 0 the membership test also accepts a pulling impulse.
    if normal + mu * tangent <= 0.0:
        for k in range(first, last):
            out[k] = 0.0
    elif tangent <= mu * normal:
        for k in range(first, last):
            out[k] = x[k]
    else:
        projected = (normal + mu * tangent) / (1.0 + mu * mu)
        shrink = mu * projected / tangent
        out[first] = projected
        for k in range(first + 1, last):
            out[k] = shrink * x[k]


@kernel
def project(start, mu, x, out):
    """Projection on the product of cones; `out` may be `x`."""
    for i in range(len(mu)):
        project_block(x, start[i], start[i + 1], mu[i], out)


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
def violations(start, mu, x, dual, out):
    """How far each block of `x` lies outside K (or outside the dual cone K* = { n >= mu |t| }), never negative."""
    for i in range(len(mu)):
        tangent = tangent_norm(x, start[i], start[i + 1])
        normal = x[start[i]]
        inside = normal - mu[i] * tangent if dual else min(normal, mu[i] * normal - tangent)
        if not dual and start[i + 1] - start[i] == 1:
            inside = normal
        out[i] = max(0.0, -inside)


@kernel
def add_de_saxce(start, mu, slip, out):
    """out = slip with mu |slip_t| added to each normal: the exact Coulomb law in the form of de Saxce."""
    for i in range(len(mu)):
        for k in range(start[i], start[i + 1]):
            out[k] = slip[k]
        out[start[i]] += mu[i] * tangent_norm(slip, start[i], start[i + 1])
