"""The outer loop: record, judge, try to finish, step. It knows nothing of how a step is made."""

from __future__ import annotations

from typing import Protocol, TypeVar

from signorini.kernels.path_rules import FINISH_AGAIN, FINISH_GAIN
from signorini.problem.solution import Status
from signorini.solvers.base import Monitor

Point = TypeVar("Point")


class Engine(Protocol[Point]):
    """An iterate inside the cones that can move."""

    def here(self) -> Point:
        """A copy of the present iterate."""

    def error(self) -> float:
        """Estimate of `Certificate.error` at the present iterate."""

    def refute(self, best: Point) -> Point | None:
        """The point to return if the present iterate proves that the constraints contradict one another, else None."""

    def step(self, error: float) -> bool:
        """One interior step; False when none is possible."""

    def semismooth(self, point: Point) -> tuple[Point, float] | None:
        """One semismooth Newton step on `x = P(x - slip)` from `point`, with its error; None when it fails."""


def follow(engine: Engine[Point], monitor: Monitor, finish_below: float) -> tuple[Point, Status]:
    """Iterate until the tolerance, a limit or a dead end; the best point and the reason to stop."""
    best = engine.here()
    iteration = monitor.iterations
    while True:
        error = engine.error()
        ahead = monitor.record(iteration, error)
        if ahead:
            best = engine.here()
        verdict = monitor.verdict()
        if verdict is not None:
            return best, verdict
        refuted = engine.refute(best)
        if refuted is not None:
            return refuted, Status.INFEASIBLE
        iteration += 1
        if ahead and error < finish_below:
            best, verdict = _finish(engine, monitor, best, iteration, error)
            if verdict is not None:
                return best, verdict
            finish_below = FINISH_AGAIN * error
            iteration = monitor.iterations + 1
        if not engine.step(error):
            return best, Status.STALLED


def _finish(
    engine: Engine[Point], monitor: Monitor, point: Point, iteration: int, error: float
) -> tuple[Point, Status | None]:
    """Semismooth Newton steps while they contract: once the contacts have settled on stick, slip or release, one step
    ends what the central path needs many for. Each counts as an iteration.

    Returns the best point and the verdict, None when the interior path has to go on.
    """
    while True:
        moved = engine.semismooth(point)
        if moved is None or not moved[1] < FINISH_GAIN * error:
            monitor.record(iteration, error)
            return point, monitor.verdict()
        point, error = moved
        monitor.record(iteration, error)
        verdict = monitor.verdict()
        if verdict is not None:
            return point, verdict
        iteration += 1
