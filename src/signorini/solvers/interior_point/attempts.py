"""The attempts of a solve: one ordered list, and the conditions under which each is tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Guess, Solution, Status
from signorini.solvers.base import Monitor, finish, starting_impulses, starting_velocity
from signorini.solvers.cone_newton.lifted_form import Ends
from signorini.solvers.interior_point.dense_path import is_dense, solve_dense
from signorini.solvers.interior_point.extreme import is_extreme, is_suspicious
from signorini.solvers.interior_point.general import solve_on
from signorini.solvers.interior_point.joints_only import is_joints_only, solve_joints
from signorini.solvers.interior_point.system_choice import choose_system

if TYPE_CHECKING:
    from signorini.solvers.interior_point.solver import InteriorPoint

ENOUGH_ITERATIONS = 50
"""Most iterations of a warm start: one that takes longer does not converge."""


@dataclass(eq=False)
class AttemptState:
    """The problem of a solve, and what has been tried."""

    settings: InteriorPoint
    problem: ContactProblem
    guess: Guess | Solution | None
    monitor: Monitor
    solution: Solution | None = None
    """The answer so far."""
    attempts: list[str] = field(default_factory=list)
    """What has been tried, in words."""
    ends: Ends | None = None
    """Ends of intervals that the last attempt included."""
    extreme: bool = False
    """Whether the guess shows extreme ratios of masses."""

    @classmethod
    def of(cls, settings: InteriorPoint, problem: ContactProblem, guess: Guess | Solution | None) -> AttemptState:
        """The state before the first attempt; a guess of a wrong shape raises even if it is not used."""
        monitor = Monitor(settings.tolerance, settings.max_iterations, settings.time_budget, logs=settings.log)
        if guess is not None:
            starting_impulses(problem, guess)
            starting_velocity(problem, guess)
        extreme = settings.system == "auto" and settings.warm_start != "partial" and is_extreme(problem, guess)
        return cls(settings, problem, guess, monitor, extreme=extreme)

    @property
    def is_default(self) -> bool:
        """Whether the specialised loops support all settings."""
        s = self.settings
        auto = s.system == "auto" and s.linear == "auto" and s.start == "robust"
        ours = s.scheme == "predictor-corrector" and s.centring == "step" and not s.keeps_residuals
        return auto and ours and s.step_rule == "common" and s.fraction != "adaptive" and not s.log

    def count_anew(self) -> None:
        """Start a new count of iterations and a new history; the clock keeps running."""
        s = self.settings
        started, tried = self.monitor.started, tuple(self.attempts)
        self.monitor = Monitor(s.tolerance, s.max_iterations, s.time_budget, started, logs=s.log, attempts=tried)


@dataclass(frozen=True)
class Attempt:
    """One way to solve the problem."""

    name: str
    """In `Solution.attempts`."""
    applies: Callable[[AttemptState], bool]
    """Whether to try it, given the result of earlier attempts."""
    run: Callable[[AttemptState], Solution]
    """Its solution, or that of an earlier attempt if that is better."""
    hands_on: Callable[[AttemptState], bool]
    """Whether later attempts are considered after it."""


def solve_by_attempts(settings: InteriorPoint, problem: ContactProblem, guess: Guess | Solution | None) -> Solution:
    """Try the attempts in order until one of them is final."""
    search = AttemptState.of(settings, problem, guess)
    for attempt in ATTEMPTS:
        if attempt.applies(search):
            search.attempts.append(attempt.name)
            search.monitor.attempts = tuple(search.attempts)
            search.solution = attempt.run(search)
            if not attempt.hands_on(search):
                break
    found, attempts = search.solution, tuple(search.attempts)
    assert found is not None
    return found if found.attempts == attempts else replace(found, attempts=attempts)


# --- when ---------------------------------------------------------------------------------------------------------


def _never(search: AttemptState) -> bool:
    return False


def _failed(search: AttemptState) -> bool:
    return search.solution is not None and search.solution.status is not Status.SOLVED


def _is_only_joints(search: AttemptState) -> bool:
    return search.is_default and is_joints_only(search.problem)


def _is_small(search: AttemptState) -> bool:
    return search.is_default and is_dense(search.problem) and not search.extreme


def _starts_extreme(search: AttemptState) -> bool:
    return search.extreme


def _is_open(search: AttemptState) -> bool:
    """Whether the general loop on the usual system may succeed."""
    last = search.solution
    if last is None:
        return True
    if search.extreme:
        return _blames_masses(search)
    # The dense loop has N = D H^-1 D' only, which rounds away information that H and D still hold.
    return not search.problem.is_dual_only and last.status in (Status.STALLED, Status.INFEASIBLE)


def _blames_masses(search: AttemptState) -> bool:
    natural = search.settings.system == "auto" and search.settings.scaling == "natural"
    plain = natural and search.problem.cones.is_plain
    return plain and search.solution is not None and is_suspicious(search.problem, search.solution)


def _wants_orthogonal(search: AttemptState) -> bool:
    return not search.extreme and _blames_masses(search)


def _missed_ends(search: AttemptState) -> bool:
    in_time = search.monitor.elapsed <= search.settings.time_budget
    return in_time and _more_ends(search) is not None


def _more_ends(search: AttemptState) -> Ends | None:
    if search.ends is None or search.solution is None:
        return None
    return search.ends.with_missed(search.problem, search.solution)


def _is_lost(search: AttemptState) -> bool:
    """A guess far from the answer can get stuck at the boundary of the cones; the cold start does not."""
    warm = search.solution
    if search.guess is None or warm is None or not search.settings.time_budget > warm.seconds:
        return False
    late = warm.status is Status.ITERATION_LIMIT and warm.iterations >= ENOUGH_ITERATIONS
    return late or warm.status is Status.STALLED


# --- what ---------------------------------------------------------------------------------------------------------


def _by_singular_values(search: AttemptState) -> Solution:
    velocity, joint_impulse, reason = solve_joints(search.problem)
    search.monitor.record(1, 0.0)
    return finish(
        search.problem, search.settings.name, search.monitor, reason,
        np.zeros(0), joint_impulse, velocity, "singular values, dense",
    )  # fmt: skip


def _by_dense_loop(search: AttemptState) -> Solution:
    problem, guess, settings = search.problem, search.guess, search.settings
    known = guess is not None and guess.contact_impulse is not None and settings.warm_start != "partial"
    start = starting_impulses(problem, guess)[0] if known else None
    impulse, reason = solve_dense(problem, settings, search.monitor, start)
    return finish(problem, settings.name, search.monitor, reason, impulse, np.zeros(0), detail="compiled loop, dense")


def _on_usual_system(search: AttemptState) -> Solution:
    name = choose_system(search.settings, search.problem)
    if search.extreme:
        return _another(search, name)
    search.count_anew()
    search.ends = None if search.problem.cones.is_plain else Ends.near(search.problem)
    return solve_on(name, search.settings, search.problem, search.guess, search.monitor, ends=search.ends)


def _on_orthogonal_rows(search: AttemptState) -> Solution:
    return _another(search, "orthogonal")


def _another(search: AttemptState, name: str) -> Solution:
    """The same on another system, the iterations of the previous one included; the better solution."""
    before = search.solution
    search.monitor.start_over()
    after = solve_on(name, search.settings, search.problem, search.guess, search.monitor, search.extreme)
    if before is None or after.status.ok or after.certificate.error <= before.certificate.error:
        return after
    return replace(before, iterations=after.iterations, seconds=after.seconds, history=after.history)


def _with_more_ends(search: AttemptState) -> Solution:
    """Include the ends of intervals that the impulses exceed, until none is missing."""
    best, name = search.solution, choose_system(search.settings, search.problem)
    assert best is not None
    while _missed_ends(search):
        search.ends = _more_ends(search)
        search.count_anew()
        search.solution = solve_on(
            name, search.settings, search.problem, search.guess, search.monitor, ends=search.ends
        )
        if not best.certificate.error < search.solution.certificate.error:
            best = search.solution
    return best


def _from_cold_start(search: AttemptState) -> Solution:
    """All of this again without the guess."""
    warm = search.solution
    assert warm is not None
    settings = replace(search.settings, time_budget=search.settings.time_budget - warm.seconds)
    cold = solve_by_attempts(settings, search.problem, None)
    search.attempts.extend(cold.attempts)
    best = cold if cold.certificate.error < warm.certificate.error else warm
    return replace(best, iterations=warm.iterations + cold.iterations, seconds=warm.seconds + cold.seconds)


ATTEMPTS = (
    Attempt("singular values", applies=_is_only_joints, run=_by_singular_values, hands_on=_never),
    Attempt("dense loop", applies=_is_small, run=_by_dense_loop, hands_on=_failed),
    Attempt("orthogonal rows", applies=_starts_extreme, run=_on_orthogonal_rows, hands_on=_failed),
    Attempt("usual system", applies=_is_open, run=_on_usual_system, hands_on=_failed),
    Attempt("orthogonal rows", applies=_wants_orthogonal, run=_on_orthogonal_rows, hands_on=_failed),
    Attempt("more ends of intervals", applies=_missed_ends, run=_with_more_ends, hands_on=_failed),
    Attempt("cold start", applies=_is_lost, run=_from_cold_start, hands_on=_never),
)
"""In this order. Each is tried if it applies; a final one ends the list."""
