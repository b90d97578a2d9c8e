"""The certificate on the device: its own evaluation of slips and cones."""

from __future__ import annotations

import math

from signorini.kernels.certificate import sets
from signorini.kernels.cuda.door import cuda, on_device
from signorini.kernels.cuda.rolling import ROLL_LIMIT, ROLL_SCALE, SECOND, SPIN_LIMIT, SPIN_SCALE, TURN_OFFSET
from signorini.kernels.sweeps.compact_records import FRICTION, OFFSET, SHARE

spatial_cone_square, rolling_normal = on_device(sets.spatial_cone_square), on_device(sets.rolling_normal)


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


@cuda.jit(device=True)
def turn_along(turning, pair, i, row, z):
    """Scaled angular slip of contact i about one of its directions."""
    a, b, total = pair[0, i], pair[1, i], turning[TURN_OFFSET + row, i]
    for c in range(3):
        total += turning[3 * row + c, i] * z[a, 4 + c]
        if b >= 0:
            total += turning[SECOND + 3 * row + c, i] * z[b, 4 + c]
    return total


@cuda.jit(device=True)
def turn_square(turning, i, row):
    """Diagonal of N of a turning row, scaled twice."""
    total = 0.0
    for c in range(3):
        total += turning[3 * row + c, i] ** 2 + turning[SECOND + 3 * row + c, i] ** 2
    return total


@cuda.jit(device=True)
def turning_share(square, scale, slides):
    """One over the length of `kernels.certificate.sets.turning_length`, of scaled rows with this mean square."""
    return math.sqrt(square / slides) / scale if square > 0.0 and slides > 0.0 else 1.0


@cuda.jit(device=True)
def rest_square(p, q, gp, gq, limit):
    """Square of `g + (p - P(p))` of two rows that the projection shortens to the length `limit`."""
    size = math.sqrt(p * p + q * q)
    share = 1.0 - limit / size if size > limit else 0.0
    return (gp + share * p) ** 2 + (gq + share * q) ** 2


@cuda.jit(device=True)
def slide_mean(record, i, normal, tangent):
    """Mean of the diagonal of `D H^-1 D'` over the normal and the tangents, in true units."""
    total, both = 0.0, 1.0 + record[SHARE, i] * record[SHARE, i]
    for c in range(27):
        scale = normal if c < 9 else tangent
        total += (both if c % 9 < 3 else 1.0) * (record[c, i] / scale) ** 2
    return total / 3.0


@cuda.jit
def rolling_squares(pair, record, scale, soft, turning, x, z, z_free, exact, root, squares, free):
    """Square of the natural map of each block and of its free slip, in roots of energies (see
    `kernels.certificate.sets.roots`)."""
    for i in range(cuda.grid(1), len(squares), cuda.gridsize(1)):
        normal, tangent = scale[0, i], scale[1, i]
        un = slip_along(record, pair, i, 0, z, normal) + soft[0, i] * x[0, i] / normal
        us = slip_along(record, pair, i, 1, z, tangent) + soft[1, i] * x[1, i] / tangent
        ut = slip_along(record, pair, i, 2, z, tangent) + soft[2, i] * x[2, i] / tangent
        one, two = turning[SPIN_SCALE, i], turning[ROLL_SCALE, i]
        mu = record[FRICTION, i] * tangent / normal
        spinning, rolling = turning[SPIN_LIMIT, i] * one / normal, turning[ROLL_LIMIT, i] * two / normal
        # Turns become speeds by lengths of the contact.
        slides = slide_mean(record, i, normal, tangent)
        spun = root * turning_share(turn_square(turning, i, 0), one, slides)
        rolled = root * turning_share(0.5 * (turn_square(turning, i, 1) + turn_square(turning, i, 2)), two, slides)
        ws, wr = turn_along(turning, pair, i, 0, z), turn_along(turning, pair, i, 1, z)
        wt = turn_along(turning, pair, i, 2, z)
        if exact:
            un += mu * math.sqrt(us * us + ut * ut) + spinning * abs(ws / one)
            un += rolling * math.sqrt(wr * wr + wt * wt) / two
        gn, gs, gt = un / root, us / root, ut / root
        hs, hr, ht = ws / one / spun, wr / two / rolled, wt / two / rolled
        ps, pt = x[1, i] * tangent * root - gs, x[2, i] * tangent * root - gt
        qs, qr, qt = x[3, i] * one * spun - hs, x[4, i] * two * rolled - hr, x[5, i] * two * rolled - ht
        pn, k, m = x[0, i] * normal * root - gn, spinning * spun / root, rolling * rolled / root
        n = rolling_normal(pn, math.sqrt(ps * ps + pt * pt), abs(qs), math.sqrt(qr * qr + qt * qt), mu, k, m)
        if n == 0.0:
            squares[i] = (pn + gn) ** 2 + (ps + gs) ** 2 + (pt + gt) ** 2
            squares[i] += (qs + hs) ** 2 + (qr + hr) ** 2 + (qt + ht) ** 2
        else:
            squares[i] = (gn + (pn - n)) ** 2 + rest_square(ps, pt, gs, gt, mu * n)
            squares[i] += rest_square(qs, 0.0, hs, 0.0, k * n) + rest_square(qr, qt, hr, ht, m * n)
        free[i] = (slip_along(record, pair, i, 0, z_free, normal) / root) ** 2
        free[i] += (slip_along(record, pair, i, 1, z_free, tangent) / root) ** 2
        free[i] += (slip_along(record, pair, i, 2, z_free, tangent) / root) ** 2
        free[i] += (turn_along(turning, pair, i, 0, z_free) / one / spun) ** 2
        free[i] += (turn_along(turning, pair, i, 1, z_free) / two / rolled) ** 2
        free[i] += (turn_along(turning, pair, i, 2, z_free) / two / rolled) ** 2
