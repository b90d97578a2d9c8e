"""The exact Coulomb law in one compiled call: semismooth steps and the interior path.

`dense_solve.py` drives them on a dense N, `body_solve.py` on the rows of rigid bodies; `exact_matrix.py` is what they
ask of either.

In self-dual units (`coulomb.py`) the law is `x in K, y in K, x'y = 0` with `y = u + |u_t| e` and `u = N x + r`. From
a guess, semismooth Newton steps on `x = P(x - y)` while they contract; then the interior path `x o y = barrier e` with
the derivative `1 + e h'` of y, h along u_t: predictor, corrector, centrality correctors. The law is not monotone, so a
direction may lead nowhere: after a short step less of h is counted, down to none, which is the direction of a convex
problem.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from signorini.kernels.compile import kernel
from signorini.kernels.interior.coulomb import de_saxce
from signorini.kernels.interior.dense_blocks import interval_square, linearise_intervals, project
from signorini.kernels.interior.dense_step import (
    StepRules,
    copy_into,
    enter_central,
    largest,
    move,
    predict_and_correct,
    solved_by,
)
from signorini.kernels.interior.exact_matrix import apply, cold, factor, solve_rows, stays_idle
from signorini.kernels.interior.exact_workspace import ExactRules
from signorini.kernels.interior.scaling import scale, turn, turn_back
from signorini.kernels.interior.starts import natural_error
from signorini.kernels.interior.steps import complete, linearise, right_rows


@kernel
def look(start, N, r, x, unit, w):
    """Slips of x and their lawful form in w; the natural-map error in the units of the certificate.

    `unit` holds (root of energy per x, root of energy per slip) of every row; see `Certificate.scaled`.
    """
    apply(N, x, w.slip)
    for k in range(len(x)):
        w.slip[k] += r[k]
    de_saxce(start, w.slip, w.lawful, w.along)
    total = 0.0
    for i in range(len(start) - 1):
        first, last = start[i], start[i + 1]
        if last - first == 1:
            low, high = unit[0, first] * w.ends[i, 0], unit[0, first] * w.ends[i, 1]
            total += interval_square(unit[0, first] * x[first], unit[1, first] * w.lawful[first], low, high)
            continue
        mu = unit[1, first] / unit[1, first + 1]
        normal = unit[0, first] * x[first] - unit[1, first] * w.lawful[first]
        length = 0.0
        for k in range(first + 1, last):
            length += (unit[0, k] * x[k] - unit[1, k] * w.lawful[k]) ** 2
        length = math.sqrt(length)
        if normal + mu * length <= 0.0:
            for k in range(first, last):
                total += (unit[0, k] * x[k]) ** 2
        elif length <= mu * normal:
            for k in range(first, last):
                total += (unit[1, k] * w.lawful[k]) ** 2
        else:
            outside = (length - mu * normal) / (1.0 + mu * mu)
            total += (unit[1, first] * w.lawful[first] - outside * mu) ** 2
            for k in range(first + 1, last):
                slip = unit[1, k] * w.lawful[k]
                total += (slip + outside * (unit[0, k] * x[k] - slip) / length) ** 2
    return math.sqrt(total)


@kernel
def _semismooth(start, N, x, rules, steps, w):
    """w.moved = x after one Newton step on `x = P(x - y)`, then projected; w.lawful and w.along are those of x."""
    linearise(start, x, w.lawful, w.frames, w.reflector, w.tau, w.rest, w.right)
    linearise_intervals(start, w.ends, x, w.lawful, w.tau, w.rest, w.right)
    if not factor(start, N, 1.0, steps.delta, w):
        return False
    solve_rows(start, N, 1.0, rules, steps, w, w.right, w.dx)
    turn_back(start, w.frames, w.reflector, w.dx, w.moved)
    for k in range(len(x)):
        w.moved[k] += x[k]
    project(start, w.ends, w.moved)
    return math.isfinite(largest(w.moved))


@kernel
def polish(start, N, r, unit, rules, steps, w, error):
    """Semismooth steps from w.work while they contract; (best error, factorisations). The best goes to w.best."""
    before, best, count = error, error, 0
    while _semismooth(start, N, w.work, rules, steps, w):
        count += 1
        copy_into(w.moved, w.work)
        found = look(start, N, r, w.work, unit, w)
        if found < best:
            best = found
            copy_into(w.work, w.best)
        if found <= rules.tolerance or not found < rules.gain * before:
            break
        before = found
    return best, count


class ExactSystem(NamedTuple):
    """Of the exact law, of which only a share of the derivative of the de Saxce term may count."""

    N: Any
    share: float
    rules: ExactRules
    steps: StepRules


@kernel
def _direct(start, system, s, w, dx, sx, sy):
    """`direct` of `dense_step`."""
    N, share, rules, steps = system
    right_rows(start, w.frames, w.r2, s, w.right)
    for k in range(len(dx)):
        w.right[k] *= w.tau[k]
    solve_rows(start, N, share, rules, steps, w, w.right, dx)
    step_x, step_y = complete(start, w.frames, w.z, s, dx, sx, sy)
    return min(math.inf, step_x, step_y)


solved_by(ExactSystem, _direct)


@kernel
def _interior_step(start, N, share, rules, steps, w):
    """Predict, correct, centre, move (w.x, w.y); the step length, 0 when there is none. w.lawful are those of w.x."""
    scale(start, w.x, w.y, w.trace, w.frames, w.reflector, w.theta, w.z)
    for k in range(len(w.x)):
        w.tau[k] = 1.0 / (1.0 + w.theta[k])
        w.rest[k] = w.theta[k] * w.tau[k]
        w.r2[k] = w.lawful[k] - w.y[k]
    if not factor(start, N, share, steps.delta, w):
        return 0.0
    turn(start, w.frames, w.reflector, w.r2, w.r2)
    least_sigma = rules.recentre if share < 1.0 else 0.0
    longest, _ = predict_and_correct(ExactSystem(N, share, rules, steps), start, least_sigma, steps, w)
    step = steps.fraction * min(1.0, longest)
    turn_back(start, w.frames, w.reflector, w.dx, w.dx)
    if not (step > steps.stuck and math.isfinite(largest(w.dx))):
        return 0.0
    return step if move(start, step, w, w.x, w.y) else 0.0


@kernel
def begin(start, N, r, guessed, unit, rules, steps, warm, w):
    """Semismooth steps from the guess in w.best, then (w.x, w.y) inside the cones; (error, factorisations, began)."""
    best, count = math.inf, 0
    # Where no impulse at all meets the law, as in a slot without play, others that jam may meet it too.
    for k in range(len(w.work)):
        w.work[k] = 0.0
    idle = look(start, N, r, w.work, unit, w)
    if idle <= rules.tolerance and stays_idle(start, N, w.slip, w.along):
        for k in range(len(w.best)):
            w.best[k] = 0.0
        return idle, count, True
    if guessed:
        best = look(start, N, r, w.best, unit, w)
        if rules.good < best < rules.familiar:
            copy_into(w.best, w.work)
            best, count = polish(start, N, r, unit, rules, steps, w, best)
        if best <= rules.tolerance:
            return best, count, True
        look(start, N, r, w.best, unit, w)
        size = max(largest(w.best), largest(w.lawful), warm.smallest_scale)
        if natural_error(start, w.best, w.lawful) <= warm.far * size:
            enter_central(start, w.best, warm.share, warm, w)
            return best, count, True
    return best, count, cold(start, N, r, rules, warm, w)


@kernel
def follow(start, N, r, unit, rules, steps, warm, w, best, count):
    """Along the interior path from (w.x, w.y); (error, factorisations, whether it may go on)."""
    level, restarts, finish_below, goes_on = 0, 0, rules.finish_below, True
    while goes_on and best > rules.tolerance and count < rules.most_factorisations:
        error = look(start, N, r, w.x, unit, w)
        if error < best:
            best = error
            copy_into(w.x, w.best)
        if rules.tolerance < error < finish_below:
            finish_below = rules.finish_again * error
            copy_into(w.x, w.work)
            found, tried = polish(start, N, r, unit, rules, steps, w, error)
            count += tried
            best = min(best, found)
            look(start, N, r, w.x, unit, w)
        if best <= rules.tolerance:
            break
        step = _interior_step(start, N, w.shares[level], rules, steps, w)
        count += 1
        if step < rules.short:
            level = min(level + 1, len(w.shares) - 1)
        elif step > rules.long:
            level = max(level - 1, 0)
        if step == 0.0:
            restarts += 1
            goes_on = restarts <= rules.most_restarts
            look(start, N, r, w.best, unit, w)
            enter_central(start, w.best, rules.lift, warm, w)
    return best, count, goes_on
