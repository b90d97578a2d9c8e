"""A small dense problem of the exact law in one compiled call: half-lines, Coulomb cones and intervals.

Impulses and slips are brought to self-dual units. Cones and half-lines alone go through semismooth steps from a guess
and along the interior path (`exact_path.py`). With intervals (brakes), semismooth steps are tried from the guess and
from a few sweeps; what is not near enough goes along the path of the problem without intervals (`dense_lift.py`).
"""

from __future__ import annotations

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.interior import dense_matrix  # noqa: F401 - lets the loops take dense matrices
from signorini.kernels.interior.dense_blocks import is_mixed, largest_slip, project, self_dual, sweep
from signorini.kernels.interior.dense_lift import lift, lift_impulses, lower_impulses
from signorini.kernels.interior.dense_step import copy_into
from signorini.kernels.interior.exact_path import begin, follow, look, polish
from signorini.kernels.interior.exact_workspace import sized, workspace

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
    """The answer in w.best as impulses."""
    for k in range(len(impulse)):
        impulse[k] = 0.0
    for i in range(len(kept)):
        impulse[kept[i]] = w.best[i] * (factor[i] * scale)


@kernel
def solve(start, mu, ends, N, r, root, size, spread, guessed, impulse, rules, steps, warm, shares):
    """Solve `u = N impulse + r` from the guess in `impulse`, or from scratch; (how it ended, error, factorisations).

    `start`, `mu` and `ends` are those of `Cones`; `root` is the root of energy per impulse of every row, and `size`
    that of the slips without impulses, so that errors are those of `Certificate.scaled`; slips are taken to be
    `spread` times as large as they are where they are round-off. `rules`, `steps` and `warm` are `ExactRules`,
    `StepRules` and `WarmRules`.
    """
    diagonal = np.empty(len(N))
    for k in range(len(N)):
        diagonal[k] = N[k, k]
    blocks, kept, factor = self_dual(start, mu, diagonal)
    scale = largest_slip(kept, factor, r) * spread
    w, M = workspace(len(kept), len(blocks) - 1, len(kept), shares), np.empty((len(kept), len(kept)))
    slips, unit = in_units(kept, factor, scale, r, root, guessed, impulse, w)
    for i in range(len(kept)):
        for j in range(len(kept)):
            M[i, j] = factor[i] * N[kept[i], kept[j]] * factor[j]
    for i in range(len(blocks) - 1):
        w.ends[i, 0] = ends[i, 0] / (factor[blocks[i]] * scale)
        w.ends[i, 1] = ends[i, 1] / (factor[blocks[i]] * scale)
    found = _solve_scaled(blocks, M, slips, guessed, unit, sized(rules, size, 0.0), steps, warm, w)
    put_impulses(kept, factor, scale, w, impulse)
    return found[0], found[1] / size, found[2]
