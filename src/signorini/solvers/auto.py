"""Settings of a solver that the simulation picks itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from signorini.problem.errors import SolverError


@dataclass(frozen=True)
class Auto:
    """Let the simulation pick its solver: `Simulation(model, solver=Auto(tolerance=1e-4))`, or just `solver="auto"`.

    `Simulation.settings`, `Run.summary` and `signorini run --profile` report what was picked and why.
    """

    tolerance: float | None = None
    """Largest error of a solved step; None for that of the solver that is picked."""
    max_iterations: int | None = None
    """Most iterations per step; None for those of the solver that is picked."""

    def __post_init__(self) -> None:
        if self.tolerance is not None and not 0.0 < self.tolerance < 1.0:
            raise SolverError(f"tolerance is {self.tolerance}, expected a number between 0 and 1")
        if self.max_iterations is not None and self.max_iterations < 1:
            raise SolverError(f"max_iterations is {self.max_iterations}, expected 1 or more")

    @property
    def given(self) -> dict[str, Any]:
        """The settings that are not None."""
        known = {"tolerance": self.tolerance, "max_iterations": self.max_iterations}
        return {name: value for name, value in known.items() if value is not None}
