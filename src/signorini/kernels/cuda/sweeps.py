"""Projected SOR, colour by colour, on records of `rows`.

All sweeps of a call are one launch: blocks wait for one another after each colour. Velocities z of a movable body are
six numbers of a row of eight: `linear, 0, angular, 0`, whitened as in `sweeps.compact_records`.
"""

from __future__ import annotations

import math

from signorini.kernels.cones import coulomb_cones
from signorini.kernels.cuda.colours import MOST
from signorini.kernels.cuda.door import cuda, on_device
from signorini.kernels.cuda.rolling import ROLL_LIMIT, SPIN_LIMIT, project_block, push_turning, turn_slip
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
def visit_rolling(r, i, pair, soft, turning, exact, omega, mixing, x, z):
    """`visit` of a contact that resists rolling or spinning."""
    a, b, mu = pair[0, i], pair[1, i], r[FRICTION, i]
    un, us, ut = slip(r, i, z, a, b)
    un, us, ut = un + r[OFFSET, i], us + r[OFFSET + 1, i], ut + r[OFFSET + 2, i]
    un, us, ut = un + soft[0, i] * x[0, i], us + soft[1, i] * x[1, i], ut + soft[2, i] * x[2, i]
    ws, wr, wt = turn_slip(turning, i, 0, z, a, b), turn_slip(turning, i, 1, z, a, b), turn_slip(turning, i, 2, z, a, b)
    spinning, rolling = turning[SPIN_LIMIT, i], turning[ROLL_LIMIT, i]
    if exact:
        un += mu * math.sqrt(us * us + ut * ut) + spinning * abs(ws) + rolling * math.sqrt(wr * wr + wt * wt)
    n, s, t, q, u, v = project_block(
        x[0, i] - omega * un, x[1, i] - omega * us, x[2, i] - omega * ut, x[3, i] - omega * ws, x[4, i] - omega * wr,
        x[5, i] - omega * wt, mu, spinning, rolling,
    )  # fmt: skip
    n, s, t = mixing * (n - x[0, i]), mixing * (s - x[1, i]), mixing * (t - x[2, i])
    q, u, v = mixing * (q - x[3, i]), mixing * (u - x[4, i]), mixing * (v - x[5, i])
    x[0, i], x[1, i], x[2, i] = x[0, i] + n, x[1, i] + s, x[2, i] + t
    x[3, i], x[4, i], x[5, i] = x[3, i] + q, x[4, i] + u, x[5, i] + v
    push(r, i, n, s, t, z, a, b)
    push_turning(turning, i, q, u, v, z, a, b)


@cuda.jit(device=True)
def visit(r, i, pair, soft, turning, exact, omega, mixing, x, z):
    """One step of projected SOR at contact i."""
    if turning.shape[1]:
        visit_rolling(r, i, pair, soft, turning, exact, omega, mixing, x, z)
        return
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
def sweeps(done, count, symmetric, colours, start, pair, record, soft, turning, exact, omega, mixing, x, z):
    """Sweeps done, done + 1, ..., `count` of them; odd ones backwards when `symmetric`.

    start[c] is the first contact of colour c; those of the colour MOST go one after the other. soft is the scaled
    diagonal of E, turning the rows of `rolling`, both without entries where nothing has any.
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
                        visit(record, i, pair, soft, turning, exact, omega, mixing, x, z)
            else:
                for i in range(start[c] + begin, start[c + 1], stride):
                    visit(record, i, pair, soft, turning, exact, omega, mixing, x, z)
            grid.sync()


@cuda.jit(device=True)
def push_all(r, turning, i, x, z, a, b):
    """z += A' x of contact i."""
    push(r, i, x[0, i], x[1, i], x[2, i], z, a, b)
    if turning.shape[1]:
        push_turning(turning, i, x[3, i], x[4, i], x[5, i], z, a, b)


@cuda.jit
def scatter(colours, start, pair, record, turning, x, z):
    """z += A' x, colour by colour: the order of the sums is always the same."""
    grid = cuda.cg.this_grid()
    begin, stride = cuda.grid(1), cuda.gridsize(1)
    for c in range(colours):
        if c == MOST:
            if begin == 0:
                for i in range(start[c], start[c + 1]):
                    push_all(record, turning, i, x, z, pair[0, i], pair[1, i])
        else:
            for i in range(start[c] + begin, start[c + 1], stride):
                push_all(record, turning, i, x, z, pair[0, i], pair[1, i])
        grid.sync()
