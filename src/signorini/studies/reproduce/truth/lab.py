"""Where the cases run: one time step, one law, and a tally of the steps that missed their tolerance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from signorini.model.model import Model
from signorini.problem.certificate import Law
from signorini.problem.solution import Status
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation, Stop
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha
from signorini.stepping.smooth.scheme import Integrator


@dataclass(frozen=True)
class Failure:
    """One step that missed the tolerance."""

    step: int
    """Number of the step in its run, from 1."""
    status: str
    residual: float
    """Scaled error of the certificate [-]."""
    contacts: int


@dataclass
class Lab:
    """Runs scenes with one step size and one law, everything else as a user gets it by default."""

    h: float
    """Time step [s]."""
    law: Law | None = None
    """None: the default of `Simulation`."""
    hard: NonsmoothAlpha | str = "dvi"
    """Integrator of scenes with hard contact."""
    steps: int = 0
    """Taken so far, in all runs."""
    failures: list[Failure] = field(default_factory=list)

    def run(
        self,
        model: Model,
        duration: float,
        integrator: Integrator | str = "dvi",
        stop: Stop | None = None,
        h: float | None = None,
    ) -> Run:
        """Simulate for a time [s], with hard contact or with an integrator of smooth dynamics."""
        chosen: dict[str, Any] = {} if self.law is None else {"law": self.law}
        used = self.hard if integrator == "dvi" else integrator
        run = Simulation(model, step=h or self.h, integrator=used, **chosen).run(duration, stop=stop)
        rows, statuses = run.diagnostics, run.statuses
        self.steps += len(rows)
        self.failures += [
            Failure(k + 1, status.name, float(rows["residual"][k]), int(rows["contacts"][k]))
            for k, status in enumerate(statuses)
            if status is not Status.SOLVED
        ]
        return run

    def failed(self) -> str:
        """The failures in words; empty when there is none."""
        if not self.failures:
            return ""
        kinds = ", ".join(f"{n} {name}" for name, n in Counter(f.status for f in self.failures).items())
        worst = max(f.residual for f in self.failures)
        return f"{kinds} of {self.steps} steps, first at {self.failures[0].step}, worst {worst:.1e}"
