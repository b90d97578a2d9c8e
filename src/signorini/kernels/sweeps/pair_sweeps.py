"""Projected SOR over contacts of two bodies, in whitened velocities z with `u = A z + b`, `z = z0 + A' x`.

A record holds one contact: `A` row by row (3 x 12: six columns for each body), then b (3), then the friction
coefficient, -1 for a joint row, whose impulse is free. A contact of one body names it twice, the second with zeros.
Records of rigid contacts between rigid bodies are shorter, see `compact_records`.
[Tasora2011, Anitescu2010]: `x <- mixing * P_K(x - omega * (A z + b + E x)) + (1 - mixing) * x`, contact by contact.
With `exact`, `mu |u_t|` is added to the normal slip of a contact when it is visited: the exact Coulomb law (de Saxce).
"""

from __future__ import annotations

import math

from signorini.kernels.compile import fused_kernel, kernel
from signorini.kernels.cones.coulomb_cones import project_outside
from signorini.kernels.sweeps import compact_records
from signorini.kernels.threads.parts import shared

WIDTH = 40
"""Numbers of a full record."""


@fused_kernel
def sweep_full(first, last, stride, body, record, compliance, exact, omega, mixing, x, z):
    """`sweep_range` for full records."""
    soft = len(compliance) > 0
    for i in range(first, last, stride):
        a, b = body[i, 0], body[i, 1]
        A = record[i]
        z0, z1, z2, z3, z4, z5 = z[a, 0], z[a, 1], z[a, 2], z[a, 3], z[a, 4], z[a, 5]
        y0, y1, y2, y3, y4, y5 = z[b, 0], z[b, 1], z[b, 2], z[b, 3], z[b, 4], z[b, 5]
        # Sums in four lanes: a chain of twelve additions would wait for itself.
        un = (((A[0] * z0 + A[4] * z4) + A[8] * y2) + ((A[1] * z1 + A[5] * z5) + A[9] * y3)) + (
            ((A[2] * z2 + A[6] * y0) + A[10] * y4) + ((A[3] * z3 + A[7] * y1) + A[11] * y5)
        )
        us = (((A[12] * z0 + A[16] * z4) + A[20] * y2) + ((A[13] * z1 + A[17] * z5) + A[21] * y3)) + (
            ((A[14] * z2 + A[18] * y0) + A[22] * y4) + ((A[15] * z3 + A[19] * y1) + A[23] * y5)
        )
        ut = (((A[24] * z0 + A[28] * z4) + A[32] * y2) + ((A[25] * z1 + A[29] * z5) + A[33] * y3)) + (
            ((A[26] * z2 + A[30] * y0) + A[34] * y4) + ((A[27] * z3 + A[31] * y1) + A[35] * y5)
        )
        pn, ps, pt = x[i, 0], x[i, 1], x[i, 2]
        if soft:
            un += compliance[i, 0] * pn
            us += compliance[i, 1] * ps
            ut += compliance[i, 2] * pt
        un, us, ut, mu = un + A[36], us + A[37], ut + A[38], A[39]
        if exact and mu > 0.0:
            un += mu * math.sqrt(us * us + ut * ut)
        n, s, t = project_outside(pn - omega * un, ps - omega * us, pt - omega * ut, mu)
        dn, ds, dt = mixing * (n - pn), mixing * (s - ps), mixing * (t - pt)
        x[i, 0], x[i, 1], x[i, 2] = pn + dn, ps + ds, pt + dt
        # Second body first: where it is the first one again, the write below wins.
        z[b, 0] = y0 + (A[6] * dn + A[18] * ds + A[30] * dt)
        z[b, 1] = y1 + (A[7] * dn + A[19] * ds + A[31] * dt)
        z[b, 2] = y2 + (A[8] * dn + A[20] * ds + A[32] * dt)
        z[b, 3] = y3 + (A[9] * dn + A[21] * ds + A[33] * dt)
        z[b, 4] = y4 + (A[10] * dn + A[22] * ds + A[34] * dt)
        z[b, 5] = y5 + (A[11] * dn + A[23] * ds + A[35] * dt)
        z[a, 0] = z0 + (A[0] * dn + A[12] * ds + A[24] * dt)
        z[a, 1] = z1 + (A[1] * dn + A[13] * ds + A[25] * dt)
        z[a, 2] = z2 + (A[2] * dn + A[14] * ds + A[26] * dt)
        z[a, 3] = z3 + (A[3] * dn + A[15] * ds + A[27] * dt)
        z[a, 4] = z4 + (A[4] * dn + A[16] * ds + A[28] * dt)
        z[a, 5] = z5 + (A[5] * dn + A[17] * ds + A[29] * dt)


@fused_kernel
def sweep_range(first, last, stride, body, record, compliance, exact, omega, mixing, x, z):
    """Visit contacts first, first + stride, ... before last; x is the impulse (contacts, 3), z (bodies, 8)."""
    if record.shape[1] == compact_records.WIDTH:
        compact_records.sweep_range(first, last, stride, body, record, exact, omega, mixing, x, z)
    else:
        sweep_full(first, last, stride, body, record, compliance, exact, omega, mixing, x, z)


@shared
@fused_kernel
def sweep_group(part, first, backwards, start, body, record, compliance, exact, omega, mixing, x, z):
    """Visit the contacts of one group."""
    low, high = start[first + part], start[first + part + 1]
    if backwards:
        sweep_range(high - 1, low - 1, -1, body, record, compliance, exact, omega, mixing, x, z)
    else:
        sweep_range(low, high, 1, body, record, compliance, exact, omega, mixing, x, z)


@kernel
def sweeps(team, done, count, symmetric, start, phases, body, record, compliance, exact, omega, mixing, x, z):
    """Sweeps done, done + 1, ..., `count` of them; odd ones backwards when `symmetric`.

    The groups of a phase are shared by the threads (see `pair_order`); one thread goes through all contacts at once,
    which is the same order.
    """
    contacts = len(body)
    for k in range(done, done + count):
        backwards = symmetric and k % 2 == 1
        if len(team) == 0:
            first, last, stride = (contacts - 1, -1, -1) if backwards else (0, contacts, 1)
            sweep_range(first, last, stride, body, record, compliance, exact, omega, mixing, x, z)
            continue
        for p in range(len(phases) - 1):
            phase = len(phases) - 2 - p if backwards else p
            first, groups = phases[phase], phases[phase + 1] - phases[phase]
            data = (first, backwards, start, body, record, compliance, exact, omega, mixing, x, z)
            sweep_group(team, groups, data)
