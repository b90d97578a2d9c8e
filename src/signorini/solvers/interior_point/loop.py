"""The outer loop: record, test, try to finish, step. It is independent of how a step is made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol, TypeVar

from signorini.problem.solution import Status
from signorini.solvers.base import Monitor
from signorini.solvers.cone_newton.rules import (
    DETOUR,
    FINISH_AGAIN,
    FINISH_EARLY,
    FINISH_GAIN,
    NEAR_ANSWER,
    NOT_FAR,
    SETTLE_BELOW,
    SLOW,
)

Point = TypeVar("Point")


class Engine(Protocol[Point]):
    """An iterate inside the cones, and its steps."""

    def here(self) -> Point:
        """A copy of the present iterate."""

    def error(self) -> float:
        """Estimate of `Certificate.error` at the present iterate."""

    def notes(self) -> Mapping[str, float]:
        """Log entries of the present iterate and of the step that led there."""

    def error_at(self, point: Point) -> float:
        """The same estimate at any point; does not move the iterate."""

    def refute(self, best: Point) -> Point | None:
        """The point to return if the present iterate proves that the constraints contradict one another, else None."""

    def step(self, error: float) -> bool:
        """One interior step; False when none is possible."""

    @property
    def settled(self) -> bool:
        """Whether there is no friction and the last step was nearly full, and so was its predictor."""

    def leap(self) -> tuple[Point, float] | None:
        """The point at twice the last step, with its error; None where that does not help.

        A contact that neither pushes nor parts halves its impulse and its slip in every step: twice the step ends both.
        """

    def settle(self) -> tuple[Point, float] | None:
        """A semismooth step from the present iterate in which undecided contacts count as open.

        A degenerate contact, with neither impulse nor slip, may count as either, but redundant closed contacts make the
        system singular.
        """

    def semismooth(self, point: Point) -> tuple[Point, float] | None:
        """One semismooth Newton step on `x = P(x - slip)` from `point`, with its error; None when it fails."""


def follow(
    engine: Engine[Point], monitor: Monitor, finish_below: float, guess: Point | None = None
) -> tuple[Point, Status]:
    """Iterate until the tolerance, a limit or stagnation; the best point and the reason to stop.

    A `guess` with a small error is tried first, unchanged: bodies at rest need no interior point.
    """
    best, verdict = engine.here(), None
    finish_early = FINISH_EARLY if finish_below > 0.0 else 0.0
    if guess is not None and finish_below > 0.0:
        best, verdict = _from_guess(engine, monitor, guess)
        if verdict is not None:
            return best, verdict
    iteration = monitor.iterations
    last = math.inf
    while True:
        error = engine.error()
        # Full steps that gain little: degenerate contacts halve impulse and slip in every step, without end.
        degenerate = engine.settled and error > SLOW * last
        leapt = engine.leap() if degenerate and finish_early > 0.0 else None
        if leapt is not None and leapt[1] <= monitor.tolerance:
            monitor.record(iteration, leapt[1])
            return leapt[0], Status.SOLVED
        last = error
        improved = monitor.record(iteration, error, engine.notes)
        if improved:
            best = engine.here()
        verdict = monitor.verdict()
        if verdict is not None:
            return best, verdict
        refuted = engine.refute(best)
        if refuted is not None:
            return refuted, Status.INFEASIBLE
        iteration += 1
        if improved and (error < finish_below or (degenerate and error < finish_early)):
            moved = engine.settle() if degenerate and error < SETTLE_BELOW else engine.semismooth(best)
            best, verdict = _finish(engine, monitor, best, iteration, error, moved)
            if verdict is not None:
                return best, verdict
            finish_below, finish_early = min(finish_below, FINISH_AGAIN * error), FINISH_AGAIN * error
            iteration = monitor.iterations + 1
        if not engine.step(error):
            return best, Status.STALLED


def _from_guess(engine: Engine[Point], monitor: Monitor, guess: Point) -> tuple[Point, Status | None]:
    """A guess with a small error, unchanged or after semismooth steps; else the present iterate."""
    error = engine.error_at(guess)
    if error >= NEAR_ANSWER:
        return engine.here(), None
    monitor.record(monitor.iterations, error)
    verdict = monitor.verdict()
    if verdict is not None:
        return guess, verdict
    return _finish(engine, monitor, guess, monitor.iterations + 1, error, engine.semismooth(guess))


def _finish(
    engine: Engine[Point],
    monitor: Monitor,
    point: Point,
    iteration: int,
    error: float,
    moved: tuple[Point, float] | None,
) -> tuple[Point, Status | None]:
    """Semismooth Newton steps while they contract: once the contacts have settled on stick, slip or release, one step
    ends what the central path needs many for. Each counts as an iteration.

    The first step, to `moved`, may raise the error a little: it settles the last undecided contacts, and the second one
    then converges. Returns the best point and the reason to stop, None when the interior path has to go on.
    """
    best, best_error = point, error
    detour = 0
    while True:
        contracts = moved is not None and moved[1] < FINISH_GAIN * error
        improved = moved is not None and moved[1] < FINISH_GAIN * best_error
        if moved is None or not (
            improved or (moved[1] < NOT_FAR * best_error and (detour == 0 or contracts) and detour < DETOUR)
        ):
            monitor.record(iteration, best_error)
            return best, monitor.verdict()
        point, error = moved
        if improved:
            best, best_error = moved
        else:
            detour += 1
        monitor.record(iteration, best_error)
        verdict = monitor.verdict()
        if verdict is not None:
            return best, verdict
        iteration += 1
        moved = engine.semismooth(point)
