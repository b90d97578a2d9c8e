"""How a user drives, brakes and springs joints and bodies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.rotations import IDENTITY
from signorini.math.sparse import Array
from signorini.model.checks import finite, not_negative, numbers, quaternion, vector
from signorini.model.coordinate import Coordinate, Frame
from signorini.model.couple import Couplings
from signorini.model.forces.actuator import Actuator, Law
from signorini.model.forces.body_force import Axes, BodyForce, ForceFunction, Three, TimedLoad, UserLoad
from signorini.model.forces.bushing import Bushing
from signorini.model.forces.servo import Servo
from signorini.model.forces.slide_spring import SlideSpring
from signorini.model.forces.spring import Spring
from signorini.model.forces.torsion_spring import TorsionSpring
from signorini.model.functions.constant import Constant
from signorini.model.functions.integral import Integral
from signorini.model.functions.make import function_of
from signorini.model.functions.setpoint import Setpoint
from signorini.model.joints.dry_friction import CoordinateFriction
from signorini.model.joints.framed import Framed
from signorini.model.motion import CheckedMotion
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.motors.drive import Drive
from signorini.model.motors.pose import PrescribedPose
from signorini.model.parts import BodyLike
from signorini.problem.errors import ModelError

ROUND_OFF = 1e-9
"""Relative slack of symmetry and definiteness of bushing matrices."""
MOTORS = {
    "angle": ("turns", "target"),
    "position": ("slides", "target"),
    "speed": ("moves", "speed"),
    "torque": ("turns", "effort"),
    "force": ("slides", "effort"),
}
"""Kind of target of a motor -> what the joint must do, and what the target prescribes."""


class Drives(Couplings):
    """Adds motors, brakes, springs and forces."""

    def add_motor(
        self,
        joint: Framed | str,
        *,
        angle: Any = None,
        position: Any = None,
        speed: Any = None,
        torque: Any = None,
        force: Any = None,
        name: str | None = None,
    ) -> CoordinateMotor | Drive:
        """Drive a joint; give one of the five, a number, a function such as `Sine(0.2, 1.5)`, or time -> number.

        `angle` [rad] and `torque` [N m] are of joints that turn, `position` [m] and `force` [N] of those that slide,
        `speed` [rad/s or m/s] of either (a joint that does both takes it as the speed of turning). They are those of b
        against a; the joint is at 0 at t = 0. Angle, position and speed are held with whatever effort that takes,
        which is the impulse of the motor; torque and force are applied as they are.
        """
        values = {"angle": angle, "position": position, "speed": speed, "torque": torque, "force": force}
        given = [word for word, value in values.items() if value is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ModelError(f"a motor was given {found}, expected one of {', '.join(values)}")
        word = given[0]
        found_joint = self._framed(joint, "a motor")
        coordinate = self._travel(found_joint, MOTORS[word][0])
        name = self._part_name(name, "motor")
        function = function_of(values[word], f"{word} of the motor {name!r}")
        if MOTORS[word][1] == "effort":
            drive = Drive(name, coordinate, function)
            self._keep(self.forces, drive)
            return drive
        motor = CoordinateMotor(name, coordinate, Integral(function) if word == "speed" else function)
        self._keep(self.joints, motor)
        return motor

    def add_pose(self, body: BodyLike, motion: Callable[[float], Any], name: str | None = None) -> PrescribedPose:
        """Lead a body's centre of mass and axes along `motion`, time -> (position, quaternion); impulses are
        reported."""
        index = self._movable_index(body, "a prescribed pose")
        if not callable(motion):
            raise ModelError(f"motion of a pose is {motion!r}, expected a function: time -> (position, quaternion)")
        name = self._part_name(name, "pose")
        checked = CheckedMotion(motion, self.bodies[index].name)
        checked(0.0)
        pose = PrescribedPose(name, index, Frame(np.zeros(3), IDENTITY.copy()), checked)
        self._keep(self.joints, pose)
        return pose

    def add_brake(
        self, joint: Framed | str, limit: Any, speed: Any = 0.0, name: str | None = None
    ) -> CoordinateFriction:
        """Brake a joint with at most `limit` [N m, or N for a slide]: a number or a function of time.

        It opposes the motion against `speed`, and holds where it can. With a speed it is a clutch, driven at it.
        """
        coordinate = self._travel(self._framed(joint, "a brake"), "moves")
        name = self._part_name(name, "brake")
        most, driven = function_of(limit, f"limit of the brake {name!r}"), function_of(speed, f"speed of {name!r}")
        brake = CoordinateFriction(name, coordinate, most, driven)
        brake.limit_at(0.0)
        self._keep(self.dry_frictions, brake)
        return brake

    def add_servo(
        self,
        joint: Framed | str,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        limit: float = math.inf,
        target: Any = None,
        effort: Any = 0.0,
        name: str | None = None,
    ) -> Servo:
        """Drive a joint by `stiffness (s* - s) + damping (ds*/dt - ds/dt) + effort`, at most `limit` either way.

        s is the angle [rad] or the position [m] of the joint (a joint that does both turns), efforts are in N m or N.
        The `target` s* and the `effort` are numbers, functions such as `Sine(0.2, 1.5)`, or time -> number; None is a
        `Setpoint`, for `sim.motors`. It is implicit in the step: stiff gains are stable at every step size. With
        `stiffness=0` the servo follows the speed of its target.
        """
        coordinate = self._travel(self._framed(joint, "a servo"), "moves")
        name = self._part_name(name, "servo")
        k, r = _constants(stiffness, damping, name)
        most = math.inf if limit == math.inf else not_negative(limit, f"limit of {name!r}")
        goal = Setpoint() if target is None else function_of(target, f"target of {name!r}")
        push = Setpoint() if effort is None else function_of(effort, f"effort of {name!r}")
        servo = Servo(name, coordinate, k, r, most, goal, push)
        self._keep(self.stiff_forces, servo)
        return servo

    def add_spring(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position_a: ArrayLike,
        position_b: ArrayLike,
        stiffness: float = 0.0,
        damping: float = 0.0,
        length: float | None = None,
        name: str | None = None,
    ) -> Spring:
        """Spring [N/m] and damper [N s/m] between two points; no force at `length` [m], by default that at t = 0."""
        name, s, now = self._distance(a, b, position_a, position_b, name, "spring")
        rest = not_negative(now if length is None else length, f"length of {name!r}")
        spring = Spring(name, s, *_constants(stiffness, damping, name), rest)
        self._keep(self.stiff_forces, spring)
        return spring

    def add_torsion_spring(
        self,
        joint: Framed | str,
        stiffness: float = 0.0,
        damping: float = 0.0,
        angle: float = 0.0,
        name: str | None = None,
    ) -> TorsionSpring:
        """Spring [N m/rad] and damper [N m s/rad] about the axis of a joint; without torque at `angle` [rad]."""
        coordinate = self._framed(joint, "a torsion spring").angle
        name = self._part_name(name, "torsion-spring")
        rest = finite(angle, f"angle of {name!r}")
        spring = TorsionSpring(name, coordinate, *_constants(stiffness, damping, name), rest)
        self._keep(self.stiff_forces, spring)
        return spring

    def add_slide_spring(
        self,
        joint: Framed | str,
        stiffness: float = 0.0,
        damping: float = 0.0,
        position: float = 0.0,
        name: str | None = None,
    ) -> SlideSpring:
        """Spring [N/m] and damper [N s/m] along the axis of a joint that slides; without force at `position` [m]."""
        coordinate = self._framed(joint, "a slide spring").slide
        name = self._part_name(name, "slide-spring")
        rest = finite(position, f"position of {name!r}")
        spring = SlideSpring(name, coordinate, *_constants(stiffness, damping, name), rest)
        self._keep(self.stiff_forces, spring)
        return spring

    def add_bushing(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position: ArrayLike,
        stiffness: ArrayLike,
        damping: ArrayLike = 0.0,
        orientation: ArrayLike = (1, 0, 0, 0),
        name: str | None = None,
    ) -> Bushing:
        """An elastic joint: 6x6 matrices of stiffness and damping, or the six numbers of their diagonals.

        Rows are three offsets and three turns in the axes of `orientation`, which turn with a.
        """
        i, j = self._pair(a, b, "a bushing")
        name = self._part_name(name, "bushing")
        place = vector(position, f"position of {name!r}")
        frames = self._frames(i, j, place, quaternion(orientation, f"orientation of {name!r}"))
        K, R = (_six(value, f"{word} of {name!r}") for value, word in ((stiffness, "stiffness"), (damping, "damping")))
        bushing = Bushing(name, i, j, *frames, K, R)
        self._keep(self.stiff_forces, bushing)
        return bushing

    def add_actuator(self, joint: Framed | str, law: Law, name: str | None = None) -> Actuator:
        """Apply `law(time, s, ds/dt)` [N m or N] to a joint, s its angle [rad] or position [m]; implicit in steps."""
        coordinate = self._travel(self._framed(joint, "an actuator"), "moves")
        return self._actuated(coordinate, law, name)

    def add_linear_actuator(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position_a: ArrayLike,
        position_b: ArrayLike,
        law: Law,
        name: str | None = None,
    ) -> Actuator:
        """Push two points apart by `law(time, L, dL/dt)` [N], L their distance [m]; implicit in the step."""
        name, s, _ = self._distance(a, b, position_a, position_b, name, "actuator")
        return self._actuated(s, law, name)

    def add_force(
        self,
        body: BodyLike,
        force: ForceFunction | Sequence[Any] = (0.0, 0.0, 0.0),
        *,
        point: ArrayLike | None = None,
        torque: Sequence[Any] = (0.0, 0.0, 0.0),
        axes: Axes = "world",
        name: str | None = None,
    ) -> BodyForce:
        """Apply a `force` [N] at a point of a body, and a `torque` [N m].

        Each has three components: numbers, functions such as `Sine(5, 2)`, or time -> number. The force may be one
        function `(time, state) -> force` or `(force, torque)` instead. The `point` is where it acts at t = 0, in the
        world [m], by default the centre of mass; it stays in its place in the body. With `axes="body"` force and
        torque are in the axes of the body and turn with it.
        """
        index = self._movable_index(body, "a force")
        who = self.bodies[index]
        if axes not in get_args(Axes):
            raise ModelError(f"axes of a force are {axes!r}, expected one of {', '.join(get_args(Axes))}")
        place = who.position if point is None else vector(point, f"point of the force on {who.name!r}")
        twist = _three(torque, f"torque on {who.name!r}")
        load: UserLoad | TimedLoad
        if callable(force):
            if any(not isinstance(part, Constant) or part.value(0.0) for part in twist):
                raise ModelError(
                    f"the force on {who.name!r} is a function: let it return (force, torque), drop torque="
                )
            load = UserLoad(force, who.name)
        else:
            load = TimedLoad(_three(force, f"force on {who.name!r}"), twist)
        name = self._part_name(name, "force")
        made = BodyForce(name, index, Frame.on(who, place).position, axes, load)
        self._keep(self.forces, made)
        return made

    def _actuated(self, coordinate: Coordinate, law: Law, name: str | None) -> Actuator:
        if not callable(law):
            raise ModelError(f"law of an actuator is {law!r}, expected a function: (time, s, ds/dt) -> force")
        actuator = Actuator(self._part_name(name, "actuator"), coordinate, law)
        self._keep(self.stiff_forces, actuator)
        return actuator

    def _travel(self, joint: Framed, what: str) -> Coordinate:
        """The angle or the position of a joint."""
        if what == "moves":
            return joint.slide if joint.SLIDES and not joint.TURNS else joint.angle
        return joint.angle if what == "turns" else joint.slide


def _constants(stiffness: float, damping: float, name: str) -> tuple[float, float]:
    return not_negative(stiffness, f"stiffness of {name!r}"), not_negative(damping, f"damping of {name!r}")


def _three(values: Any, what: str) -> Three:
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str) or len(values) != 3:
        raise ModelError(
            f"{what} is {values!r}, expected three numbers or functions of time, or (time, state) -> (force, torque)"
        )
    x, y, z = (function_of(value, f"{axis} of the {what}") for axis, value in zip("xyz", values, strict=True))
    return x, y, z


def _six(value: Any, what: str) -> Array:
    """A symmetric positive semidefinite 6x6 matrix; six numbers are its diagonal, one is all of them."""
    given = numbers(value, what)
    if given.shape in ((), (6,)):
        given = np.diag(np.broadcast_to(given, 6))
    if given.shape != (6, 6):
        raise ModelError(f"{what} has shape {given.shape}, expected (6, 6), or (6,) for the diagonal")
    if not np.isfinite(given).all():
        raise ModelError(f"{what} holds numbers that are not finite")
    size = float(np.abs(given).max())
    if np.abs(given - given.T).max() > ROUND_OFF * size:
        raise ModelError(f"{what} is not symmetric")
    symmetric = np.asarray(0.5 * (given + given.T))
    least = float(np.linalg.eigvalsh(symmetric)[0])
    if least < -ROUND_OFF * size:
        raise ModelError(f"{what} has the negative eigenvalue {least:g}: it would push away; expected none below 0")
    return symmetric
