"""The exact law for rigid bodies without joints in one compiled call: what `dense_solve` is for few contacts."""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior.body_matrix import body_rows, with_factors
from signorini.kernels.interior.dense_blocks import largest_slip, self_dual
from signorini.kernels.interior.dense_solve import LIMIT, SOLVED, STALLED, drop_tangents, in_units, put_impulses
from signorini.kernels.interior.exact_path import begin, follow, look
from signorini.kernels.interior.exact_workspace import sized, workspace
from signorini.kernels.interior.islands import islands_of_bodies, part_of

CARE = 0.01
"""Where some islands are solved, so are all with errors above this share of the tolerance: they would miss it next."""


@kernel
def _path(N, start, slips, guessed, unit, rules, steps, warm, w, best):
    """(how it ended, error, factorisations) from a guess in w.best with the error `best`; the answer is in w.best."""
    count, goes_on = 0, False
    if best > rules.good:
        N = with_factors(N)
        best, count, goes_on = begin(start, N, slips, guessed, unit, rules, steps, warm, w)
        if goes_on:
            best, count, goes_on = follow(start, N, slips, unit, rules, steps, warm, w, best, count)
    if best <= rules.tolerance:
        return SOLVED, best, count
    return LIMIT if goes_on else STALLED, best, count


@kernel
def _solve_island(N, start, kept, factor, r, root, spread, guessed, impulse, rules, steps, warm, shares):
    """`solve` for some of the blocks; errors are in roots of energy."""
    scale = largest_slip(kept, factor, r) * spread
    w = workspace(len(kept), len(start) - 1, 0, shares)
    slips, unit = in_units(kept, factor, scale, r, root, guessed, impulse, w)
    best = look(start, N, slips, w.best, unit, w) if guessed else math.inf
    found = _path(N, start, slips, guessed, unit, rules, steps, warm, w, best)
    put_impulses(kept, factor, scale, w, impulse)
    return found


@kernel
def solve(bodies, D, white, start, mu, diagonal, r, root, size, spread, guessed, impulse, rules, steps, warm, shares):
    """As `dense_solve.solve`, without intervals, for the rows D of so many `bodies` and their whitened entries.

    `diagonal` is that of N. Unless semismooth steps from the guess are likely to finish, bodies that no contacts hold
    together are solved apart.
    """
    blocks, kept, factor = self_dual(start, mu, diagonal)
    scale = largest_slip(kept, factor, r) * spread
    w = workspace(len(kept), len(blocks) - 1, 0, shares)
    slips, unit = in_units(kept, factor, scale, r, root, guessed, impulse, w)
    N = body_rows(bodies, np.arange(bodies), blocks, kept, factor, D, white)
    whole = sized(rules, size, 1, rules.tolerance * size)
    drop_tangents(start, mu, impulse)
    best = look(blocks, N, slips, w.best, unit, w) if guessed else math.inf
    order, first, number, sizes = islands_of_bodies(bodies, N.land)
    count = len(sizes)
    if count == 1 or best < whole.finish_below:
        worst, best, most = _path(N, blocks, slips, guessed, unit, whole, steps, warm, w, best)
        put_impulses(kept, factor, scale, w, impulse)
        return worst, best / size, most
    own = sized(rules, size, count, CARE * rules.tolerance * size / math.sqrt(count))
    worst, square, most = SOLVED, 0.0, 0
    for i in range(count):
        begins, rows, factors = part_of(order[first[i] : first[i + 1]], blocks, kept, factor)
        part = body_rows(sizes[i], number, begins, rows, factors, D, white)
        status, error, taken = _solve_island(
            part, begins, rows, factors, r, root, spread, guessed, impulse, own, steps, warm, shares
        )  # fmt: skip
        worst, square, most = max(worst, status), square + error * error, max(most, taken)
    return worst, math.sqrt(square) / size, most
