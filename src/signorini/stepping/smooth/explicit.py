"""Explicit integrators of smooth dynamics, for comparison: no joints, no equations to solve, short steps only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.sparse import Array
from signorini.stepping.smooth.step_size import StepSize

Rates = Callable[[float, Array, Array], tuple[Array, Array]]
"""(ds/dt, dv/dt) at the share c of the step, after a displacement s and with velocities v, over the unknowns.

The increment s of a rotation is its rotation vector from the beginning of the step, so that `ds/dt = T(s)^-1 w`: with
it Runge-Kutta methods keep their order on rotations [MuntheKaas1998].
"""


@dataclass(frozen=True, eq=False)
class Increment:
    """What one step adds."""

    displacement: Array
    """s [m, rad], shape (n,)."""
    velocity: Array
    """v at the end [m/s, rad/s], shape (n,)."""
    local_error: Array
    """Estimated, of the displacement [m, rad], shape (n,)."""
    evaluations: int
    """Of the forces."""


class ExplicitIntegrator(ABC):
    """A frozen dataclass of settings."""

    name: ClassVar[str]
    error_order: ClassVar[int]
    """The local error of a displacement goes with this power of the step."""
    step_size: StepSize | None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""

    @abstractmethod
    def increment(self, h: float, velocity: Array, rates: Rates) -> Increment:
        """One step of h [s] from velocities v."""


@dataclass(frozen=True)
class SymplecticEuler(ExplicitIntegrator):
    """`v1 = v0 + h M^-1 f(q0, v0)`, `s = h v1`: first order; of an oscillator stable for `h < 2/omega`, without drift.

    The rule of most penalty codes (semi-implicit Euler).
    """

    name: ClassVar[str] = "symplectic-euler"
    error_order: ClassVar[int] = 2

    step_size: StepSize | None = None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""

    def increment(self, h: float, velocity: Array, rates: Rates) -> Increment:
        """One step of h [s] from velocities v."""
        _, a = rates(0.0, np.zeros_like(velocity), velocity)
        after = velocity + h * a
        return Increment(h * after, after, 0.5 * h * h * a, 1)


class _RungeKutta(ExplicitIntegrator):
    """`k_i = rates at c_i, sum_j a_ij k_j`, the end by the weights b, its error by those of an embedded method."""

    nodes: ClassVar[tuple[float, ...]]
    matrix: ClassVar[tuple[tuple[float, ...], ...]]
    weights: ClassVar[tuple[float, ...]]
    embedded: ClassVar[tuple[float, ...]]

    def increment(self, h: float, velocity: Array, rates: Rates) -> Increment:
        """One step of h [s] from velocities v."""
        slopes: list[Array] = []
        accelerations: list[Array] = []
        for share, row in zip(self.nodes, self.matrix, strict=True):
            s, v = np.zeros_like(velocity), velocity.copy()
            for factor, slope, a in zip(row, slopes, accelerations, strict=True):
                s += h * factor * slope
                v += h * factor * a
            slope, a = rates(share, s, v)
            slopes.append(slope)
            accelerations.append(a)
        weights = np.array(self.weights)
        error = h * np.tensordot(weights - np.array(self.embedded), np.array(slopes), 1)
        displacement = h * np.tensordot(weights, np.array(slopes), 1)
        after = velocity + h * np.tensordot(weights, np.array(accelerations), 1)
        return Increment(displacement, after, error, len(slopes))


@dataclass(frozen=True)
class Heun(_RungeKutta):
    """Two evaluations, second order; an undamped oscillator gains energy, slowly for short steps."""

    name: ClassVar[str] = "heun"
    error_order: ClassVar[int] = 2
    nodes: ClassVar[tuple[float, ...]] = (0.0, 1.0)
    matrix: ClassVar[tuple[tuple[float, ...], ...]] = ((), (1.0,))
    weights: ClassVar[tuple[float, ...]] = (0.5, 0.5)
    embedded: ClassVar[tuple[float, ...]] = (1.0, 0.0)

    step_size: StepSize | None = None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""


@dataclass(frozen=True)
class RungeKutta45(_RungeKutta):
    """Six stages and the one at the end, fifth order, error by the embedded fourth [DormandPrince1980]."""

    name: ClassVar[str] = "runge-kutta-45"
    error_order: ClassVar[int] = 5
    nodes: ClassVar[tuple[float, ...]] = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
    matrix: ClassVar[tuple[tuple[float, ...], ...]] = (
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    )
    weights: ClassVar[tuple[float, ...]] = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0)
    embedded: ClassVar[tuple[float, ...]] = (
        5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40,
    )  # fmt: skip

    step_size: StepSize | None = None
    """Adaptive steps inside each step of the simulation; None takes that step as it is."""
