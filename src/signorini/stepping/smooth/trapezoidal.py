"""The trapezoidal rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.scheme import Before, Scheme
from signorini.stepping.smooth.step_size import StepSize


@dataclass(frozen=True)
class Trapezoidal:
    """`v1 = v0 + h/2 (a0 + a1)`, `s = h/2 (v0 + v1)`, `M a1 = (f + C' lambda)1`: second order, no numerical damping.

    With joints nothing damps the oscillation of the multipliers from step to step, which grows from round-off or from
    inconsistent initial values: use it without joints, or take `HHT`.
    """

    lag: ClassVar[float] = 0.0
    projection: ClassVar[bool] = False
    name: ClassVar[str] = "trapezoidal"
    error_order: ClassVar[int] = 3

    newton: NewtonSettings = field(default_factory=NewtonSettings)
    step_size: StepSize | None = None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""

    def scheme(self, h: float, before: Before) -> Scheme:
        """One step of h [s]."""
        v, a = before.velocity, before.acceleration
        return Scheme(h * v + 0.25 * h * h * a, 0.25 * h * h, v + 0.5 * h * a, 0.5 * h, 1.0, np.zeros_like(v))

    def local_error(self, h: float, before: Before, acceleration: Array) -> Array:
        """`h^2/12 (a1 - a0)`: s exceeds the true displacement by `h^3/12 x'''`."""
        return np.asarray(h * h / 12.0 * (acceleration - before.acceleration))
