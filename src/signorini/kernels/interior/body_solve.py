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
def _solve_rows(N, start, kept, factor, r, root, spread, guessed, impulse, rules, steps, warm, shares):
    """`solve` for the blocks of N, whose errors are in roots of energy."""
    scale = largest_slip(kept, factor, r) * spread
    w = workspace(len(kept), len(start) - 1, 0, shares)
    slips, unit = in_units(kept, factor, scale, r, root, guessed, impulse, w)
    best, count, goes_on = look(start, N, slips, w.best, unit, w) if guessed else math.inf, 0, False
    if best > rules.good:
        N = with_factors(N)
        best, count, goes_on = begin(start, N, slips, guessed, unit, rules, steps, warm, w)
        if goes_on:
            best, count, goes_on = follow(start, N, slips, unit, rules, steps, warm, w, best, count)
    put_impulses(kept, factor, scale, w, impulse)
    if best <= rules.tolerance:
        return SOLVED, best, count
    return LIMIT if goes_on else STALLED, best, count


@kernel
def _is_good(N, blocks, kept, factor, r, root, spread, impulse, rules, shares):
    """Whether the guess is good enough as it is."""
    scale = largest_slip(kept, factor, r) * spread
    w = workspace(len(kept), len(blocks) - 1, 0, shares)
    slips, unit = in_units(kept, factor, scale, r, root, True, impulse, w)
    return look(blocks, N, slips, w.best, unit, w) <= rules.tolerance


@kernel
def solve(bodies, D, white, start, mu, diagonal, r, root, size, spread, guessed, impulse, rules, steps, warm, shares):
    """As `dense_solve.solve`, without intervals, for the rows D of so many `bodies` and their whitened entries.

    `diagonal` is that of N. Bodies that no contacts hold together are solved apart.
    """
    blocks, kept, factor = self_dual(start, mu, diagonal)
    N = body_rows(bodies, np.arange(bodies), blocks, kept, factor, D, white)
    whole = sized(rules, size, 1, rules.tolerance * size)
    drop_tangents(start, mu, impulse)
    order, first, number, sizes = islands_of_bodies(bodies, N.land)
    count = len(sizes)
    if count == 1:
        found = _solve_rows(N, blocks, kept, factor, r, root, spread, guessed, impulse, whole, steps, warm, shares)
        return found[0], found[1] / size, found[2]
    if guessed and _is_good(N, blocks, kept, factor, r, root, spread, impulse, whole, shares):
        return SOLVED, whole.tolerance / size, 0
    own = sized(rules, size, count, CARE * rules.tolerance * size / math.sqrt(count))
    worst, square, most = SOLVED, 0.0, 0
    for i in range(count):
        begins, rows, factors = part_of(order[first[i] : first[i + 1]], blocks, kept, factor)
        part = body_rows(sizes[i], number, begins, rows, factors, D, white)
        status, error, steps_taken = _solve_rows(
            part, begins, rows, factors, r, root, spread, guessed, impulse, own, steps, warm, shares
        )  # fmt: skip
        worst, square, most = max(worst, status), square + error * error, max(most, steps_taken)
    return worst, math.sqrt(square) / size, most
