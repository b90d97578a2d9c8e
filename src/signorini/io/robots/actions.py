"""From equality constraints, actuators and tendons to couplings, motors and ropes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from signorini.io.robots.bodies import Grouped
from signorini.io.robots.description import (
    Description,
    JointDrive,
    JointRelation,
    PointTie,
    Pose,
    SiteDrive,
    SiteRope,
)
from signorini.io.robots.joinery import Joined, free_name
from signorini.io.robots.robot_model import Control, RobotModel
from signorini.math.rotations import logarithm, rotate
from signorini.model.functions.constant import Constant
from signorini.model.functions.make import function_of
from signorini.model.functions.scaled import Scaled
from signorini.model.functions.setpoint import Setpoint
from signorini.problem.errors import ModelError, suggestion

OFF = 1e-9
"""How far [m, rad] welded links may be from where their weld puts them."""


def add_actions(
    model: RobotModel,
    description: Description,
    grouped: Grouped,
    joined: Joined,
    poses: dict[str, Pose],
    control: Control,
) -> None:
    """Add all of them."""
    known = [drive.name for drive in description.drives]
    for name in control:
        if name not in known:
            raise ModelError(f"no actuator is named {name!r}{suggestion(name, known, 'there are')}")
    for relation in description.relations:
        _relate(model, joined, relation, description)
    for tie in description.ties:
        _tie(model, description, grouped, poses, tie)
    for rope in description.ropes:
        _rope(model, description, grouped, poses, rope)
    for drive in description.drives:
        if isinstance(drive, SiteDrive):
            _push(model, description, grouped, poses, drive, control.get(drive.name, 0.0))
        else:
            _drive(model, joined, description, drive, control.get(drive.name, Setpoint()))


def _relate(model: RobotModel, joined: Joined, relation: JointRelation, description: Description) -> None:
    terms = [(joined.joints[name], weight) for name, weight in relation.terms if name in joined.joints]
    if len(terms) < len(relation.terms):
        description.report.unsupport(relation.element, "one of its joints has no coordinate here")
        return
    constant = relation.constant - sum(weight * joined.start[name] for name, weight in relation.terms)
    name = free_name(model, relation.name)
    if len(terms) == 1:
        joint, weight = terms[0]
        word = "angle" if joint.TURNS else "position"
        model.add_motor(joint, **{word: constant / weight}, name=name)
    else:
        model.add_coupling(terms, constant, name, collide=True)


def _tie(model: RobotModel, description: Description, grouped: Grouped, poses: dict[str, Pose], tie: PointTie) -> None:
    first, second = grouped.body(tie.first), grouped.body(tie.second)
    if first is second:
        description.report.unsupport(tie.element, "it ties two parts that move as one; it is left out")
        return
    frame = Pose() if tie.first is None else poses[tie.first]
    other = Pose() if tie.second is None else poses[tie.second]
    name = free_name(model, tie.name)
    if not tie.welded:
        model.add_spherical(first, second, frame.at(tie.point), name=name)
        return
    if tie.relative is not None:
        off = (frame @ tie.relative).inverse @ other
        error = max(float(np.abs(off.position).max()), float(np.abs(logarithm(off.orientation)).max()))
        if error > OFF:
            why = f"the links stand {error:.3g} (m or rad) off the pose of the weld; they are welded as they stand"
            description.report.unsupport(tie.element, why)
    model.add_fixed_joint(first, second, frame.at(tie.point), name)


def _rope(
    model: RobotModel, description: Description, grouped: Grouped, poses: dict[str, Pose], rope: SiteRope
) -> None:
    stops = [(grouped.body(link), (Pose() if link is None else poses[link]).at(point)) for link, point in rope.stops]
    if len({id(body) for body, _ in stops}) < 2:
        description.report.unsupport(rope.element, "all its sites move as one; it is left out")
        return
    now = float(np.linalg.norm(np.diff([place for _, place in stops], axis=0), axis=1).sum())
    if math.isfinite(rope.longest):
        if now > rope.longest:
            why = f"it is {now:g} m long at the start, above its limit of {rope.longest:g} m; it gets {now:g} m"
            description.report.unsupport(rope.element, why)
        model.add_pulley_rope(stops, max(rope.longest, now), name=free_name(model, rope.name))
    if not (rope.stiffness or rope.damping):
        return
    if len(stops) != 2:
        description.report.unsupport(rope.element, "springs over more than two sites are not known; it pulls nothing")
        return
    (a, at_a), (b, at_b) = stops
    rest = now if rope.rest is None else rope.rest
    name = free_name(model, f"{rope.name}.spring")
    model.add_spring(a, b, at_a, at_b, rope.stiffness, rope.damping, rest, name)


def _drive(model: RobotModel, joined: Joined, description: Description, drive: JointDrive, value: Any) -> None:
    """Torques `gear (gain u + b0 + b1 l + b2 dl/dt)` with l = gear q."""
    if any(name not in joined.joints for name, _ in drive.joints):
        description.report.unsupport(drive.element, "it acts on a joint that has no coordinate here; it is left out")
        return
    constant, slope, rate = drive.bias
    if (slope or rate) and len(drive.joints) > 1:
        description.report.unsupport(
            drive.element, "feedback on a tendon over several joints is not known; it is left out"
        )
        return
    if slope > 0 or rate > 0:
        description.report.unsupport(drive.element, "its feedback pushes away from rest; it is left out")
        return
    control = function_of(value, f"control of {drive.name!r}")
    limited, symmetric = drive.force_range != (-math.inf, math.inf), drive.force_range[0] == -drive.force_range[1]
    if limited and not symmetric and (slope or rate):
        why = f"its force is not limited to {drive.force_range[0]:g} to {drive.force_range[1]:g}"
        description.report.unsupport(drive.element, why, f"forcerange of {drive.name!r}")
    for name, gear in drive.joints:
        joint, start = joined.joints[name], joined.start[name]
        lowest, highest = _control_range(drive, constant, limited and not (slope or rate))
        # Feedback is at rest at q = 0 of the model; what it would push there is part of the effort.
        fixed = gear * (constant + slope * gear * start)
        effort = Scaled(control, gear * drive.gain, lowest, highest, fixed)
        total = effort.value(0.0) if isinstance(control, Constant) else effort
        if slope or rate:
            limit = abs(gear) * drive.force_range[1] if symmetric else math.inf
            model.add_servo(
                joint, stiffness=-slope * gear**2, damping=-rate * gear**2, limit=limit, target=0.0, effort=total,
                name=free_name(model, drive.name),
            )  # fmt: skip
        else:
            word = "torque" if joint.TURNS else "force"
            model.add_motor(joint, **{word: total}, name=free_name(model, drive.name))


def _control_range(drive: JointDrive, constant: float, limited: bool) -> tuple[float, float]:
    """Of the control, tightened so that the force keeps its range."""
    low, high = drive.control_range
    if limited and drive.gain:
        ends = sorted((end - constant) / drive.gain for end in drive.force_range)
        low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


def _push(
    model: RobotModel, description: Description, grouped: Grouped, poses: dict[str, Pose], drive: SiteDrive, value: Any
) -> None:
    body = grouped.body(drive.link)
    if body is None:
        description.report.unsupport(drive.element, "it pushes a part that is fixed; it is left out")
        return
    control = function_of(value, f"control of {drive.name!r}")
    place = poses[drive.link] @ drive.pose
    root = poses[grouped.by_link[drive.link].root.name]
    local = root.inverse @ place
    force, torque = (rotate(local.orientation, part) for part in (drive.gear[:3], drive.gear[3:]))

    def parts(vector: Any) -> list[Any]:
        scaled = [Scaled(control, float(x), *drive.control_range) for x in vector]
        return [part.value(0.0) for part in scaled] if isinstance(control, Constant) else scaled

    name = free_name(model, drive.name)
    model.add_force(body, parts(force), point=place.position, torque=parts(torque), axes="body", name=name)
