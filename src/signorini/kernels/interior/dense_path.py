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
from signorini.kernels.interior.dense_step import (
    StepRules,
    copy_into,
    largest,
    move,
    predict_and_correct,
    solved_by,
    start_inside,
    step_rules,
    turn_dense,
)
from signorini.kernels.interior.scaling import initial_trace, scale, turn, turn_back
from signorini.kernels.interior.starts import enter, push_into_cone, shift
from signorini.kernels.interior.steps import complete, linearise_projection, right_rows
from signorini.kernels.linalg.block_rows import csr_multiply
from signorini.kernels.linalg.dense import cholesky, cholesky_solve, symmetric_multiply


class RayRules(NamedTuple):
    """When growing impulses are a proof of infeasibility; see `solvers/cone_newton/rules.py`."""

    impulse: float
    step: float
    accuracy: float
    round_off: float
    work: float


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
    start_inside(start, x, y, max(size, least), trace)
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
    frames: np.ndarray
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
    linearise_projection(start, x, w.slip, w.frames, w.reflector, w.theta, w.right)
    turn_dense(start, w.frames, w.reflector, N, w.turned)
    if not factor(w.turned, w.theta, rules.delta, w.U, w.diagonal):
        return False
    solve(w.turned, w.theta, w.U, w.diagonal, w.right, rules, accuracy, w.dx, w.work, w.rest)
    turn_back(start, w.frames, w.reflector, w.dx, w.other_dx)
    for i in range(len(x)):
        w.other_dx[i] += x[i]
    return True


class ConvexSystem(NamedTuple):
    """Of the convex law."""

    rules: StepRules
    accuracy: float
    """Of linear solves."""


@kernel
def _direct(start, system, s, w, dx, sx, sy):
    """`direct` of `dense_step`."""
    rules, accuracy = system
    right_rows(start, w.frames, w.r2, s, w.right)
    solve(w.turned, w.theta, w.U, w.diagonal, w.right, rules, accuracy, dx, w.work, w.rest)
    step_x, step_y = complete(start, w.frames, w.z, s, dx, sx, sy)
    return min(math.inf, step_x, step_y)


solved_by(ConvexSystem, _direct)


@kernel
def interior_step(start, N, x, y, numbers, accuracy, w):
    """Predict, correct, centre, move: the step length, 0 when there is none, and that of the predictor.

    `w.slip` holds N x + r; `numbers` are those of `StepRules`, `accuracy` is that of linear solves.
    """
    rules = step_rules(numbers)
    scale(start, x, y, w.trace, w.frames, w.reflector, w.theta, w.z)
    turn_dense(start, w.frames, w.reflector, N, w.turned)
    if not factor(w.turned, w.theta, rules.delta, w.U, w.diagonal):
        return 0.0, 0.0
    for i in range(len(x)):
        w.r2[i] = w.slip[i] - y[i]
    turn(start, w.frames, w.reflector, w.r2, w.r2)
    longest, predicted = predict_and_correct(ConvexSystem(rules, accuracy), start, 0.0, rules, w)
    step = min(1.0, rules.fraction * longest)
    if not step > rules.stuck:
        return 0.0, predicted
    turn_back(start, w.frames, w.reflector, w.dx, w.dx)
    return (step if move(start, step, w, x, y) else 0.0), predicted


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
