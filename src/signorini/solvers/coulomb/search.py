"""The best iterate so far, the clock and the count of outer iterations, shared by all phases of a solve."""

from __future__ import annotations

import math
from dataclasses import dataclass

from signorini.math.sparse import Array
from signorini.problem.certificate import measure
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution, Status
from signorini.solvers.base import Monitor


@dataclass(frozen=True, eq=False)
class Iterate:
    """Impulses, and the velocities of the solver that found them where they are known better than from the impulses."""

    contact_impulse: Array
    joint_impulse: Array
    velocity: Array | None = None

    @classmethod
    def of(cls, solution: Solution) -> Iterate:
        """The answer of a convex solver."""
        return cls(solution.contact_impulse.copy(), solution.joint_impulse.copy(), solution.velocity.copy())


@dataclass
class Budget:
    """Factorisations of one solve, shared by all its ways."""

    limit: int
    spent: int = 0

    @property
    def left(self) -> int:
        """How many may still be made."""
        return max(self.limit - self.spent, 0)


class Search:
    """Keeps what is best and says when to stop. Every convex solve and every Newton step is one outer iteration."""

    def __init__(
        self, problem: ContactProblem, monitor: Monitor, budget: Budget, start: Iterate, accepted: float
    ) -> None:
        self._problem, self._monitor, self.budget = problem, monitor, budget
        self.accepted = accepted
        """Error from which a problem counts as solved; `tolerance` is what every way aims at."""
        self.best = start
        self.error = math.inf
        """Of the best: its `Certificate.error` by the exact law, or an estimate of it."""

    @property
    def tolerance(self) -> float:
        """What every way aims at."""
        return self._monitor.tolerance

    def measure(self, iterate: Iterate) -> float:
        """The error of an iterate, from the certificate."""
        lam, gamma, v = iterate.contact_impulse, iterate.joint_impulse, iterate.velocity
        v = self._problem.velocity_of(lam, gamma) if v is None else v
        return measure(self._problem, v, lam, gamma, law="coulomb").error

    def see(self, iterate: Iterate, error: float, counts: bool = True) -> Status | None:
        """Record the result of one more outer iteration, or a guess, which `counts` for none; a reason to stop."""
        if error < self.error:
            self.best, self.error = iterate, error
        # A step that leads to no finite numbers has failed; the search goes on from the best.
        self._monitor.record(self._monitor.iterations + int(counts), error if math.isfinite(error) else self.error)
        verdict = self._monitor.verdict()
        return Status.ITERATION_LIMIT if verdict is None and self.budget.left == 0 else verdict
