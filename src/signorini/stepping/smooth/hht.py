"""The method of Hilber, Hughes and Taylor."""

from __future__ import annotations

import math
import warnings
from dataclasses import InitVar, dataclass, field
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array
from signorini.problem.errors import SolverError
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.scheme import Before, Scheme
from signorini.stepping.smooth.step_size import StepSize


@dataclass(frozen=True)
class HHT:
    """Newmark's formulas with `gamma = 1/2 - alpha`, `beta = (1 - alpha)^2 / 4`, and forces taken at two times::

        M a1 = (1 + alpha) (f + C' lambda)1 - alpha (f + C' lambda)0        [ChronoSlides003]

    Second order, with numerical damping of what the step cannot resolve: none at alpha = 0, most at alpha = -1/3. Its a
    is an acceleration near `t + alpha h`; the lag is kept when the step changes, and it is there from the first step.
    """

    name: ClassVar[str] = "hht"
    error_order: ClassVar[int] = 3

    alpha: float = -0.2
    newton: NewtonSettings = field(default_factory=NewtonSettings)
    step_size: StepSize | None = None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""
    projection: bool = False
    """With alpha = 0: after each step velocities are projected on what the joints allow, and accelerations and joint
    forces are those of the state there. This removes the oscillations of an undamped rule, for one or two more linear
    solves per step."""
    control: InitVar[StepSize | None] = None
    """Former name of `step_size`."""

    def __post_init__(self, control: StepSize | None) -> None:
        if control is not None:
            warnings.warn("HHT(control=...) is now HHT(step_size=...)", DeprecationWarning, stacklevel=3)
            object.__setattr__(self, "step_size", control)
        if not (math.isfinite(self.alpha) and -1.0 / 3.0 - 1e-12 <= self.alpha <= 0.0):
            raise SolverError(f"alpha is {self.alpha}, expected a number from -1/3 (most damping) to 0 (none)")
        if self.projection and self.alpha != 0.0:
            raise SolverError(f"projection is for alpha = 0, where nothing damps joint forces, not for {self.alpha}")

    @property
    def lag(self) -> float:
        """Of its accelerations, in steps."""
        return self.alpha

    @property
    def gamma(self) -> float:
        """Of Newmark's formulas."""
        return 0.5 - self.alpha

    @property
    def beta(self) -> float:
        """Of Newmark's formulas."""
        return 0.25 * (1.0 - self.alpha) ** 2

    def lagged(self, h: float, before: Before) -> Before:
        """The accelerations that a step of h carries on from: their lag is alpha h, not that of the last step."""
        share = h / before.step if before.step > 0 else 0.0
        a = before.rate + share * (before.acceleration - before.rate)
        return Before(before.velocity, a, before.rate, before.effort, h)

    def scheme(self, h: float, before: Before) -> Scheme:
        """One step of h [s]."""
        now = self.lagged(h, before) if before.step != h else before
        v, a = now.velocity, now.acceleration
        displacement = h * v + (0.5 - self.beta) * h * h * a
        velocity = v + (1.0 - self.gamma) * h * a
        bs, bv = self.beta * h * h, self.gamma * h
        return Scheme(displacement, bs, velocity, bv, 1.0 + self.alpha, -self.alpha * before.effort)

    def local_error(self, h: float, before: Before, acceleration: Array) -> Array:
        """`(1/12 + alpha^2/4) h^2 (a1 - a0)`.

        With `a0 = x'' + alpha h x'''` and `a1 = x'' + (1 + alpha) h x'''`, s exceeds the true displacement by
        `h^3 x''' (alpha/2 + beta - 1/6)`, which is `1/12 + alpha^2/4` times `h^3 x'''`.
        """
        constant = 1.0 / 12.0 + 0.25 * self.alpha**2
        return np.asarray(constant * h * h * (acceleration - self.lagged(h, before).acceleration))
