"""Variables `x = impulse / scale` in which every contact has a diagonal block of N of about unit size.

One factor for the normal and one for the tangents of a contact turn a Coulomb cone into a Coulomb cone with another
friction coefficient, so the projection stays as cheap as it was.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel

TRACE, ISOTROPIC, ANISOTROPIC, NONE = 0, 1, 2, 3
LARGEST_EIGENVALUE = 1.8
"""Of a scaled diagonal block. Below 2 the sweep decreases the objective for relaxation * mixing <= 1."""


@kernel
def largest_eigenvalue(g, d):
    """Largest eigenvalue of the symmetric positive semidefinite g[:d, :d]: exact up to d = 3, a bound above.

    The bound, the largest sum over a row, is also returned where it is small enough not to matter.
    """
    bound = 0.0
    for i in range(d):
        row = 0.0
        for j in range(d):
            row += abs(g[i, j])
        bound = max(bound, row)
    if d > 3 or bound <= LARGEST_EIGENVALUE:
        return bound
    if d == 1:
        return g[0, 0]
    if d == 2:
        half = 0.5 * (g[0, 0] - g[1, 1])
        return 0.5 * (g[0, 0] + g[1, 1]) + math.sqrt(half * half + g[0, 1] * g[0, 1])
    mean = (g[0, 0] + g[1, 1] + g[2, 2]) / 3.0
    a, b, c = g[0, 0] - mean, g[1, 1] - mean, g[2, 2] - mean
    p, q, r = g[0, 1], g[0, 2], g[1, 2]
    size = math.sqrt((a * a + b * b + c * c + 2.0 * (p * p + q * q + r * r)) / 6.0)
    if size <= 1e-14 * mean or size == 0.0:
        return mean
    a, b, c, p, q, r = a / size, b / size, c / size, p / size, q / size, r / size
    half = 0.5 * (a * (b * c - r * r) - p * (p * c - r * q) + q * (p * r - b * q))
    angle = math.acos(max(-1.0, min(1.0, half))) / 3.0
    return mean + 2.0 * size * math.cos(angle)


@kernel
def row_bound(g, normal, tangent):
    """Largest sum over a row of the scaled g[:3, :3], a bound of its eigenvalues: enough for most contacts."""
    cross, square = normal * tangent, tangent * tangent
    ns, nt, st = cross * abs(g[0, 1]), cross * abs(g[0, 2]), square * abs(g[1, 2])
    return max(normal * normal * g[0, 0] + ns + nt, max(ns + square * g[1, 1] + st, nt + st + square * g[2, 2]))


@kernel
def scale_block(g, d, rule, fallback):
    """Factors (normal, tangent) of one contact with the diagonal block g[:d, :d] of N; `g` is overwritten.

    TRACE is `eta = d / trace(g)` of [Anitescu2010]; ISOTROPIC shortens it where the convergence theorem asks
    for it; ANISOTROPIC takes the normal and the tangents by themselves; NONE is the same factor for all contacts.
    """
    trace = 0.0
    for k in range(d):
        trace += g[k, k]
    if rule == NONE or not trace > 0.0:
        return fallback, fallback
    normal = tangent = trace / d
    if rule == ANISOTROPIC and d > 1:
        floor = 1e-6 * trace
        normal = max(g[0, 0], floor)
        tangent = max((trace - g[0, 0]) / (d - 1), floor)
    normal, tangent = 1.0 / math.sqrt(normal), 1.0 / math.sqrt(tangent)
    if rule != TRACE and not (d == 3 and row_bound(g, normal, tangent) <= LARGEST_EIGENVALUE):
        for i in range(d):
            for j in range(d):
                g[i, j] *= (normal if i == 0 else tangent) * (normal if j == 0 else tangent)
        excess = largest_eigenvalue(g, d) / LARGEST_EIGENVALUE
        if excess > 1.0:
            normal /= math.sqrt(excess)
            tangent /= math.sqrt(excess)
    return normal, tangent
