"""Newmark's family."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import SolverError
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.scheme import Before, Scheme
from signorini.stepping.smooth.step_size import StepSize


@dataclass(frozen=True)
class Newmark:
    """`s = h v0 + h^2/2 ((1 - 2 beta) a0 + 2 beta a1)`, `v1 = v0 + h ((1 - gamma) a0 + gamma a1)`.

    Second order for gamma = 1/2 alone, without numerical damping (`beta = 1/4` is the trapezoidal rule); damped and of
    first order for gamma > 1/2. Unconditionally stable for `beta >= (gamma + 1/2)^2 / 4`.
    """

    lag: ClassVar[float] = 0.0
    projection: ClassVar[bool] = False
    name: ClassVar[str] = "newmark"
    error_order: ClassVar[int] = 3

    gamma: float = 0.6
    beta: float = 0.3025
    newton: NewtonSettings = field(default_factory=NewtonSettings)
    step_size: StepSize | None = None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.gamma) and self.gamma >= 0.5):
            raise SolverError(f"gamma is {self.gamma}, expected 1/2 or more: below it the motion gains energy")
        if not (math.isfinite(self.beta) and self.beta > 0):
            raise SolverError(f"beta is {self.beta}, expected a number > 0 such as 0.25: the step is implicit")
        if self.beta < 0.25 * (self.gamma + 0.5) ** 2 - 1e-12:
            least = 0.25 * (self.gamma + 0.5) ** 2
            raise SolverError(f"beta is {self.beta}, expected at least (gamma + 1/2)^2/4 = {least:g}, or steps blow up")

    def scheme(self, h: float, before: Before) -> Scheme:
        """One step of h [s]."""
        v, a = before.velocity, before.acceleration
        displacement = h * v + (0.5 - self.beta) * h * h * a
        velocity = v + (1.0 - self.gamma) * h * a
        return Scheme(displacement, self.beta * h * h, velocity, self.gamma * h, 1.0, np.zeros_like(v))

    def local_error(self, h: float, before: Before, acceleration: Array) -> Array:
        """`(|beta - 1/6| + |gamma - 1/2|) h^2 (a1 - a0)`.

        s exceeds the true displacement by `(beta - 1/6) h^3 x'''`, v1 the true velocity by `(gamma - 1/2) h^2 x'''`.
        The latter counts by what it displaces in a step of the same length.
        """
        constant = abs(self.beta - 1.0 / 6.0) + abs(self.gamma - 0.5)
        return np.asarray(constant * h * h * (acceleration - before.acceleration))
