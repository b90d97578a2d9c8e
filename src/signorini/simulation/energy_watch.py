"""Watches the energy of models that nothing drives: it may only fall."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from signorini.math.sparse import Array
from signorini.model.component import DryFriction
from signorini.model.forces.bushing import Bushing
from signorini.model.forces.slide_spring import SlideSpring
from signorini.model.forces.spring import Spring
from signorini.model.forces.torsion_spring import TorsionSpring
from signorini.model.functions.constant import Constant
from signorini.model.joints.dry_friction import CoordinateFriction
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.motors.pose import PrescribedPose
from signorini.model.state import State
from signorini.problem.solution import Status
from signorini.stepping.step import Failure, Step

Energy = Callable[[State], tuple[float, float]]
"""Kinetic and potential energy of a state [J]."""

BURST = 1e3
"""Growth after the warning, as a multiple of what moved then, with which a run has diverged, solved or not."""
LARGEST_GROWTH = 0.03
"""Of the energy, over its lowest value so far, as a share of what moves: kinetic energy and range of the potential."""
SHORT_FALL = 10.0
"""Gains below the energy of free fall over this many steps are negligible."""
PASSIVE = (Spring, TorsionSpring, SlideSpring, Bushing)
"""Forces that return at most what they stored."""
RESOLVED = 1e-10
"""Of the magnitude of the potential energy; differences below are round-off."""
QUIET = (math.inf, 0.0, math.inf, -math.inf, math.inf, LARGEST_GROWTH, RESOLVED)
"""`EnergyWatch.numbers` without anything to watch."""


class EnergyWatch:
    """Warns once when bodies gain energy without a source in solved steps, and ends the run if it bursts after that.

    Overlapping bodies that are pushed apart within a step do so, and bodies that turn so far within a step that
    linearised gaps mean little. Unsolved steps are reported separately.
    """

    def __init__(self, model: Model, h: float, energy: Energy) -> None:
        masses = [body.mass for body in model.bodies if body.movable] + [body.mass for body in model.flexibles]
        gravity = float(np.dot(model.gravity, model.gravity))
        self._little = 0.5 * sum(masses) * gravity * (SHORT_FALL * h) ** 2
        self._energy_of, self._model = energy, model
        self._done = is_driven(model)
        self._number = -1
        """Of the last step that was looked at."""
        self._lowest = math.inf
        """Least energy so far [J]."""
        self._kinetic = 0.0
        """Largest so far [J]."""
        self._potential = (math.inf, -math.inf)
        """Least and largest so far [J]."""
        self._most = math.inf
        """Energy from which the run has diverged; inf before the warning [J]."""

    def check(self, before: State, step: Step) -> Failure | None:
        """Compare a step, and the state that it began with, with what came before; why the run cannot go on."""
        if self._done:
            if step.number != self._number + 1 or self._model.forces:
                self._most = math.inf  # as below: what is known cannot be compared any more
            self._number = step.number
            return self._burst(step) if step.energy > self._most else None
        if not step.status.ok:
            self._done = True  # warned already, and later energies cannot be compared
            return None
        if step.number != self._number + 1 or self._model.forces:  # an older state was restored, or wrenches act
            # Springs of contacts store nearly the same energy at both ends of the step.
            self._begin(before if not self._model.forces else step.state, step.contact_energy)
        self._number = step.number
        growth = step.energy - self._lowest
        self._count(step.kinetic, step.potential, step.contact_energy)
        if growth <= self._little:  # as in most steps
            return None
        low, high = self._potential
        moving = self._kinetic + high - low
        size = RESOLVED * max(abs(low), abs(high))
        if growth > max(LARGEST_GROWTH * moving, size):
            self._done, self._most = True, step.energy + BURST * moving
            warnings.warn(
                f"energy has grown by {growth:.2g} J ({growth / moving:.0%} of what moves) up to t = "
                f"{step.state.time:g} s, and nothing drives the model: overlaps (now {step.penetration:.2g} m) are "
                "pushed apart, or bodies turn too far in a step; take a smaller step or place bodies apart (with "
                "gaps='linear': max_recovery_speed=0.1)",
                stacklevel=5,
            )
        return None

    def _burst(self, step: Step) -> Failure:
        return Failure(
            Status.DIVERGED,
            f"step {step.number} to t = {step.state.time:g} s diverged: it was solved, but energy has grown from "
            f"{self._lowest:.1e} J to {step.energy:.1e} J, and nothing drives the model; take a smaller step or place "
            "bodies apart",
        )

    def _begin(self, state: State, contact: float = 0.0) -> None:
        """Compare with a state from now on; `contact` is the energy in springs of contacts [J]."""
        self._lowest, self._potential = math.inf, (math.inf, -math.inf)
        self._count(*self._energy_of(state), contact)

    def numbers(self, number: int, state: State) -> tuple[float, ...]:
        """Reference values for steps after `number` and `state`, from LEAST_ENERGY on; see `kernels.step.worlds`."""
        if self._done:
            most = self._most - self._lowest
            return QUIET if most == math.inf else (self._lowest, 0.0, *self._potential, most, LARGEST_GROWTH, RESOLVED)
        if number != self._number:
            self._begin(state)
            self._number = number
        return self._lowest, self._kinetic, *self._potential, self._little, LARGEST_GROWTH, RESOLVED

    def put_numbers(self, number: int, numbers: Sequence[float]) -> None:
        """The same after steps that were taken elsewhere."""
        self._number = number
        if not self._done:
            self._lowest, self._kinetic, low, high = numbers[:4]
            self._potential = (low, high)

    def is_quiet(self, first: int, kinetic: Array, potential: Array) -> bool:
        """Whether solved steps from number `first` on, without energy in contacts, gain a negligible amount.

        If so, they are counted; else each is for `check`.
        """
        if self._done and (self._most == math.inf or first != self._number + 1 or self._model.forces):
            self._most = math.inf
            return True
        if self._done:
            quiet = bool((kinetic + potential <= self._most).all())
            self._number += len(kinetic) if quiet else 0
            return quiet
        if first != self._number + 1 or self._model.forces:
            return False
        energy = kinetic + potential
        lowest = np.minimum.accumulate(np.concatenate(([self._lowest], energy)))
        if not (energy - lowest[:-1] <= self._little).all():
            return False
        self._number, self._lowest, (low, high) = first + len(energy) - 1, float(lowest[-1]), self._potential
        self._kinetic = max(self._kinetic, float(kinetic.max()))
        self._potential = (min(low, float(potential.min())), max(high, float(potential.max())))
        return True

    def _count(self, kinetic: float, potential: float, contact: float) -> None:
        self._lowest = min(self._lowest, kinetic + potential + contact)
        self._kinetic = max(self._kinetic, kinetic)
        low, high = self._potential
        if not low <= potential <= high:
            self._potential = (min(low, potential), max(high, potential))


def is_driven(model: Model) -> bool:
    """Whether motors, motions or forces may do positive work on the bodies."""
    return bool(
        model.forces
        or model.emitters
        or model.region is not None
        or model.node_forces
        or model.motions
        or any(np.any(body.surface_velocity) for _, _, body in model.bodies.kinds)
        or any(held.motion is not None for held in model.held)
        or any(isinstance(joint, CoordinateMotor | PrescribedPose) for joint in model.joints)
        or any(not isinstance(force, PASSIVE) for force in model.stiff_forces)
        or any(_may_drive(friction) for friction in model.dry_frictions)
    )


def _may_drive(friction: DryFriction) -> bool:
    """Brakes dissipate energy; clutches, whose other half turns, may supply it."""
    return not (isinstance(friction, CoordinateFriction) and friction.speed == Constant(0.0))
