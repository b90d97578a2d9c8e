"""The exact law for rigid bodies without joints in one compiled call: what `dense_solve` is for few contacts."""

from __future__ import annotations

import math

from signorini.kernels.compile import kernel
from signorini.kernels.interior.body_matrix import body_rows, with_factors
from signorini.kernels.interior.dense_blocks import largest_slip, self_dual
from signorini.kernels.interior.dense_solve import LIMIT, SOLVED, STALLED, drop_tangents, in_units, put_impulses
from signorini.kernels.interior.exact_path import begin, follow, look
from signorini.kernels.interior.exact_workspace import sized, workspace


@kernel
def solve(bodies, D, white, start, mu, diagonal, r, root, size, spread, guessed, impulse, rules, steps, warm, shares):
    """As `dense_solve.solve`, without intervals, for the rows D of so many `bodies` and their whitened entries.

    `diagonal` is that of N.
    """
    blocks, kept, factor = self_dual(start, mu, diagonal)
    scale = largest_slip(kept, factor, r) * spread
    w = workspace(len(kept), len(blocks) - 1, 0, shares)
    slips, unit = in_units(kept, factor, scale, r, root, guessed, impulse, w)
    N, own = body_rows(bodies, blocks, kept, factor, D, white), sized(rules, size, 1, rules.tolerance * size)
    best, count, goes_on = look(blocks, N, slips, w.best, unit, w) if guessed else math.inf, 0, False
    if best > own.tolerance:
        N = with_factors(N)
        best, count, goes_on = begin(blocks, N, slips, guessed, unit, own, steps, warm, w)
        if goes_on:
            best, count, goes_on = follow(blocks, N, slips, unit, own, steps, warm, w, best, count)
    drop_tangents(start, mu, impulse)
    put_impulses(kept, factor, scale, w, impulse)
    if best <= own.tolerance:
        return SOLVED, best / size, count
    return LIMIT if goes_on else STALLED, best / size, count
