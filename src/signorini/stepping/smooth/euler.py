"""Implicit Euler."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.scheme import Before, Scheme
from signorini.stepping.smooth.step_size import StepSize


@dataclass(frozen=True)
class ImplicitEuler:
    """`v1 = v0 + h a1`, `s = h v1`, `M a1 = (f + C' lambda)1`: first order, strong numerical damping.

    Its first Newton iteration from the state before the step is the linearised implicit Euler of the DVI stepper.
    """

    lag: ClassVar[float] = 0.0
    projection: ClassVar[bool] = False
    name: ClassVar[str] = "implicit-euler"
    error_order: ClassVar[int] = 2

    newton: NewtonSettings = field(default_factory=NewtonSettings)
    step_size: StepSize | None = None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""

    def scheme(self, h: float, before: Before) -> Scheme:
        """One step of h [s]."""
        v = before.velocity
        return Scheme(h * v, h * h, v, h, 1.0, np.zeros_like(v))

    def local_error(self, h: float, before: Before, acceleration: Array) -> Array:
        """`h^2/2 a1`: the difference to the mean of the velocities before and after, `h/2 (v1 - v0)`."""
        return np.asarray(0.5 * h * h * acceleration)
