"""Compare solvers on a set of problems: how many they solve, how well, how fast."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from signorini.studies.attempt import CRASHED, REFUSED, Attempt
from signorini.studies.profile import Profile, performance_profile

LEVELS = (1e-4, 1e-6, 1e-8)
"""Scaled errors at which the share of solved problems is told."""


@dataclass(frozen=True)
class Summary:
    """One solver over all problems."""

    solver: str
    problems: int
    shares: tuple[float, ...]
    """Share of the problems whose scaled error is at most each of `LEVELS` [-]."""
    iterations_median: float | None
    """Over the answered problems, solved or not; None if there are none."""
    iterations_max: int | None
    seconds_median: float | None
    """[s], over the answered problems."""
    seconds_total: float
    """[s]."""
    refused: int
    crashed: int


def summarise(attempts: Iterable[Attempt]) -> list[Summary]:
    """One summary per solver, in order of appearance."""
    return [_summary(solver, mine) for solver, mine in _by_solver(attempts).items()]


def _summary(solver: str, mine: Sequence[Attempt]) -> Summary:
    answered = [a for a in mine if a.solution is not None]
    iterations = [a.solution.iterations for a in answered if a.solution is not None]
    seconds = [a.seconds for a in answered]
    return Summary(
        solver=solver,
        problems=len(mine),
        shares=tuple(sum(a.scaled <= level for a in mine) / len(mine) for level in LEVELS),
        iterations_median=statistics.median(iterations) if answered else None,
        iterations_max=max(iterations) if answered else None,
        seconds_median=statistics.median(seconds) if answered else None,
        seconds_total=math.fsum(seconds),
        refused=sum(a.outcome == REFUSED for a in mine),
        crashed=sum(a.outcome == CRASHED for a in mine),
    )


def profile_of(attempts: Iterable[Attempt], level: float) -> Profile:
    """The performance profile, where solved means a scaled error of at most `level`."""
    return performance_profile(
        {
            solver: [a.seconds if a.scaled <= level else math.inf for a in mine]
            for solver, mine in _by_solver(attempts).items()
        }
    )


def _by_solver(attempts: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(attempt.solver, []).append(attempt)
    return groups
