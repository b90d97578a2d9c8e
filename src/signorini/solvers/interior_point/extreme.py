"""Heavy bodies on light ones: impulses beyond the resolution of the usual systems."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor
from signorini.solvers.cone_newton.error_estimate import reach
from signorini.solvers.cone_newton.orthogonal_system import MOST_COLUMNS, MOST_ROWS
from signorini.solvers.cone_newton.standard_form import StandardForm
from signorini.solvers.cone_newton.system import RefinedSystem
from signorini.solvers.interior_point.loop import follow
from signorini.solvers.interior_point.path import Path
from signorini.solvers.interior_point.semismooth import projected_step
from signorini.solvers.interior_point.start import cold_start

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

EXTREME = 1e6
"""Reach of impulses (see `error_estimate.reach`) from which on the usual systems are skipped."""
SUSPICIOUS = 1e4
"""Reach from which on their failure is attributed to the masses,"""
FEW_ROWS = 150
"""and rows up to which it always is: a second attempt costs little."""
CANCELS = 0.1
"""Largest share of the impulses on a light body under a heavy one that does not cancel."""
MOST_TRIES = 8
"""Semismooth steps before the central path is followed."""

Point = tuple[Array, Array]
"""(w, x)."""


def can_try(problem: ContactProblem) -> bool:
    """Whether orthogonal rows can be used: there are velocities, and dense matrices are not too large."""
    rows, columns = problem.contact_rows + problem.joint_rows, problem.velocities
    return problem.cones.is_plain and problem.contacts > 0 and rows <= MOST_ROWS and 0 < columns <= MOST_COLUMNS


def is_suspicious(problem: ContactProblem, solution: Solution) -> bool:
    """Whether a solve may have failed because of mass ratios, so that orthogonal rows may help."""
    if solution.status is not Status.STALLED or not can_try(problem):
        return False
    few = problem.contact_rows + problem.joint_rows <= FEW_ROWS
    return few or reach(problem, solution.contact_impulse) > SUSPICIOUS


def is_extreme(problem: ContactProblem, guess: Guess | Solution | None) -> bool:
    """Whether the impulses of an earlier solution show that the usual systems will fail."""
    if guess is None or guess.contact_impulse is None or not can_try(problem):
        return False
    impulse = np.asarray(guess.contact_impulse)
    return reach(problem, impulse) > EXTREME and _cancels(problem, impulse)


def _cancels(problem: ContactProblem, impulse: Array) -> bool:
    """Whether contact impulses nearly cancel on the most loaded bodies: huge ones that do not cancel are simply
    wrong."""
    root = np.sqrt(problem.H.diagonal())
    net, gross = problem.D.T @ impulse / root, abs(problem.D).T @ np.abs(impulse) / root
    return bool(np.linalg.norm(net) < CANCELS * np.linalg.norm(gross))


def solve_extreme(
    problem: ContactProblem,
    form: StandardForm,
    newton: RefinedSystem,
    settings: InteriorPoint,
    monitor: Monitor,
    guess: Array | None,
) -> tuple[Point, Status]:
    """The answer with `newton` on orthogonal rows, and why it ended; `guess` are impulses x of an earlier solution.

    Semismooth steps come first: where contacts keep their state (a stack at rest) one of them is the answer. If they do
    not get there, the central path is followed; without lifts, for impulses must grow by many powers of ten here.
    """
    path = Path(problem, form, newton, replace(settings, lift=0.0))
    nothing = -form.c, np.zeros(form.A.rows)
    tried, verdict = _try_states(path, monitor, _first_point(form, newton, guess) or nothing)
    if verdict is not None:
        return tried, verdict
    begin = cold_start(form, newton, settings.start)
    if begin is None:
        return tried, Status.STALLED
    monitor.start_over()
    point, reason = follow(path.begin(begin), monitor, settings.finish_below)
    return min(point, tried, key=path.error_at), reason


def _first_point(form: StandardForm, newton: RefinedSystem, guess: Array | None) -> Point | None:
    """The point at which contacts have the states of the guess: stick, slide or open.

    Without a guess all contacts stick. Old velocities are not needed, and velocities computed from the impulses are
    useless: they cancel below their round-off.
    """
    nothing, stick = np.zeros(form.A.rows), np.zeros(form.A.rows)
    stick[form.start[:-1]] = 1.0
    x, states = (nothing, stick) if guess is None else (guess, guess)
    return projected_step(form, newton, -form.c, x, states)


def _try_states(path: Path, monitor: Monitor, point: Point) -> tuple[Point, Status | None]:
    """Semismooth steps from `point`; the best iterate, and the reason to stop if there is one."""
    best = point
    for _ in range(MOST_TRIES):
        error = path.error_at(point)
        if not np.isfinite(error):
            break
        if monitor.record(monitor.iterations + 1, error):
            best = point
        verdict = monitor.verdict()
        if verdict is not None:
            return best, verdict
        moved = path.semismooth(point)
        if moved is None:
            break
        point = moved[0]
    return best, None
