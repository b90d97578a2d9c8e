"""Sweeps and products with an explicit N in CSR form; `start` holds the first row of every block, mu -1 is free."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.cones.coulomb_cones import tangent_norm


@kernel
def project_onto(x, first, last, mu):
    """Projection of x[first:last] on the Coulomb cone of coefficient mu, in place; nothing to do for mu < 0."""
    if mu < 0.0:
        return
    normal = x[first]
    square = 0.0
    for k in range(first + 1, last):
        square += x[k] * x[k]
    if normal < 0.0 and normal * normal >= mu * mu * square:
        for k in range(first, last):
            x[k] = 0.0
    elif normal < 0.0 or square > mu * normal * mu * normal:
        tangent = math.sqrt(square)
        normal = (normal + mu * tangent) / (1.0 + mu * mu)
        x[first] = normal
        shrink = mu * normal / tangent
        for k in range(first + 1, last):
            x[k] *= shrink


@kernel
def relax_block(i, start, mu, indptr, indices, data, b, exact, omega, mixing, work, x):
    """One step of projected SOR at block i."""
    first, last = start[i], start[i + 1]
    for row in range(first, last):
        u = b[row]
        for k in range(indptr[row], indptr[row + 1]):
            u += data[k] * x[indices[k]]
        work[row] = u
    if exact and mu[i] > 0.0:
        work[first] += mu[i] * tangent_norm(work, first, last)
    for row in range(first, last):
        work[row] = x[row] - omega * work[row]
    project_onto(work, first, last, mu[i])
    for row in range(first, last):
        x[row] += mixing * (work[row] - x[row])


@kernel
def sweeps(done, count, symmetric, start, mu, indptr, indices, data, b, exact, omega, mixing, work, x):
    """Sweeps done, done + 1, ..., `count` of them; odd ones backwards when `symmetric`."""
    blocks = len(mu)
    for k in range(done, done + count):
        if symmetric and k % 2 == 1:
            for i in range(blocks - 1, -1, -1):
                relax_block(i, start, mu, indptr, indices, data, b, exact, omega, mixing, work, x)
        else:
            for i in range(blocks):
                relax_block(i, start, mu, indptr, indices, data, b, exact, omega, mixing, work, x)


@kernel
def product(indptr, indices, data, x, b, offset, out):
    """out = N x + offset b."""
    for row in range(len(out)):
        u = offset * b[row]
        for k in range(indptr[row], indptr[row + 1]):
            u += data[k] * x[indices[k]]
        out[row] = u
