"""What all solvers share: the protocol, the monitor that records and limits a loop, and the exit through the
certificate."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.certificate import Law, measure
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.errors import ProblemError, SolverError
from signorini.problem.solution import Guess, History, Solution, Status


class Solver(Protocol):
    """A solver is a frozen dataclass of its settings with one method."""

    name: ClassVar[str]

    def solve(self, problem: ContactProblem, guess: Guess | Solution | None = None) -> Solution:
        """Solve `problem`, starting from `guess`; a failed solve returns a `Status`, it does not raise."""


Notes = Callable[[], Mapping[str, float]]
"""Further quantities of an iterate, evaluated only when a log is kept."""


@dataclass
class Monitor:
    """Watches one solve: history, best residual, limits. The only mutable helper of a solver loop."""

    tolerance: float
    max_iterations: int
    time_budget: float
    started: float = field(default_factory=time.perf_counter)
    iterations: int = 0
    best_residual: float = math.inf
    logs: bool = False
    """Whether notes are kept."""
    attempts: tuple[str, ...] = ()
    """What has been tried, in words."""
    _history: list[tuple[int, float, float]] = field(default_factory=list)
    _notes: list[Mapping[str, float]] = field(default_factory=list)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    @property
    def is_blank(self) -> bool:
        """Whether nothing has been recorded."""
        return not self._history

    def record(self, iterations: int, residual: float, notes: Notes | None = None) -> bool:
        """Note the residual after `iterations`; True when it is the best so far (then keep the iterate)."""
        self.iterations = iterations
        if self.logs:
            self._notes.append({} if notes is None else notes())
        self._history.append((iterations, residual, self.elapsed))
        if residual < self.best_residual:
            self.best_residual = residual
            return True
        return False

    def start_over(self) -> None:
        """Forget the best residual before another attempt; iterations, history and limits go on."""
        self.best_residual = math.inf

    def verdict(self) -> Status | None:
        """A reason to stop, judged on the last record, or None to go on."""
        last = self._history[-1][1] if self._history else math.inf
        if last <= self.tolerance:
            return Status.SOLVED
        if self._history and not math.isfinite(last):
            return Status.DIVERGED
        if self.iterations >= self.max_iterations:
            return Status.ITERATION_LIMIT
        if self.elapsed > self.time_budget:
            return Status.TIME_LIMIT
        return None

    def history(self) -> History:
        """What was recorded."""
        columns = np.array(self._history, dtype=np.float64).reshape(-1, 3)
        if not self._notes:
            return History(columns[:, 0], columns[:, 1], columns[:, 2])
        names = dict.fromkeys(name for notes in self._notes for name in notes)
        log = {name: np.array([notes.get(name, math.nan) for notes in self._notes]) for name in names}
        return History(columns[:, 0], columns[:, 1], columns[:, 2], log)


def check_settings(tolerance: float, max_iterations: int, time_budget: float) -> None:
    """Raise `SolverError` for limits that make no sense; called by every solver's `__post_init__`."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise SolverError(f"tolerance is {tolerance}, expected a number > 0 such as 1e-8")
    if max_iterations < 1:
        raise SolverError(f"max_iterations is {max_iterations}, expected 1 or more")
    if not time_budget > 0:
        raise SolverError(f"time_budget is {time_budget} s, expected more than 0 (math.inf for no limit)")


def starting_impulses(
    problem: ContactProblem, guess: Guess | Solution | None, copied: bool = True
) -> tuple[Array, Array]:
    """The guessed (lambda, gamma), `copied` for solvers that change them, zero without a guess; raises on a wrong
    shape."""
    lam = _part(guess, "contact_impulse", problem.contact_rows, copied)
    gamma = _part(guess, "joint_impulse", problem.joint_rows, copied)
    return (
        np.zeros(problem.contact_rows) if lam is None else lam,
        np.zeros(problem.joint_rows) if gamma is None else gamma,
    )


def starting_velocity(problem: ContactProblem, guess: Guess | Solution | None) -> Array | None:
    """A copy of the guessed velocity, or None."""
    return _part(guess, "velocity", problem.velocities)


def _part(guess: Guess | Solution | None, name: str, size: int, copied: bool = True) -> Array | None:
    value = None if guess is None else getattr(guess, name)
    if value is None or (size == 0 and len(value) == 0):
        return None
    # Loops are compiled for writable arrays, so read-only ones are always copied.
    vector = np.array(value, dtype=np.float64, copy=copied or not value.flags.writeable or None).reshape(-1)
    if len(vector) != size:
        raise ProblemError(f"the guess has {len(vector)} entries in {name}, expected {size}")
    # A finite sum has finite terms; only an infinite or NaN sum needs a check of every term.
    if not (math.isfinite(vector.sum()) or np.all(np.isfinite(vector))):
        raise ProblemError(f"the guess holds entries in {name} that are not finite numbers")
    return vector


def finish(
    problem: ContactProblem,
    solver: str,
    monitor: Monitor,
    reason: Status,
    contact_impulse: Array,
    joint_impulse: Array,
    velocity: Array | None = None,
    detail: str = "",
    law: Law = "convex",
) -> Solution:
    """Measure the certificate of the iterate and build the `Solution`.

    The certificate decides the status: SOLVED only if it meets the tolerance, regardless of the solver's own estimate.
    Without a `velocity` it is computed from the impulses. A loop that never evaluated its error records that of the
    certificate.
    """
    for vector in (velocity, contact_impulse, joint_impulse):
        if vector is not None:
            vector.flags.writeable = False
    certificate = measure(problem, velocity, contact_impulse, joint_impulse, law)
    if monitor.is_blank:
        monitor.record(monitor.iterations, certificate.error)
        reason = reason if math.isfinite(certificate.error) else Status.DIVERGED
    solved = certificate.error <= monitor.tolerance
    status = Status.SOLVED if solved else (Status.STALLED if reason is Status.SOLVED else reason)
    return Solution(
        velocity=certificate.answer.velocity,
        contact_impulse=contact_impulse,
        joint_impulse=joint_impulse,
        iterations=monitor.iterations,
        status=status,
        seconds=monitor.elapsed,
        history=monitor.history(),
        certificate=certificate,
        solver=solver,
        detail=detail,
        attempts=monitor.attempts,
    )
