"""Vector passes of the projected gradient methods, fused so that each reads its vectors once.

Vectors are flat; `start` holds the first entry of every block and the length, `mu` its friction coefficient, -1 for a
free impulse. `g` is the gradient `N x + b`.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.sweeps.delassus import project_onto


@kernel
def project_three(n, s, t, mu):
    """Projection of (n, s, t) on the Coulomb cone of coefficient mu: the block of `project_onto` in registers."""
    square = s * s + t * t
    edge = mu * n
    if mu < 0.0 or (n >= 0.0 and square <= edge * edge):
        return n, s, t
    if n < 0.0 and n * n >= mu * mu * square:
        return 0.0, 0.0, 0.0
    tangent = math.sqrt(square)
    n = (n + mu * tangent) / (1.0 + mu * mu)
    shrink = mu * n / tangent
    return n, shrink * s, shrink * t


@kernel
def direction(start, mu, step, x, g, d):
    """d = P_K(x - step g) - x; returns (g'd, d'd)."""
    slope = 0.0
    square = 0.0
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            j, k = first + 1, first + 2
            n, s, t = project_three(x[first] - step * g[first], x[j] - step * g[j], x[k] - step * g[k], mu[i])
            n, s, t = n - x[first], s - x[j], t - x[k]
            slope += n * g[first] + s * g[j] + t * g[k]
            square += n * n + s * s + t * t
            d[first], d[j], d[k] = n, s, t
            continue
        for k in range(first, last):
            d[k] = x[k] - step * g[k]
        project_onto(d, first, last, mu[i])
        for k in range(first, last):
            d[k] -= x[k]
            slope += g[k] * d[k]
            square += d[k] * d[k]
    return slope, square


@kernel
def two_dots(d, q):
    """(d'q, q'q)."""
    one = 0.0
    two = 0.0
    for k in range(len(d)):
        one += d[k] * q[k]
        two += q[k] * q[k]
    return one, two


@kernel
def advance(length, d, q, x, g):
    """x += length d, g += length q."""
    for k in range(len(x)):
        x[k] += length * d[k]
        g[k] += length * q[k]


@kernel
def forward(start, mu, step, y, gy, x):
    """x = P_K(y - step gy)."""
    for i in range(len(mu)):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            j, k = first + 1, first + 2
            x[first], x[j], x[k] = project_three(
                y[first] - step * gy[first], y[j] - step * gy[j], y[k] - step * gy[k], mu[i]
            )
            continue
        for k in range(first, last):
            x[k] = y[k] - step * gy[k]
        project_onto(x, first, last, mu[i])


@kernel
def curvature(x, y, g, gy):
    """(d'd, d'(g - gy)) for d = x - y: the second over the first is the curvature along d."""
    square = 0.0
    bend = 0.0
    for k in range(len(x)):
        d = x[k] - y[k]
        square += d * d
        bend += d * (g[k] - gy[k])
    return square, bend


@kernel
def extrapolate(beta, x, new, g, g_new, y, gy):
    """y = new + beta (new - x) and its gradient; then (x, g) become (new, g_new)."""
    for k in range(len(x)):
        y[k] = new[k] + beta * (new[k] - x[k])
        gy[k] = g_new[k] + beta * (g_new[k] - g[k])
        x[k] = new[k]
        g[k] = g_new[k]


@kernel
def turned(x, new, y):
    """(y - new)'(new - x): positive when the momentum points uphill [ODonoghue2015, gradient scheme]."""
    total = 0.0
    for k in range(len(x)):
        total += (y[k] - new[k]) * (new[k] - x[k])
    return total


@kernel
def objective(x, g, b):
    """1/2 x'N x + b'x from the gradient."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * (g[k] + b[k])
    return 0.5 * total


@kernel
def natural_error(start, mu, scale, rho, x, g):
    """Norm of `lambda - P_K(lambda - rho u)` over the contacts, with lambda = scale x and u = g / scale."""
    total = 0.0
    work = g[:0].copy()
    for i in range(len(mu)):
        if mu[i] < 0.0:
            continue
        first, last = start[i], start[i + 1]
        if last - first == 3:
            j, k = first + 1, first + 2
            p, q, r = scale[first] * x[first], scale[j] * x[j], scale[k] * x[k]
            n, s, t = project_three(
                p - rho * g[first] / scale[first], q - rho * g[j] / scale[j], r - rho * g[k] / scale[k], mu[i]
            )
            total += (p - n) ** 2 + (q - s) ** 2 + (r - t) ** 2
            continue
        if len(work) < last - first:
            work = g[: last - first].copy()
        for k in range(first, last):
            work[k - first] = scale[k] * x[k] - rho * g[k] / scale[k]
        project_onto(work, 0, last - first, mu[i])
        for k in range(first, last):
            total += (scale[k] * x[k] - work[k - first]) ** 2
    return math.sqrt(total)


@kernel
def slope_change(d, q, g):
    """d'(q - g)."""
    total = 0.0
    for k in range(len(d)):
        total += d[k] * (q[k] - g[k])
    return total


@kernel
def replace(length, d, q, x, g):
    """x += length d, g = q."""
    for k in range(len(x)):
        x[k] += length * d[k]
        g[k] = q[k]
