"""The natural map of many half-lines and Coulomb cones at once."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.certificate.sets import cone_square, length, spatial_cone_square
from signorini.kernels.compile import kernel
from signorini.kernels.threads.parts import first_of, parts_of, shared

LEAST = 512
"""Contacts of a part."""


@shared
@kernel
def cones_part(part, parts, start, mu, rho, exact, impulse, slip, sums):
    """Square of `cones_error` of one part of the contacts."""
    total = 0.0
    for i in range(first_of(part, parts, len(mu)), first_of(part + 1, parts, len(mu))):
        first, last = start[i], start[i + 1]
        if last - first == 3:
            j, k = np.uint64(first + 1), np.uint64(first + 2)
            un, us, ut = slip[first], slip[j], slip[k]
            if exact:
                un += mu[i] * math.sqrt(us * us + ut * ut)
            total += spatial_cone_square(impulse[first], impulse[j], impulse[k], rho * un, rho * us, rho * ut, mu[i])
            continue
        rise = mu[i] * length(slip, first + 1, last) if exact else 0.0
        total += cone_square(impulse, slip, rho, rise, first, last, mu[i])
    sums[part] = total


@kernel
def cones_error(team, start, mu, rho, exact, impulse, slip):
    """Norm of `impulse - P_K(impulse - rho slip)` for a product of half-lines and Coulomb cones.

    With `exact`, the slip of the exact law (`exact_slip`) takes the place of the slip.
    """
    parts, total = parts_of(len(mu), LEAST), 0.0
    sums = np.empty(parts)
    cones_part(team, parts, (parts, start, mu, rho, exact, impulse, slip, sums))
    for part in range(parts):
        total += sums[part]
    return math.sqrt(total)
