"""The interface of implicit integrators of smooth dynamics: one step as an equation for new accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from signorini.math.sparse import Array
from signorini.stepping.smooth.newton_settings import NewtonSettings
from signorini.stepping.smooth.step_size import StepSize


@dataclass(frozen=True, eq=False)
class Before:
    """Quantities at the beginning of a step of h [s], over the unknowns, shape (n,) each."""

    velocity: Array
    """v [m/s, rad/s]."""
    acceleration: Array
    """The integrator's own a of the last step [m/s2, rad/s2]; of HHT that is an average over it."""
    rate: Array
    """dv/dt = M^-1 effort."""
    effort: Array
    """f + C' lambda [N, N m]."""
    step: float
    """Of the last step [s]."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """One step, written for the new accelerations a::

        s = displacement + position_gain a       x <- x + s,  q <- q exp(s): s is in the world for x, in body axes for q
        v = velocity + velocity_gain a
        M a = weight (f + C' lambda)(s, v, t + h) + carried
        0   = Psi(s, t + h)

    This is the Lie-group form: the increment s of a rotation is the rotation vector of one step, so that schemes keep
    the order that they have in linear spaces.
    """

    displacement: Array
    """[m, rad], shape (n,)."""
    position_gain: float
    """[s^2]."""
    velocity: Array
    """[m/s, rad/s], shape (n,)."""
    velocity_gain: float
    """[s]."""
    weight: float
    carried: Array
    """Share of the forces at the beginning of the step [N, N m], shape (n,)."""


class Integrator(Protocol):
    """A frozen dataclass of settings."""

    name: ClassVar[str]
    error_order: ClassVar[int]
    """The local error of a displacement goes with this power of the step."""

    @property
    def step_size(self) -> StepSize | None:
        """Adaptive steps inside each step of the simulation; None takes that step as it is."""

    @property
    def newton(self) -> NewtonSettings:
        """How its equations are solved."""

    @property
    def lag(self) -> float:
        """Its a is the acceleration at `t + lag h`, to second order [-]."""

    @property
    def projection(self) -> bool:
        """Whether velocities are projected on the joints after each step, see `initial.projected`."""

    def scheme(self, h: float, before: Before) -> Scheme:
        """One step of h [s]."""

    def local_error(self, h: float, before: Before, acceleration: Array) -> Array:
        """Estimated error of the displacement in a step of h that ended with these accelerations a [m, rad]."""
