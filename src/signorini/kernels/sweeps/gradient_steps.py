"""Vector passes of the projected gradient methods, fused so that each reads its vectors once.

Steps with projections are those of contacts of three rows: vectors have the shape (contacts, 3), `mu` is the friction
coefficient, -1 for a free impulse. `g` is the gradient `N x + b`.
"""

from __future__ import annotations

import math

from signorini.kernels.compile import inlined, kernel
from signorini.kernels.cones.coulomb_cones import natural_square, project_outside


@inlined
def stepped(step, x, g, i, mu):
    """P(x_i - step g_i) of contact i; mu = -1 is a free impulse."""
    return project_outside(x[i, 0] - step * g[i, 0], x[i, 1] - step * g[i, 1], x[i, 2] - step * g[i, 2], mu)


@kernel
def direction(mu, step, x, g, d):
    """d = P_K(x - step g) - x; returns (g'd, d'd)."""
    slope, square = 0.0, 0.0
    for i in range(len(mu)):
        n, s, t = stepped(step, x, g, i, mu[i])
        n, s, t = n - x[i, 0], s - x[i, 1], t - x[i, 2]
        slope += n * g[i, 0] + s * g[i, 1] + t * g[i, 2]
        square += n * n + s * s + t * t
        d[i, 0], d[i, 1], d[i, 2] = n, s, t
    return slope, square


@kernel
def forward(mu, step, y, gy, x):
    """x = P_K(y - step gy); `x` may be `y`."""
    for i in range(len(mu)):
        x[i, 0], x[i, 1], x[i, 2] = stepped(step, y, gy, i, mu[i])


@kernel
def natural_error(mu, scale, rho, x, g):
    """Norm of `lambda - P_K(lambda - rho u)` over the contacts, with lambda = scale x and u = g / scale."""
    total = 0.0
    for i in range(len(mu)):
        if mu[i] >= 0.0:
            n, s, t = scale[i, 0], scale[i, 1], scale[i, 2]
            total += natural_square(
                n * x[i, 0], s * x[i, 1], t * x[i, 2], rho * g[i, 0] / n, rho * g[i, 1] / s, rho * g[i, 2] / t, mu[i]
            )
    return math.sqrt(total)


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
