"""A small dense problem of the exact law in one compiled call: half-lines, Coulomb cones and intervals.

Impulses and slips are brought to self-dual units. Cones and half-lines alone go through semismooth steps from a guess
and along the interior path (`exact_path.py`). With intervals (brakes), semismooth steps are tried from the guess and
from a few sweeps; what is not near enough goes along the path of the problem without intervals (`dense_lift.py`).
"""

from __future__ import annotations

import math

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior import dense_matrix  # noqa: F401 - lets the loops take dense matrices
from signorini.kernels.interior.dense_blocks import is_mixed, largest_slip, project, self_dual, sweep
from signorini.kernels.interior.dense_lift import lift, lift_impulses, lower_impulses
from signorini.kernels.interior.dense_step import copy_into
from signorini.kernels.interior.exact_path import begin, follow, look, polish
from signorini.kernels.interior.exact_workspace import sized, workspace
from signorini.kernels.interior.islands import islands, part_of

SOLVED, STALLED, LIMIT = 0, 1, 2
"""How a solve ends."""
SWEEPS = 25
"""Before semismooth steps are tried again."""


@kernel
def _familiar(start, N, r, guessed, unit, rules, steps, w):
    """Semismooth steps from the guess in w.best, then from a few sweeps more; (error, factorisations)."""
    count = 0
    if guessed:
        project(start, w.ends, w.best)
    else:
        for k in range(len(w.best)):
            w.best[k] = 0.0
    best = look(start, N, r, w.best, unit, w)
    for attempt in range(2):
        found = best
        copy_into(w.best, w.work)
        if attempt or not guessed:
            for _ in range(SWEEPS):
                sweep(start, N, r, w.ends, w.work)
            found = look(start, N, r, w.work, unit, w)
            if found < best:
                best = found
                copy_into(w.work, w.best)
        if found < rules.familiar:
            found, tried = polish(start, N, r, unit, rules, steps, w, found)
            best, count = min(best, found), count + tried
        if best <= rules.tolerance:
            break
    return best, count


@kernel
def _solve_mixed(start, N, r, guessed, unit, rules, steps, warm, w):
    """As `_solve_scaled`, with intervals: what is not near a guess goes along the path of the problem without them."""
    best, count = _familiar(start, N, r, guessed, unit, rules, steps, w)
    if best <= rules.tolerance:
        return best, count, True
    lifted, whole, slips, units = lift(start, w.ends, N, r, unit)
    other = workspace(len(slips), len(lifted) - 1, len(slips), w.shares)
    goes_on = False
    for warm_start in (guessed, False):
        look(start, N, r, w.best, unit, w)
        lift_impulses(start, w.ends, w.best, w.slip, other.best)
        found, more, goes_on = begin(lifted, whole, slips, warm_start, units, rules, steps, warm, other)
        if goes_on:
            _, more, goes_on = follow(lifted, whole, slips, units, rules, steps, warm, other, found, more)
        lower_impulses(start, w.ends, other.best, w.work)
        project(start, w.ends, w.work)
        found = look(start, N, r, w.work, unit, w)
        if found < best:
            copy_into(w.work, w.best)
            best = found
        if best > rules.tolerance:
            found, tried = polish(start, N, r, unit, rules, steps, w, found)
            best, more = min(best, found), more + tried
        count += more
        if best <= rules.tolerance:
            break
    return best, count, goes_on


@kernel
def _solve_scaled(start, N, r, guessed, unit, rules, steps, warm, w):
    """`solve` in self-dual units; the answer is in w.best."""
    if is_mixed(start, w.ends):
        best, count, goes_on = _solve_mixed(start, N, r, guessed, unit, rules, steps, warm, w)
    else:
        best, count, goes_on = begin(start, N, r, guessed, unit, rules, steps, warm, w)
        if goes_on:
            best, count, goes_on = follow(start, N, r, unit, rules, steps, warm, w, best, count)
    if best <= rules.tolerance:
        return SOLVED, best, count
    return LIMIT if goes_on else STALLED, best, count


@kernel
def in_units(kept, factor, scale, r, root, guessed, impulse, w):
    """Slips in self-dual units, the units of the judge (see `look`), and the guess in w.best."""
    slips, unit = np.empty(len(kept)), np.empty((2, len(kept)))
    for i in range(len(kept)):
        k = kept[i]
        slips[i] = factor[i] * r[k] / scale
        unit[0, i], unit[1, i] = factor[i] * scale * root[k], scale / (factor[i] * root[k])
        w.best[i] = impulse[k] / (factor[i] * scale) if guessed else 0.0
    return slips, unit


@kernel
def put_impulses(kept, factor, scale, w, impulse):
    """The answer in w.best as impulses; rows that are not kept stay as they are."""
    for i in range(len(kept)):
        impulse[kept[i]] = w.best[i] * (factor[i] * scale)


@kernel
def drop_tangents(start, mu, impulse):
    """No impulses across contacts without friction."""
    for i in range(len(mu)):
        if mu[i] == 0.0:
            for k in range(start[i] + 1, start[i + 1]):
                impulse[k] = 0.0


@kernel
def _solve_island(own, blocks, kept, factor, ends, N, r, root, spread, guessed, impulse, rules, steps, warm, shares):
    """`solve` for the blocks `own` alone; errors are in roots of energy."""
    start, of, size = part_of(own, blocks, kept, factor)
    rows = len(of)
    w, M = workspace(rows, len(own), rows, shares), np.empty((rows, rows))
    scale = largest_slip(of, size, r) * spread
    slips, unit = in_units(of, size, scale, r, root, guessed, impulse, w)
    for i in range(rows):
        for j in range(rows):
            M[i, j] = size[i] * N[of[i], of[j]] * size[j]
    for i in range(len(own)):
        w.ends[i, 0] = ends[own[i], 0] / (size[start[i]] * scale)
        w.ends[i, 1] = ends[own[i], 1] / (size[start[i]] * scale)
    found = _solve_scaled(start, M, slips, guessed, unit, rules, steps, warm, w)
    put_impulses(of, size, scale, w, impulse)
    return found


@kernel
def solve(start, mu, ends, N, r, root, size, spread, guessed, impulse, rules, steps, warm, shares):
    """Solve `u = N impulse + r` from the guess in `impulse`, or from scratch; (how it ended, error, factorisations).

    `start`, `mu` and `ends` are those of `Cones`; `root` is the root of energy per impulse of every row, and `size`
    that of the slips without impulses, so that errors are those of `Certificate.scaled`; slips are taken to be
    `spread` times as large as they are where they are round-off. `rules`, `steps` and `warm` are `ExactRules`,
    `StepRules` and `WarmRules`. Islands, which N does not couple, are solved one by one: a hit in one of them leaves
    the others with their guess; factorisations are those of the island that takes most.
    """
    diagonal = np.empty(len(N))
    for k in range(len(N)):
        diagonal[k] = N[k, k]
    blocks, kept, factor = self_dual(start, mu, diagonal)
    order, first = islands(blocks, kept, N)
    count = len(first) - 1
    own = sized(rules, size, count, 0.0)
    drop_tangents(start, mu, impulse)
    worst, square, most = SOLVED, 0.0, 0
    for i in range(count):
        status, error, factorisations = _solve_island(
            order[first[i] : first[i + 1]], blocks, kept, factor, ends, N, r, root, spread, guessed, impulse, own,
            steps, warm, shares,
        )  # fmt: skip
        worst, square, most = max(worst, status), square + error * error, max(most, factorisations)
    return worst, math.sqrt(square) / size, most
