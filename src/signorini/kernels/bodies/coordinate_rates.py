"""Rates of coordinates between bodies."""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel


@kernel
def coordinate_rates(body, jacobian, velocity, spin):
    """ds/dt of coordinates from their derivatives over the 12 columns of a and b; -1 stands for the world."""
    out = np.zeros(len(body))
    for row in range(len(body)):
        for side in range(2):
            b = body[row, side]
            if b < 0:
                continue
            for k in range(3):
                out[row] += jacobian[row, 6 * side + k] * velocity[b, k]
                out[row] += jacobian[row, 6 * side + 3 + k] * spin[b, k]
    return out
