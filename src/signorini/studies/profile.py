"""Performance profiles [Dolan2002]: how often a solver is within a factor of the fastest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.sparse import Array
from signorini.problem.errors import ProblemError


@dataclass(frozen=True, eq=False)
class Profile:
    """rho_s(tau): the share of problems that solver s solves within tau times the best time on that problem."""

    ratios: Mapping[str, Array]
    """Solver -> time over the best time on each problem, infinite where it failed, ascending, shape (problems,)."""

    def share(self, solver: str, tau: ArrayLike) -> Array:
        """rho of `solver` at `tau` [-]; infinity asks for the share that is solved at all."""
        ratios = self.ratios[solver]
        finite = ratios[np.isfinite(ratios)]
        counts = np.searchsorted(finite, np.asarray(tau, dtype=np.float64), side="right")
        return np.asarray(counts / max(len(ratios), 1))

    @property
    def largest_ratio(self) -> float:
        """The largest finite ratio, 1 if there is none."""
        finite = [r[np.isfinite(r)] for r in self.ratios.values()]
        return float(max((f.max(initial=1.0) for f in finite), default=1.0))


def performance_profile(seconds: Mapping[str, Sequence[float]]) -> Profile:
    """The profile of solvers from their times on the same list of problems.

    Parameters
    ----------
    seconds
        Solver -> time on each problem, infinite where it failed. A problem that no solver solves stays in the count.
    """
    problems = {len(times) for times in seconds.values()}
    if len(problems) > 1:
        counts = ", ".join(f"{solver} has {len(times)}" for solver, times in seconds.items())
        raise ProblemError(f"solvers have times for different numbers of problems ({counts}), expected the same list")
    table = np.array([list(times) for times in seconds.values()], dtype=np.float64)
    table = table.reshape(len(seconds), max(problems, default=0))
    table[~(table >= 0)] = np.inf
    best = table.min(axis=0, initial=np.inf)
    # inf / inf and 0 / 0 are no numbers: a failure stays infinite, the fastest is within a factor 1.
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(np.isinf(table), np.inf, np.where(table == best, 1.0, table / best))
    return Profile({solver: np.sort(ratios[k]) for k, solver in enumerate(seconds)})
