"""Steps of the interior point for small problems in Delassus form, each one compiled call on a dense N.

The same predictor, corrector, centrality correctors and semismooth steps as `solvers/interior_point/path.py`; they
stand here again in one piece because a dozen contacts are solved in less time than Python needs to call the kernels
one by one. The outer loop is shared (`solvers/interior_point/loop.py`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.cones.coulomb_cones import natural_map
from signorini.kernels.interior.lorentz3 import ROOT_HALF
from signorini.kernels.interior.path_rules import (
    CENTRAL_HIGH,
    CENTRAL_LOW,
    ENOUGH,
    GROWTH,
    LARGE_STEP,
    LEAST_CENTRING,
    LONGER,
    PAYS,
    RAY,
    RAY_ACCURACY,
    RAY_ROUND_OFF,
    RAY_WORK,
    SHORT,
    SMALLEST_SCALE,
    STUCK,
    WORTH_WHILE,
)
from signorini.kernels.interior.scaling import from_scaled, initial_trace, scale, turn, turn_back
from signorini.kernels.interior.starts import distance_outside, enter, push_into_cone, shift
from signorini.kernels.interior.steps import advance, centre, complete, corrected, linearise_projection, right_rows
from signorini.kernels.linalg.block_rows import csr_multiply
from signorini.kernels.linalg.dense import cholesky, cholesky_solve, symmetric_multiply


@kernel
def _turn_three_rows(sign, r1, r2, a0, a1, a2):
    """The rows of a usual contact into their eigenbasis, in place."""
    for j in range(len(a0)):
        dot = 2.0 * (r1 * a1[j] + r2 * a2[j])
        along = sign * (a1[j] - dot * r1)
        a2[j] -= dot * r2
        normal = a0[j]
        a0[j] = (normal + along) * ROOT_HALF
        a1[j] = (normal - along) * ROOT_HALF


@kernel
def _turn_rows(start, scaling, reflector, out):
    """out := Q' out, whole rows at a time, so that all loops run along memory."""
    for b in range(len(start) - 1):
        first, last = start[b], start[b + 1]
        if last - first == 1:
            continue
        sign = scaling[b, 2]
        if last - first == 3:
            _turn_three_rows(
                sign, reflector[first + 1], reflector[first + 2], out[first], out[first + 1], out[first + 2]
            )
            continue
        for j in range(out.shape[1]):
            dot = 0.0
            for k in range(first + 1, last):
                dot += reflector[k] * out[k, j]
            dot *= 2.0
            for k in range(first + 1, last):
                out[k, j] -= dot * reflector[k]
            normal, along = out[first, j], sign * out[first + 1, j]
            out[first, j] = (normal + along) * ROOT_HALF
            out[first + 1, j] = (normal - along) * ROOT_HALF


@kernel
def turn_dense(start, scaling, reflector, N, out):
    """out = Q'NQ of a symmetric N: the rows, their transpose, the rows again."""
    n = len(N)
    for i in range(n):
        copy_into(N[i], out[i])
    _turn_rows(start, scaling, reflector, out)
    for i in range(n):
        for j in range(i):
            out[i, j], out[j, i] = out[j, i], out[i, j]
    _turn_rows(start, scaling, reflector, out)


@kernel
def factor(turned, theta, delta, U, scale_of):
    """Cholesky of the turned N plus theta plus delta, scaled by its diagonal."""
    n = len(theta)
    for i in range(n):
        scale_of[i] = 1.0 / math.sqrt(turned[i, i] + theta[i] + delta)
    for i in range(n):
        for j in range(i, n):
            U[i, j] = turned[i, j] * scale_of[i] * scale_of[j]
        U[i, i] = 1.0
    return cholesky(U)


@kernel
def solve(turned, theta, U, scale_of, right, limits, x, work, rest):
    """x with (turned + theta) x = right, refined to the accuracy in `limits` (see `interior_step`)."""
    refinements, accuracy = int(limits[3]), limits[4]
    n = len(theta)
    for i in range(n):
        work[i] = right[i] * scale_of[i]
    cholesky_solve(U, work)
    for i in range(n):
        x[i] = work[i] * scale_of[i]
    last = math.inf
    for _ in range(refinements):
        symmetric_multiply(turned, x, rest)
        size = 0.0
        for i in range(n):
            rest[i] = right[i] - rest[i] - theta[i] * x[i]
            size = max(size, abs(rest[i]))
        if size < accuracy or not size < WORTH_WHILE * last:
            break
        last = size
        for i in range(n):
            work[i] = rest[i] * scale_of[i]
        cholesky_solve(U, work)
        for i in range(n):
            x[i] += work[i] * scale_of[i]


@kernel
def largest(x):
    """max |x|."""
    size = 0.0
    for i in range(len(x)):
        size = max(size, abs(x[i]))
    return size


@kernel
def copy_into(x, out):
    """out = x."""
    for i in range(len(x)):
        out[i] = x[i]


@kernel
def starting_point(start, N, r, x, y, trace):
    """The `robust` start of `solvers/interior_point/start.py`; False when N + 1 has no Cholesky factor."""
    n = len(r)
    U = np.empty((n, n))
    for i in range(n):
        copy_into(N[i], U[i])
        U[i, i] += 1.0
        x[i] = -r[i]
    if not cholesky(U):
        return False
    cholesky_solve(U, x)
    size = 0.0
    for i in range(n):
        y[i] = -x[i]
        size = max(size, abs(x[i]))
    margin = max(size, SMALLEST_SCALE)
    shift(start, x, max(distance_outside(start, x), 0.0) + margin)
    shift(start, y, max(distance_outside(start, y), 0.0) + margin)
    initial_trace(start, x, y, trace)
    return True


@kernel
def warm_point(start, N, r, shifted, x, y, trace):
    """(x, y) moved inside from the impulses x of an earlier solution; False when they are no help."""
    symmetric_multiply(N, x, y)
    for i in range(len(x)):
        y[i] += r[i]
    return enter(start, x, y, shifted, trace)


class Workspace(NamedTuple):
    """Arrays of one solve; vectors have one entry per row."""

    trace: np.ndarray
    scaling: np.ndarray
    reflector: np.ndarray
    theta: np.ndarray
    z: np.ndarray
    slip: np.ndarray
    r2: np.ndarray
    right: np.ndarray
    dx: np.ndarray
    s: np.ndarray
    sx: np.ndarray
    sy: np.ndarray
    other_dx: np.ndarray
    other_s: np.ndarray
    other_sx: np.ndarray
    other_sy: np.ndarray
    diagonal: np.ndarray
    work: np.ndarray
    rest: np.ndarray
    turned: np.ndarray
    U: np.ndarray


class Measure(NamedTuple):
    """What `estimate` needs of the problem, and its scratch."""

    cone_start: np.ndarray
    mu: np.ndarray
    T: tuple[np.ndarray, np.ndarray, np.ndarray]
    """(indptr, indices, data)."""
    T_dual: tuple[np.ndarray, np.ndarray, np.ndarray]
    rho: np.ndarray
    factor: float
    impulse: np.ndarray
    slip: np.ndarray
    work: np.ndarray
    error: np.ndarray


def workspace(rows: int, blocks: int) -> Workspace:
    """Fresh arrays."""
    vectors = [np.zeros(rows) for _ in range(len(Workspace._fields) - 4)]
    blockwise = [np.empty((blocks, 3)), np.ones((blocks, 3))]
    return Workspace._make([*blockwise, *vectors, np.empty((rows, rows)), np.empty((rows, rows))])


@kernel
def estimate(N, r, x, m, slip):
    """slip = N x + r of the standard form, and the unit-free natural-map error of the problem."""
    symmetric_multiply(N, x, slip)
    for i in range(len(x)):
        slip[i] += r[i]
    csr_multiply(m.T[0], m.T[1], m.T[2], x, m.impulse)
    csr_multiply(m.T_dual[0], m.T_dual[1], m.T_dual[2], slip, m.slip)
    return m.factor * natural_map(m.cone_start, m.mu, m.rho, m.impulse, m.slip, m.work, m.error)


@kernel
def semismooth_step(start, N, x, limits, w):
    """w.other_dx = x plus one semismooth Newton step on `x = P(x - slip)`; False when the factorisation fails.

    `w.slip` holds N x + r.
    """
    linearise_projection(start, x, w.slip, w.scaling, w.reflector, w.theta, w.right)
    turn_dense(start, w.scaling, w.reflector, N, w.turned)
    if not factor(w.turned, w.theta, limits[2], w.U, w.diagonal):
        return False
    solve(w.turned, w.theta, w.U, w.diagonal, w.right, limits, w.dx, w.work, w.rest)
    turn_back(start, w.scaling, w.reflector, w.dx, w.other_dx)
    for i in range(len(x)):
        w.other_dx[i] += x[i]
    return True


@kernel
def direct(start, s, limits, w, dx, sx, sy):
    """The direction for the scaled right-hand side s, and the longest steps along it."""
    right_rows(start, w.scaling, w.r2, s, w.right)
    solve(w.turned, w.theta, w.U, w.diagonal, w.right, limits, dx, w.work, w.rest)
    return complete(start, w.scaling, w.z, s, dx, sx, sy)


@kernel
def centred(start, target, limits, step_x, step_y, w):
    """Centrality correctors on the direction in (w.dx, w.s, w.sx, w.sy); the longest steps after them."""
    for _ in range(int(limits[1])):
        step = min(1.0, step_x, step_y)
        if step > ENOUGH:
            break
        trial = min(1.0, step + LONGER)
        copy_into(w.s, w.other_s)
        centre(start, w.z, w.sx, w.sy, trial, trial, CENTRAL_LOW * target, CENTRAL_HIGH * target, w.other_s)
        better_x, better_y = direct(start, w.other_s, limits, w, w.other_dx, w.other_sx, w.other_sy)
        if min(1.0, better_x, better_y) < step + PAYS * (trial - step):
            break
        step_x, step_y = better_x, better_y
        copy_into(w.other_s, w.s)
        copy_into(w.other_dx, w.dx)
        copy_into(w.other_sx, w.sx)
        copy_into(w.other_sy, w.sy)
    return step_x, step_y


@kernel
def interior_step(start, N, x, y, limits, w):
    """Predict, correct, centre, move; the step length, 0 when there is none.

    `w.slip` holds N x + r; limits: fraction, correctors, delta, refinements, accuracy of linear solves;
    the length of the predictor is written behind them.
    """
    fraction, delta = limits[0], limits[2]
    scale(start, x, y, w.trace, w.scaling, w.reflector, w.theta, w.z)
    turn_dense(start, w.scaling, w.reflector, N, w.turned)
    if not factor(w.turned, w.theta, delta, w.U, w.diagonal):
        return 0.0
    for i in range(len(x)):
        w.r2[i] = w.slip[i] - y[i]
    turn(start, w.scaling, w.reflector, w.r2, w.r2)
    barrier = 0.0
    for i in range(len(w.trace)):
        barrier += w.trace[i, 2] / len(w.trace)
    step_x, step_y = direct(start, w.z, limits, w, w.dx, w.sx, w.sy)
    limits[5] = min(1.0, step_x, step_y)
    sigma = (1.0 - limits[5]) ** 3
    corrected(start, w.z, w.sx, w.sy, sigma * barrier, w.s)
    step_x, step_y = direct(start, w.s, limits, w, w.dx, w.sx, w.sy)
    step_x, step_y = centred(start, max(sigma, LEAST_CENTRING) * barrier, limits, step_x, step_y, w)
    step = min(1.0, fraction * step_x, fraction * step_y)
    if not step > STUCK:
        return 0.0
    turn_back(start, w.scaling, w.reflector, w.dx, w.dx)
    from_scaled(start, w.scaling, w.sy, w.right)
    turn_back(start, w.scaling, w.reflector, w.right, w.right)
    inside = advance(start, w.scaling, w.z, w.sx, w.sy, w.dx, w.right, step, step, x, y, w.trace)
    return step if inside else 0.0


@kernel
def is_proof(N, r, ray):
    """Whether a direction in the cones proves that nothing meets the constraints: `is_proof` of `proof.py`, A = 0."""
    size = largest(ray)
    work = 0.0
    energy = 0.0
    rounding = 0.0
    for i in range(len(ray)):
        pull = 0.0
        terms = 0.0
        for j in range(len(ray)):
            part = N[i, j] * (ray[j] / size)
            pull += part
            terms += abs(part)
        work -= r[i] * (ray[i] / size)
        energy += pull * (ray[i] / size)
        rounding += terms * abs(ray[i] / size)
    return work > RAY_WORK and energy < max((RAY_ACCURACY * work) ** 2, RAY_ROUND_OFF * rounding)


@kernel
def is_ray(start, N, r, x, dx, ray):
    """Whether large impulses x, or a large step dx, are a proof; `ray` is scratch."""
    if largest(x) >= RAY and is_proof(N, r, x):
        return True
    if not largest(dx) > LARGE_STEP:
        return False
    copy_into(dx, ray)
    push_into_cone(start, ray, 0.0)
    return largest(ray) > LARGE_STEP and is_proof(N, r, ray)


@kernel
def lift_small_start(start, x, y, step, before, lift, trace):
    """Move away from the boundary when the impulses grew in a short step: they started too small. True if it did."""
    size = largest(x)
    if not (step < SHORT and size > GROWTH * before and lift > 0.0):
        return False
    shift(start, x, lift * size)
    shift(start, y, largest(y))
    initial_trace(start, x, y, trace)
    return True
