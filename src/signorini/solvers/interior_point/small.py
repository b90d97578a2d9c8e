"""Small problems without joints: the whole path in one compiled loop (`kernels/small_path.py`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from signorini.kernels import small_form, small_path
from signorini.kernels.block_rows import csr_multiply
from signorini.kernels.interior_point import initial_trace
from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Status
from signorini.solvers.base import Monitor

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

MOST_ROWS = 96
"""Beyond this many impulses LAPACK is faster than the compiled Cholesky."""
PAUSE = 1000
"""Iterations between two looks at the history; with a time budget there is a look at the clock after each."""
FINISH_ROOM = 700
"""More than the semismooth steps of one call, of which each shrinks the error to a third."""
STATUS = {
    small_path.SOLVED: Status.SOLVED,
    small_path.ITERATION_LIMIT: Status.ITERATION_LIMIT,
    small_path.STALLED: Status.STALLED,
    small_path.INFEASIBLE: Status.INFEASIBLE,
    small_path.CONTINUE: Status.TIME_LIMIT,
}


def is_small(problem: ContactProblem) -> bool:
    """Whether the compiled loop can take the problem: few impulses, no joints."""
    return 0 < problem.contact_rows <= MOST_ROWS and problem.joint_rows == 0


def solve_small(
    problem: ContactProblem, settings: InteriorPoint, monitor: Monitor, guess: Array | None
) -> tuple[Array, Status]:
    """(lambda, reason) from the impulses `guess` of an earlier solution; the monitor gets the history."""
    cones = problem.cones
    N = delassus(problem)
    indptr, indices, values, duals, start = small_form.cone_map(cones.start, cones.friction)
    N_small, r, size = small_form.standardise(N, problem.r, indptr, indices, values, duals, start)
    m, blocks, rows = problem.contact_rows, len(start) - 1, int(start[-1])
    mean = float(np.mean(problem.N_diagonal)) or 1.0
    q = float(np.linalg.norm(problem.r))
    measure = small_path.Measure(
        cones.start, cones.friction, (indptr, indices, values), (indptr, indices, duals),
        np.full(problem.contacts, 1.0 / mean), mean * size / q if q > 0 else mean,
        np.empty(m), np.empty(m), np.empty(m), np.empty(problem.contacts),
    )  # fmt: skip
    x, y, best = np.empty(rows), np.empty(rows), np.zeros(rows)
    limits = np.array(
        [settings.tolerance, settings.max_iterations, settings.fraction, settings.correctors,
         settings.finish_below, settings.lift, settings.delta, settings.refinements],
        dtype=np.float64,
    )  # fmt: skip
    shifted, warm = settings.warm_start == "shifted", guess is not None
    if warm:
        small_form.to_standard(indptr, indices, duals, guess, 1.0 / size, x)
    if not (warm and small_path.warm_point(start, N_small, r, shifted, x, y)) and not small_path.starting_point(
        start, N_small, r, x, y
    ):
        return np.zeros(m), Status.STALLED
    work = small_path.workspace(rows, blocks)
    initial_trace(start, x, y, work.trace)
    state = np.array([0.0, np.inf, 0.0, settings.finish_below])
    pause = 1 if math.isfinite(settings.time_budget) else PAUSE
    code, seen = small_path.CONTINUE, 0
    while code == small_path.CONTINUE and (seen == 0 or monitor.elapsed <= settings.time_budget):
        until = seen + pause
        history = np.full(min(settings.max_iterations, until + FINISH_ROOM) + 2, np.nan)
        last, code = small_path.follow(start, N_small, r, x, y, limits, state, until, measure, work, best, history)
        for k in range(seen, last + 1):
            monitor.record(k, float(history[k]))
        seen = last + 1
    impulse = np.empty(m)
    csr_multiply(indptr, indices, values, best, impulse)
    return impulse * size, STATUS[code]


def delassus(problem: ContactProblem) -> Array:
    """N, dense."""
    white, E = problem.whitened, problem.E
    if problem.is_dual_only or white is None:
        return problem.N.toarray()
    N: Array = small_form.dense_delassus(
        white.indptr, white.indices, white.data, problem.velocities, E.indptr, E.indices, E.data
    )
    return N
