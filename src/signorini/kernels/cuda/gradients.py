"""Passes of the gradient methods over contacts, on records of `rows`; vectors have the shape (3, contacts)."""

from __future__ import annotations

import math

from signorini.kernels.cuda.door import cuda
from signorini.kernels.cuda.sweeps import project_three, slip
from signorini.kernels.sweeps.compact_records import FRICTION, OFFSET


@cuda.jit
def slips(pair, record, soft, x, z, offset, out):
    """out = A z + E x + offset b."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        un, us, ut = slip(record, i, z, pair[0, i], pair[1, i])
        if soft.shape[1]:
            un, us, ut = un + soft[0, i] * x[0, i], us + soft[1, i] * x[1, i], ut + soft[2, i] * x[2, i]
        out[0, i] = un + offset * record[OFFSET, i]
        out[1, i] = us + offset * record[OFFSET + 1, i]
        out[2, i] = ut + offset * record[OFFSET + 2, i]


@cuda.jit
def forward(record, exact, step, y, g, out):
    """out = P_K(y - step g), under the exact law with the de Saxce term in the normal part of g."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        mu, normal = record[FRICTION, i], g[0, i]
        if exact:
            normal += mu * math.sqrt(g[1, i] * g[1, i] + g[2, i] * g[2, i])
        n, s, t = project_three(y[0, i] - step * normal, y[1, i] - step * g[1, i], y[2, i] - step * g[2, i], mu)
        out[0, i], out[1, i], out[2, i] = n, s, t
