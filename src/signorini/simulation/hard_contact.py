"""What the drivers of steps with hard contact share: the solver, its fallback chain, and what to do after failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from signorini.model.model import Model
from signorini.problem.certificate import Law
from signorini.problem.contact_problem import ContactProblem
from signorini.problem.solution import Solution
from signorini.simulation.failure_policy import FailurePolicy, OnFailure
from signorini.simulation.fallback import Fallback
from signorini.simulation.relaxation_watch import RelaxationWatch
from signorini.simulation.settings import describe
from signorini.simulation.threads import ThreadCount
from signorini.solvers.base import Solver
from signorini.stepping.rigid_contact import StepSettings
from signorini.stepping.step import DviStep

S = TypeVar("S", bound=DviStep)


@dataclass(frozen=True, eq=False)
class HardContact:
    """Takes steps with the chosen solver."""

    solver: Solver
    """That was chosen."""
    fallback: Fallback | None
    """The fallback chain that begins with it, used in its place if the user chose one."""
    policy: FailurePolicy
    law: Law
    watch: RelaxationWatch | None
    """Of the convex law, which is wrong in places; None for the exact law."""
    threads: int | None
    """As in `ThreadCount`."""

    @classmethod
    def of(
        cls, model: Model, solver: Solver, law: Law, on_failure: OnFailure,
        explain: Callable[[ContactProblem, Solution], str], threads: int | None,
    ) -> Self:  # fmt: skip
        """For the steps of a model; `explain` says more about a failed problem."""
        policy = FailurePolicy(on_failure, explain, model)
        fallback = Fallback.after(solver, law) if on_failure == "fallback" else None
        return cls(solver, fallback, policy, law, RelaxationWatch(model) if law == "convex" else None, threads)

    def take(self, step: Callable[[Solver], S]) -> S:
        """A step by the solver or its chain; raises or warns as the user chose."""
        with ThreadCount(self.threads):
            taken = step(self.fallback or self.solver)
        self.policy.apply(taken)
        if self.watch is not None:
            self.watch.check(taken)
        return taken

    def settings(self, common: StepSettings, integrator: dict[str, Any]) -> dict[str, Any]:
        """Ready for JSON."""
        speed = common.max_recovery_speed
        return {
            "step": common.h,
            "integrator": integrator,
            "solver": describe(self.solver),
            "law": self.law,
            "on_failure": self.policy.on_failure,
            "fallbacks": [describe(solver) for solver in (self.fallback.solvers[1:] if self.fallback else ())],
            "warm_start": common.warm_start,
            "max_recovery_speed": speed if math.isfinite(speed) else None,
            "contact": None,
        }
