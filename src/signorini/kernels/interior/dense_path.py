"""Steps of the interior point for small problems in Delassus form, each one compiled call on a dense N.

The same predictor, corrector, centrality correctors and semismooth steps as
`solvers/cone_newton/predictor_corrector.py`; they stand here again in one piece because a dozen contacts are solved in
less time than Python needs to call the kernels one by one. The outer loop is shared (`solvers/interior_point/loop.py`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from signorini.kernels.compile import kernel
from signorini.kernels.cones.coulomb_cones import natural_map
from signorini.kernels.interior.lorentz3 import ROOT_HALF
from signorini.kernels.interior.scaling import from_scaled, initial_trace, scale, turn, turn_back
from signorini.kernels.interior.starts import distance_outside, enter, push_into_cone, shift
from signorini.kernels.interior.steps import advance, centre, complete, corrected, linearise_projection, right_rows
from signorini.kernels.linalg.block_rows import csr_multiply
from signorini.kernels.linalg.dense import cholesky, cholesky_solve, symmetric_multiply


class StepRules(NamedTuple):
    """How a step is made; see `solvers/cone_newton/rules.py`."""

    fraction: float
    """Share of the way to the boundary of the cones."""
    correctors: int
    delta: float
    refinements: int
    worth_while: float
    enough: float
    longer: float
    pays: float
    central_low: float
    central_high: float
    least_centring: float
    stuck: float


@kernel
def step_rules(numbers):
    """`StepRules` from an array: to unbox a tuple of this size costs as much as a step of two contacts."""
    return StepRules(
        numbers[0], int(numbers[1]), numbers[2], int(numbers[3]), numbers[4], numbers[5], numbers[6], numbers[7],
        numbers[8], numbers[9], numbers[10], numbers[11],
    )  # fmt: skip


class RayRules(NamedTuple):
    """When growing impulses are a proof of infeasibility; see `solvers/cone_newton/rules.py`."""

    impulse: float
    step: float
    accuracy: float
    round_off: float
    work: float


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
def solve(turned, theta, U, scale_of, right, rules, accuracy, x, work, rest):
    """x with (turned + theta) x = right, refined to the accuracy."""
    n = len(theta)
    for i in range(n):
        work[i] = right[i] * scale_of[i]
    cholesky_solve(U, work)
    for i in range(n):
        x[i] = work[i] * scale_of[i]
    last = math.inf
    for _ in range(rules.refinements):
        symmetric_multiply(turned, x, rest)
        size = 0.0
        for i in range(n):
            rest[i] = right[i] - rest[i] - theta[i] * x[i]
            size = max(size, abs(rest[i]))
        if size < accuracy or not size < rules.worth_while * last:
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
def starting_point(start, N, r, least, x, y, trace):
    """The `robust` start of `solvers/interior_point/start.py`, `least` inside; False if N + 1 has no factor."""
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
    margin = max(size, least)
    shift(start, x, max(distance_outside(start, x), 0.0) + margin)
    shift(start, y, max(distance_outside(start, y), 0.0) + margin)
    initial_trace(start, x, y, trace)
    return True


@kernel
def warm_point(start, N, r, shifted, rules, x, y, trace):
    """(x, y) moved inside from the impulses x of an earlier solution; False when they are no help."""
    symmetric_multiply(N, x, y)
    for i in range(len(x)):
        y[i] += r[i]
    return enter(start, x, y, shifted, rules, trace)


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
def semismooth_step(start, N, x, numbers, accuracy, w):
    """w.other_dx = x plus one semismooth Newton step on `x = P(x - slip)`; False when the factorisation fails.

    `w.slip` holds N x + r.
    """
    rules = step_rules(numbers)
    linearise_projection(start, x, w.slip, w.scaling, w.reflector, w.theta, w.right)
    turn_dense(start, w.scaling, w.reflector, N, w.turned)
    if not factor(w.turned, w.theta, rules.delta, w.U, w.diagonal):
        return False
    solve(w.turned, w.theta, w.U, w.diagonal, w.right, rules, accuracy, w.dx, w.work, w.rest)
    turn_back(start, w.scaling, w.reflector, w.dx, w.other_dx)
    for i in range(len(x)):
        w.other_dx[i] += x[i]
    return True


@kernel
def direct(start, s, rules, accuracy, w, dx, sx, sy):
    """The direction for the scaled right-hand side s, and the longest steps along it."""
    right_rows(start, w.scaling, w.r2, s, w.right)
    solve(w.turned, w.theta, w.U, w.diagonal, w.right, rules, accuracy, dx, w.work, w.rest)
    return complete(start, w.scaling, w.z, s, dx, sx, sy)


@kernel
def centred(start, target, rules, accuracy, step_x, step_y, w):
    """Centrality correctors on the direction in (w.dx, w.s, w.sx, w.sy); the longest steps after them."""
    for _ in range(rules.correctors):
        step = min(1.0, step_x, step_y)
        if step > rules.enough:
            break
        trial = min(1.0, step + rules.longer)
        copy_into(w.s, w.other_s)
        low, high = rules.central_low * target, rules.central_high * target
        centre(start, w.z, w.sx, w.sy, trial, trial, low, high, w.other_s)
        better_x, better_y = direct(start, w.other_s, rules, accuracy, w, w.other_dx, w.other_sx, w.other_sy)
        if min(1.0, better_x, better_y) < step + rules.pays * (trial - step):
            break
        step_x, step_y = better_x, better_y
        copy_into(w.other_s, w.s)
        copy_into(w.other_dx, w.dx)
        copy_into(w.other_sx, w.sx)
        copy_into(w.other_sy, w.sy)
    return step_x, step_y


@kernel
def interior_step(start, N, x, y, numbers, accuracy, w):
    """Predict, correct, centre, move: the step length, 0 when there is none, and that of the predictor.

    `w.slip` holds N x + r; `numbers` are those of `StepRules`, `accuracy` is that of linear solves.
    """
    rules = step_rules(numbers)
    scale(start, x, y, w.trace, w.scaling, w.reflector, w.theta, w.z)
    turn_dense(start, w.scaling, w.reflector, N, w.turned)
    if not factor(w.turned, w.theta, rules.delta, w.U, w.diagonal):
        return 0.0, 0.0
    for i in range(len(x)):
        w.r2[i] = w.slip[i] - y[i]
    turn(start, w.scaling, w.reflector, w.r2, w.r2)
    barrier = 0.0
    for i in range(len(w.trace)):
        barrier += w.trace[i, 2] / len(w.trace)
    step_x, step_y = direct(start, w.z, rules, accuracy, w, w.dx, w.sx, w.sy)
    predicted = min(1.0, step_x, step_y)
    sigma = (1.0 - predicted) ** 3
    corrected(start, w.z, w.sx, w.sy, sigma * barrier, w.s)
    step_x, step_y = direct(start, w.s, rules, accuracy, w, w.dx, w.sx, w.sy)
    target = max(sigma, rules.least_centring) * barrier
    step_x, step_y = centred(start, target, rules, accuracy, step_x, step_y, w)
    step = min(1.0, rules.fraction * step_x, rules.fraction * step_y)
    if not step > rules.stuck:
        return 0.0, predicted
    turn_back(start, w.scaling, w.reflector, w.dx, w.dx)
    from_scaled(start, w.scaling, w.sy, w.right)
    turn_back(start, w.scaling, w.reflector, w.right, w.right)
    inside = advance(start, w.scaling, w.z, w.sx, w.sy, w.dx, w.right, step, step, x, y, w.trace)
    return (step if inside else 0.0), predicted


@kernel
def is_proof(N, r, rules, ray):
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
    return work > rules.work and energy < max((rules.accuracy * work) ** 2, rules.round_off * rounding)


@kernel
def is_ray(start, N, r, rules, x, dx, ray):
    """Whether large impulses x, or a large step dx, are a proof; `ray` is scratch."""
    if largest(x) >= rules.impulse and is_proof(N, r, rules, x):
        return True
    if not largest(dx) > rules.step:
        return False
    copy_into(dx, ray)
    push_into_cone(start, ray, 0.0)
    return largest(ray) > rules.step and is_proof(N, r, rules, ray)


@kernel
def lift_start(start, x, y, lift, trace):
    """Move away from the boundary, by so many times the size of x and by that of y."""
    shift(start, x, lift * largest(x))
    shift(start, y, largest(y))
    initial_trace(start, x, y, trace)
