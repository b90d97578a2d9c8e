"""What the certificate measures, on the device: the judge's own reading of slips and cones."""

from __future__ import annotations

import math

from signorini.kernels.cuda.door import cuda, on_device
from signorini.kernels.judge import sets
from signorini.kernels.sweeps.compact_records import FRICTION, OFFSET, SHARE

spatial_cone_square = on_device(sets.spatial_cone_square)


@cuda.jit(device=True)
def slip_along(record, pair, i, row, z, scale):
    """Slip of contact i along one of its directions in true units [m/s]: D v - b."""
    a, b, total = pair[0, i], pair[1, i], record[OFFSET + row, i]
    for c in range(3):
        direction = record[9 * row + c, i]
        total += direction * z[a, c] + record[9 * row + 3 + c, i] * z[a, 4 + c]
        if b >= 0:
            total += direction * record[SHARE, i] * z[b, c] + record[9 * row + 6 + c, i] * z[b, 4 + c]
    return total / scale


@cuda.jit
def natural_squares(pair, record, scale, soft, x, z, z_free, exact, rho, squares, free):
    """Square of `lambda - P_K(lambda - rho u)` of each contact in true units, and the square of its free slip.

    u is that of the exact law where `exact`; soft is the scaled diagonal of E, without entries for rigid contacts.
    """
    for i in range(cuda.grid(1), len(squares), cuda.gridsize(1)):
        normal, tangent = scale[0, i], scale[1, i]
        un = slip_along(record, pair, i, 0, z, normal)
        us, ut = slip_along(record, pair, i, 1, z, tangent), slip_along(record, pair, i, 2, z, tangent)
        if soft.shape[1]:
            un += soft[0, i] * x[0, i] / normal
            us, ut = us + soft[1, i] * x[1, i] / tangent, ut + soft[2, i] * x[2, i] / tangent
        mu = record[FRICTION, i] * tangent / normal
        if exact:
            un += mu * math.sqrt(us * us + ut * ut)
        squares[i] = spatial_cone_square(
            x[0, i] * normal, x[1, i] * tangent, x[2, i] * tangent, rho * un, rho * us, rho * ut, mu
        )
        free[i] = slip_along(record, pair, i, 0, z_free, normal) ** 2
        free[i] += slip_along(record, pair, i, 1, z_free, tangent) ** 2
        free[i] += slip_along(record, pair, i, 2, z_free, tangent) ** 2
