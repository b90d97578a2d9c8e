"""Projected SOR, colour by colour, on records of `rows`.

All sweeps of a call are one launch: blocks wait for one another after each colour. Velocities z of a movable body are
six numbers of a row of eight: `linear, 0, angular, 0`, whitened as in `sweeps.compact_records`.
"""

from __future__ import annotations

import math

from signorini.kernels.cones import coulomb_cones
from signorini.kernels.cuda.colours import MOST
from signorini.kernels.cuda.door import cuda, on_device
from signorini.kernels.sweeps.compact_records import FRICTION, OFFSET, SHARE

project_three = on_device(coulomb_cones.project_three)


@cuda.jit(device=True)
def row(r, j, i, x, y, z, z_a, a, z_b, b):
    """One row of A z."""
    u = r[j, i] * x + r[j + 1, i] * y + r[j + 2, i] * z
    u += r[j + 3, i] * z_a[a, 4] + r[j + 4, i] * z_a[a, 5] + r[j + 5, i] * z_a[a, 6]
    if b >= 0:
        u += r[j + 6, i] * z_b[b, 4] + r[j + 7, i] * z_b[b, 5] + r[j + 8, i] * z_b[b, 6]
    return u


@cuda.jit(device=True)
def slip(r, i, z, a, b):
    """A z of contact i of the bodies a and b, b = -1 for none, without its offset."""
    x, y, w = z[a, 0], z[a, 1], z[a, 2]
    if b >= 0:
        share = r[SHARE, i]
        x, y, w = x + share * z[b, 0], y + share * z[b, 1], w + share * z[b, 2]
    return row(r, 0, i, x, y, w, z, a, z, b), row(r, 9, i, x, y, w, z, a, z, b), row(r, 18, i, x, y, w, z, a, z, b)


@cuda.jit(device=True)
def push(r, i, n, s, t, z, a, b):
    """z += A' (n, s, t) of contact i."""
    for c in range(3):
        along = r[c, i] * n + r[9 + c, i] * s + r[18 + c, i] * t
        z[a, c] += along
        z[a, 4 + c] += r[3 + c, i] * n + r[12 + c, i] * s + r[21 + c, i] * t
        if b >= 0:
            z[b, c] += r[SHARE, i] * along
            z[b, 4 + c] += r[6 + c, i] * n + r[15 + c, i] * s + r[24 + c, i] * t


@cuda.jit(device=True)
def visit(r, i, pair, soft, exact, omega, mixing, x, z):
    """One step of projected SOR at contact i."""
    a, b = pair[0, i], pair[1, i]
    un, us, ut = slip(r, i, z, a, b)
    un, us, ut = un + r[OFFSET, i], us + r[OFFSET + 1, i], ut + r[OFFSET + 2, i]
    mu, pn, ps, pt = r[FRICTION, i], x[0, i], x[1, i], x[2, i]
    if soft.shape[1]:
        un, us, ut = un + soft[0, i] * pn, us + soft[1, i] * ps, ut + soft[2, i] * pt
    if exact:
        un += mu * math.sqrt(us * us + ut * ut)
    n, s, t = project_three(pn - omega * un, ps - omega * us, pt - omega * ut, mu)
    n, s, t = mixing * (n - pn), mixing * (s - ps), mixing * (t - pt)
    if n != 0.0 or s != 0.0 or t != 0.0:
        x[0, i], x[1, i], x[2, i] = pn + n, ps + s, pt + t
        push(r, i, n, s, t, z, a, b)


@cuda.jit
def sweeps(done, count, symmetric, colours, start, pair, record, soft, exact, omega, mixing, x, z):
    """Sweeps done, done + 1, ..., `count` of them; odd ones backwards when `symmetric`.

    start[c] is the first contact of colour c; those of the colour MOST go one after the other. soft is the scaled
    diagonal of E, without entries where contacts are rigid.
    """
    grid = cuda.cg.this_grid()
    begin, stride = cuda.grid(1), cuda.gridsize(1)
    for sweep in range(done, done + count):
        backwards = symmetric and sweep % 2 == 1
        for j in range(colours):
            c = colours - 1 - j if backwards else j
            if c == MOST:
                if begin == 0:
                    for i in range(start[c], start[c + 1]):
                        visit(record, i, pair, soft, exact, omega, mixing, x, z)
            else:
                for i in range(start[c] + begin, start[c + 1], stride):
                    visit(record, i, pair, soft, exact, omega, mixing, x, z)
            grid.sync()


@cuda.jit
def scatter(colours, start, pair, record, x, z):
    """z += A' x, colour by colour: the order of the sums is always the same."""
    grid = cuda.cg.this_grid()
    begin, stride = cuda.grid(1), cuda.gridsize(1)
    for c in range(colours):
        if c == MOST:
            if begin == 0:
                for i in range(start[c], start[c + 1]):
                    push(record, i, x[0, i], x[1, i], x[2, i], z, pair[0, i], pair[1, i])
        else:
            for i in range(start[c] + begin, start[c + 1], stride):
                push(record, i, x[0, i], x[1, i], x[2, i], z, pair[0, i], pair[1, i])
        grid.sync()
