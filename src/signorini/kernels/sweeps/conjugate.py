"""Sweeps whose steps are combined as in the nonlinear conjugate gradient method [Silcowitz2010].

What a sweep changes takes the place of the negative gradient. With d the change by this sweep and d' by the last::

    beta = |d|^2 / |d'|^2,    x <- x + beta p,    p <- beta p + d          (where beta > 1: p <- 0, x stays)

Impulses may leave their cones on the way; the next sweep brings them back, and the last sweep is the end. Velocities
are linear in the impulses, so they take the same steps.
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.sweeps.pair_sweeps import sweeps


@kernel
def squared_change(x, old):
    """|x - old|^2 of arrays with two axes."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            change = x[i, j] - old[i, j]
            total += change * change
    return total


@kernel
def share(square, last):
    """beta; below 0 where the direction is to be forgotten."""
    if last == 0.0:
        return 0.0
    return square / last if square <= last else -1.0


@kernel
def extrapolate(beta, x, old, direction):
    """x moves on along `direction`, which becomes that of the next step; `old` becomes x."""
    keep, beta = (1.0, beta) if beta >= 0.0 else (0.0, 0.0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            step = beta * direction[i, j]
            direction[i, j] = keep * (step + (x[i, j] - old[i, j]))
            x[i, j] += step
            old[i, j] = x[i, j]


@kernel
def conjugate_sweeps(team, count, start, phases, body, record, compliance, exact, x, z):
    """So many sweeps, each but the last followed by a conjugate step; x and z as in `pair_sweeps.sweeps`."""
    old, old_z, direction, direction_z = x.copy(), z.copy(), np.zeros_like(x), np.zeros_like(z)
    last = 0.0
    for k in range(count):
        sweeps(team, 0, 1, False, start, phases, body, record, compliance, exact, 1.0, 1.0, x, z)
        if k < count - 1:
            square = squared_change(x, old)
            beta = share(square, last)
            extrapolate(beta, x, old, direction)
            extrapolate(beta, z, old_z, direction_z)
            last = square
