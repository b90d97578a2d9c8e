"""Targets of motors as arrays: what a controller sets between steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.sparse import Array
from signorini.model.component import DryFriction, Force, Joint, StiffForce
from signorini.model.forces.body_force import BodyForce, TimedLoad
from signorini.model.forces.servo import Servo
from signorini.model.functions.function import Function
from signorini.model.functions.scaled import Scaled
from signorini.model.functions.setpoint import Setpoint
from signorini.model.joints.dry_friction import CoordinateFriction
from signorini.model.layout import find
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.motors.drive import Drive
from signorini.problem.errors import ModelError, suggestion
from signorini.stepping.step import Step

Part = Joint | Force | StiffForce | DryFriction
Motor = CoordinateMotor | Drive | Servo | CoordinateFriction
"""Components that can follow a setpoint."""


class Motors:
    """Motors, servos and clutches whose target is a `Setpoint`, in the order of the model's lists.

    Joints' motors (`add_motor` by angle or position) come first, then torques and forces, servos, clutches (`add_brake`
    with a speed). A target is an angle [rad] or position [m], an effort [N m or N], or the speed of a clutch [rad/s or
    m/s]; of an actuator from a robot file it is its control. Setting one rebuilds nothing.
    """

    def __init__(self, model: Model) -> None:
        parts: list[Part] = [*model.joints, *model.forces, *model.stiff_forces, *model.dry_frictions]
        motors = [(part, _target(part)) for part in parts if isinstance(part, Motor)]
        self._motors = [motor for motor, point in motors if point is not None]
        self._targets = [point for _, point in motors if point is not None]
        self._all = list(_setpoints(parts))
        self.names = tuple(motor.name for motor in self._motors)
        """In the order of the arrays."""

    def __repr__(self) -> str:
        return f"Motors({len(self)} motors)"

    def __len__(self) -> int:
        return len(self._targets)

    def index(self, name: str) -> int:
        """Place of a motor in the arrays."""
        if name not in self.names:
            raise ModelError(f"no motor named {name!r} has a setpoint{suggestion(name, list(self.names), 'there are')}")
        return self.names.index(name)

    @property
    def target(self) -> Array:
        """Set last, shape (motors,)."""
        return np.array([point.level for point in self._targets])

    @target.setter
    def target(self, values: ArrayLike) -> None:
        self.set(values)

    @property
    def rate(self) -> Array:
        """Rates of the targets [1/s], shape (motors,)."""
        return np.array([point.slope for point in self._targets])

    @rate.setter
    def rate(self, values: ArrayLike) -> None:
        self.set(self.target, values)

    def set(self, target: ArrayLike, rate: ArrayLike | None = None) -> None:
        """From the next step on; without a `rate` targets stand still."""
        levels = self._checked(target, "targets")
        slopes = [0.0] * len(levels) if rate is None else self._checked(rate, "rates")
        self.set_unchecked(levels, slopes)

    def set_unchecked(self, levels: list[float], slopes: list[float]) -> None:
        """The same without checks: one finite number per motor."""
        for point, level, slope in zip(self._targets, levels, slopes, strict=True):
            point.level, point.slope = level, slope

    def efforts(self, step: Step | None, h: float) -> Array:
        """Mean effort of each motor in a step of h [s], on body b [N m or N], shape (motors,); 0 before any."""
        if step is None:
            return np.zeros(len(self))
        return np.array([_effort(motor, step, h) for motor in self._motors])

    @property
    def setpoints(self) -> tuple[Setpoint, ...]:
        """Every setpoint of the model, in the order of `settings`."""
        return tuple(self._all)

    @property
    def places(self) -> list[int]:
        """Place of each motor's setpoint among `setpoints`."""
        return [next(k for k, other in enumerate(self._all) if other is point) for point in self._targets]

    def settings(self) -> tuple[tuple[float, float], ...]:
        """Level and slope of every setpoint of the model, those of efforts and limits included."""
        return tuple((point.level, point.slope) for point in self._all)

    def put(self, settings: tuple[tuple[float, float], ...]) -> None:
        """What `settings` gave."""
        for point, (level, slope) in zip(self._all, settings, strict=True):
            point.level, point.slope = level, slope

    def _checked(self, values: ArrayLike, what: str) -> list[float]:
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (len(self._targets),):
            raise ModelError(
                f"{what} of motors have shape {array.shape}, expected ({len(self._targets)},): {self.names}"
            )
        numbers: list[float] = array.tolist()
        # A sum is finite unless one of the numbers is not: it is quicker than a test of each.
        if not np.isfinite(sum(numbers)):
            k = int(np.argmin(np.isfinite(array)))
            raise ModelError(f"{what} of motors: that of {self.names[k]!r} is {array[k]}, expected a finite number")
        return numbers


def _target(motor: Motor) -> Setpoint | None:
    """What a controller would set; of a servo without a target of that kind, what its effort follows."""
    if isinstance(motor, Servo):
        return _setpoint(motor.target) or _setpoint(motor.effort)
    if isinstance(motor, CoordinateMotor):
        return _setpoint(motor.target)
    return _setpoint(motor.effort if isinstance(motor, Drive) else motor.speed)


def _setpoint(function: Function) -> Setpoint | None:
    """The setpoint that a function is, or scales."""
    if isinstance(function, Scaled):
        return _setpoint(function.function)
    return function if isinstance(function, Setpoint) else None


def _setpoints(parts: list[Part]) -> Iterator[Setpoint]:
    """All of them, each once."""
    seen = set[int]()
    for part in parts:
        for point in map(_setpoint, _functions(part)):
            if point is not None and id(point) not in seen:
                seen.add(id(point))
                yield point


def _functions(part: Part) -> tuple[Function, ...]:
    """Of time, in a part."""
    if isinstance(part, CoordinateMotor):
        return (part.target,)
    if isinstance(part, Drive):
        return (part.effort,)
    if isinstance(part, Servo):
        return part.target, part.effort
    if isinstance(part, CoordinateFriction):
        return part.speed, part.limit
    return (
        (*part.load.force, *part.load.torque)
        if isinstance(part, BodyForce) and isinstance(part.load, TimedLoad)
        else ()
    )


def _effort(motor: Motor, step: Step, h: float) -> float:
    if isinstance(motor, CoordinateMotor):
        return float(step.reactions.joints[find(step.layout.joints, motor.name, "joint")][0]) / h
    if isinstance(motor, CoordinateFriction):
        return float(step.reactions.frictions[find(step.layout.frictions, motor.name, "friction")][0]) / h
    return motor.given if isinstance(motor, Servo) else motor.effort.value(step.state.time)
