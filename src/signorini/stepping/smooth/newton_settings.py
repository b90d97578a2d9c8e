"""Settings of Newton's method for one implicit step."""

from __future__ import annotations

import math
from dataclasses import dataclass

from signorini.problem.errors import SolverError


@dataclass(frozen=True)
class NewtonSettings:
    """When an implicit step counts as solved, and how it is linearised."""

    states: float = 1e-10
    """Largest last correction of a displacement [m, rad] and largest error of a joint [m, rad]."""
    multipliers: float = 1e-8
    """Largest last correction of the joint forces on a body [N, N m]."""
    relative: float = 1e-8
    """The same relative to the largest displacement of the step and to the largest joint force; the larger counts.
    Joint errors have no relative tolerance."""
    max_iterations: int = 30
    """Of full steps; where they do not lead to an answer, as many again with a line search."""
    modified: bool = False
    """Keep the factors of the first iteration through the step, until convergence is slow."""
    geometric: bool = False
    """Add the derivative of the directions of joint forces (by differences) to the matrix: fewer iterations where joint
    forces are large for the step, each of them dearer. The answer is the same."""

    def __post_init__(self) -> None:
        for name in ("states", "multipliers", "relative"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise SolverError(f"{name} is {value}, expected a tolerance > 0 such as 1e-9")
        if self.max_iterations < 1:
            raise SolverError(f"max_iterations is {self.max_iterations}, expected 1 or more")
