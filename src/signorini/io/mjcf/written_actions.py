"""Limits, springs, couplings, ropes, motors and excluded pairs as MJCF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from signorini.io.mjcf.written_shapes import words
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.coordinate import DISTANCE, WORLD, Coordinate, Frame
from signorini.model.forces.servo import Servo
from signorini.model.forces.slide_spring import SlideSpring
from signorini.model.forces.spring import Spring
from signorini.model.forces.torsion_spring import TorsionSpring
from signorini.model.functions.constant import Constant
from signorini.model.functions.scaled import Scaled
from signorini.model.functions.setpoint import Setpoint
from signorini.model.joints.coupling import LinearCoupling
from signorini.model.joints.distance import Distance
from signorini.model.joints.dry_friction import CoordinateFriction
from signorini.model.joints.fixed import Fixed
from signorini.model.joints.framed import Framed
from signorini.model.joints.gear import Gear
from signorini.model.joints.limit import CoordinateLimit
from signorini.model.joints.pulley_rope import PulleyRope
from signorini.model.joints.rack import Rack
from signorini.model.joints.revolute import Revolute
from signorini.model.joints.spherical import Spherical
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.motors.drive import Drive

Written = dict[int, list[tuple[str, Coordinate]]]


@dataclass(frozen=True, eq=False)
class ActionWriter:
    """Writes what acts on the bodies of a file."""

    model: Model
    root: Element
    bodies: dict[int, Element]
    joints: Written
    left_out: list[str]

    def write(self, loops: Sequence[Framed]) -> None:
        """Everything but bodies."""
        for limit in self.model.limits:
            self._limit(limit)
        for friction in self.model.dry_frictions:
            self._friction(friction)
        for force in self.model.stiff_forces:
            self._spring(force)
        for loop in loops:
            self._loop(loop)
        for joint in self.model.joints:
            self._relation(joint)
        for drive in self.model.forces:
            self._drive(drive)
        for a, b in sorted(self.model.excluded):
            names = [self.model.bodies[k].name for k in (a, b)]
            SubElement(self._section("contact"), "exclude", {"body1": names[0], "body2": names[1]})
        self.left_out.extend("a material of a pair of bodies" for _ in self.model.pair_materials)

    # --- on joints of the file -------------------------------------------------------------------------------------

    def _named(self, coordinate: Coordinate) -> str | None:
        """Name of the joint in the file that has a coordinate."""
        for made in self.joints.values():
            for name, own in made:
                if same(own, coordinate):
                    return name
        return None

    def _element(self, name: str) -> Element:
        return next(item for item in self.root.iter("joint") if item.get("name") == name)

    def _limit(self, limit: Any) -> None:
        if isinstance(limit, PulleyRope) and limit.drum is None:
            ends = [(point.body, point.local) for point in limit.points]
            self._tendon(limit.name, ends, range=words([0.0, limit.length]))
            return
        if not isinstance(limit, CoordinateLimit):
            self.left_out.append(f"limit {limit.name!r}")
            return
        if limit.coordinate.kind == DISTANCE:
            high = limit.high if math.isfinite(limit.high) else 1e6
            self._tendon(limit.name, ends_of(limit.coordinate), range=words([max(limit.low, 0.0), high]))
            return
        name = self._named(limit.coordinate)
        if name is None:
            self.left_out.append(f"limit {limit.name!r}: its joint has no such coordinate in MJCF")
            return
        low, high = (end if math.isfinite(end) else math.copysign(1e6, end) for end in (limit.low, limit.high))
        self._element(name).set("range", words([low, high]))

    def _friction(self, friction: Any) -> None:
        name = self._named(friction.coordinate) if isinstance(friction, CoordinateFriction) else None
        constant = name is not None and isinstance(friction.limit, Constant) and isinstance(friction.speed, Constant)
        if name is None or not constant or friction.speed.value(0.0) != 0.0:
            self.left_out.append(f"brake or friction {friction.name!r}")
            return
        self._element(name).set("frictionloss", words(friction.limit.value(0.0)))

    def _spring(self, force: Any) -> None:
        if isinstance(force, Spring):
            constants = {"stiffness": words(force.stiffness), "damping": words(force.damping)}
            self._tendon(force.name, ends_of(force.coordinate), springlength=words(force.length), **constants)
            return
        if isinstance(force, Servo) and self._servo(force):
            return
        name = self._named(force.coordinate) if isinstance(force, TorsionSpring | SlideSpring) else None
        if name is None or self._element(name).get("stiffness") or self._element(name).get("damping"):
            self.left_out.append(f"force {force.name!r}")
            return
        rest = force.angle if isinstance(force, TorsionSpring) else force.position
        values = {"stiffness": force.stiffness, "damping": force.damping, "springref": rest}
        for key, value in values.items():
            if value:
                self._element(name).set(key, words(value))

    def _servo(self, servo: Servo) -> bool:
        """A servo as a position actuator; False where its joint has no name there or an effort is added."""
        name, still = self._named(servo.coordinate), isinstance(servo.effort, Constant) and not servo.effort.value(0.0)
        if name is None or not still:
            return False
        values = {"name": servo.name, "joint": name, "kp": words(servo.stiffness), "kv": words(servo.damping)}
        if math.isfinite(servo.limit):
            values["forcerange"] = words((-servo.limit, servo.limit))
        SubElement(self._section("actuator"), "position", values)
        if not isinstance(servo.target, Constant | Setpoint) or servo.target.value(0.0):
            self.left_out.append(f"control of servo {servo.name!r}: MJCF files hold none")
        return True

    def _drive(self, force: Any) -> None:
        name = self._named(force.coordinate) if isinstance(force, Drive) else None
        if name is None:
            self.left_out.append(f"force {force.name!r}")
            return
        SubElement(self._section("actuator"), "motor", {"name": force.name, "joint": name})
        if not isinstance(force.effort, Constant | Setpoint | Scaled) or force.effort.value(0.0):
            self.left_out.append(f"control of motor {force.name!r}: MJCF files hold none")

    # --- constraints ------------------------------------------------------------------------------------------------

    def _loop(self, joint: Framed) -> None:
        """A joint that closes a loop: points that stay together, or a weld."""
        equality, names = self._section("equality"), self._pair(joint)
        if isinstance(joint, Spherical | Revolute):
            axis = matrix(joint.frame_a.orientation)[:, 2]
            points = [joint.frame_a.position] + ([joint.frame_a.position + axis] if isinstance(joint, Revolute) else [])
            for number, point in enumerate(points):
                suffix = "" if number == 0 else ".axis"
                SubElement(equality, "connect", {"name": f"{joint.name}{suffix}", **names, "anchor": words(point)})
        elif isinstance(joint, Fixed):
            SubElement(equality, "weld", {"name": joint.name, **names})
        else:
            self.left_out.append(f"{joint.KIND} {joint.name!r}: it closes a loop")

    def _pair(self, joint: Framed) -> dict[str, str]:
        if joint.a == WORLD:
            # The anchor is given in the frame of the first body, which is then the world.
            return {"body1": "world", "body2": self.model.bodies[joint.b].name}
        second = {} if joint.b == WORLD else {"body2": self.model.bodies[joint.b].name}
        return {"body1": self.model.bodies[joint.a].name, **second}

    def _relation(self, joint: Any) -> None:
        terms, constant = relation_of(joint)
        if terms is None:
            known = id(joint) in self.joints or isinstance(joint, Spherical | Revolute | Fixed)
            if isinstance(joint, Distance):
                self._tendon(joint.name, ends_of(joint.coordinates[0]))
                SubElement(self._section("equality"), "tendon", {"name": joint.name, "tendon1": joint.name})
            elif not known and not isinstance(joint, Framed):
                self.left_out.append(f"joint {joint.name!r}")
            elif not known:
                self.left_out.append(f"{joint.KIND} {joint.name!r}")
            return
        names = [self._named(coordinate) for coordinate, _ in terms]
        if any(name is None for name in names):
            self.left_out.append(f"relation {joint.name!r}: a joint has no such coordinate in MJCF")
            return
        tendon = SubElement(self._section("tendon"), "fixed", {"name": joint.name})
        for name, (_, weight) in zip(names, terms, strict=True):
            SubElement(tendon, "joint", {"joint": str(name), "coef": words(weight)})
        attributes = {"name": joint.name, "tendon1": joint.name, "polycoef": words([constant, 0, 0, 0, 0])}
        SubElement(self._section("equality"), "tendon", attributes)

    def _tendon(self, name: str, ends: Sequence[tuple[int, Array]], **attributes: str) -> None:
        tendon = SubElement(self._section("tendon"), "spatial", {"name": name, **attributes})
        for number, (body, place) in enumerate(ends):
            site = f"{name}.{number}"
            SubElement(self.bodies[body], "site", {"name": site, "pos": words(place)})
            SubElement(tendon, "site", {"site": site})

    def _section(self, tag: str) -> Element:
        found = self.root.find(tag)
        return SubElement(self.root, tag) if found is None else found


def relation_of(joint: Any) -> tuple[list[tuple[Coordinate, float]] | None, float]:
    """Coordinates and weights of a linear relation between joints, and its constant; None for others."""
    if isinstance(joint, LinearCoupling) and isinstance(joint.constant, Constant):
        return list(zip(joint.coordinates, joint.weights, strict=True)), joint.constant.value(0.0)
    if isinstance(joint, Gear):
        return [(joint.first, float(joint.teeth[0])), (joint.second, float(joint.teeth[1]))], 0.0
    if isinstance(joint, Rack):
        return [(joint.rack, 1.0), (joint.pinion, -joint.radius)], 0.0
    if isinstance(joint, CoordinateMotor) and isinstance(joint.target, Constant):
        return [(joint.coordinate, 1.0)], joint.target.value(0.0)
    return None, 0.0


def ends_of(coordinate: Coordinate) -> list[tuple[int, Array]]:
    """Body and place in it of both ends of a distance."""
    return [(coordinate.a, coordinate.frame_a.position), (coordinate.b, coordinate.frame_b.position)]


def same(one: Coordinate, two: Coordinate) -> bool:
    """Whether two coordinates are the same one."""
    if one is two:
        return True
    alike = (one.kind, one.axes, one.a, one.b) == (two.kind, two.axes, two.a, two.b)
    return alike and _same_frame(one.frame_a, two.frame_a) and _same_frame(one.frame_b, two.frame_b)


def _same_frame(one: Frame, two: Frame) -> bool:
    return np.array_equal(one.position, two.position) and np.array_equal(one.orientation, two.orientation)
