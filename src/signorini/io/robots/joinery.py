"""From joints of links to joints of the model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from signorini.io.robots.bodies import Group, Grouped, unused
from signorini.io.robots.description import Description, LinkJoint, Pose
from signorini.io.robots.kinematics import JointValues, moved
from signorini.io.robots.robot_model import RobotModel
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.joints.framed import Framed
from signorini.model.joints.limit import WIDEST_ANGLE

CARRIER = 1e-6
"""Mass and inertia of the bodies between several joints of one link, relative to those of the link."""
PARALLEL = 1e-9
"""Largest sine or cosine between axes that count as parallel or perpendicular."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Joints of the model by their names in the file."""

    joints: dict[str, Framed] = field(default_factory=dict)
    start: dict[str, float] = field(default_factory=dict)
    """q at t = 0, where the coordinate of the model is 0."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where a joint is in the world at t = 0."""

    joint: LinkJoint
    anchor: Array
    axis: Array


def add_joints(
    model: RobotModel, description: Description, grouped: Grouped, poses: dict[str, Pose], values: JointValues
) -> Joined:
    """Add the joints of all links, with their limits, friction, springs and dampers."""
    joined = Joined()
    for group in grouped.moving():
        link = group.root
        base = (Pose() if link.parent is None else poses[link.parent]) @ link.pose
        places = []
        for joint in link.joints:
            places.append(Place(joint, base.at(joint.anchor), base.along(joint.axis)))
            base = moved(base, joint, values)
        parent = grouped.body(link.parent)
        _add_chain(model, description, joined, group, parent, places, values)
    return joined


def _add_chain(
    model: RobotModel,
    description: Description,
    joined: Joined,
    group: Group,
    parent: Body | None,
    places: list[Place],
    values: JointValues,
) -> None:
    """The joints of one link in a row; all but the last one carry a small body."""
    body = group.bodies[0]
    places = [place for place in places if place.joint.kind != "free"]
    if _is_planar(places):
        normal = places[-1]
        model.add_planar(parent, body, normal.anchor, normal.axis, name=free_name(model, normal.joint.name))
        return
    first = parent
    for number, place in enumerate(places):
        last = number == len(places) - 1
        second = body if last else _carrier(model, body, place)
        _add_joint(model, description, joined, (first, second), place, float_of(values, place.joint))
        first = second
    if len(places) > 1 and parent is not None:
        model.exclude_contact(parent, body)


def float_of(values: JointValues, joint: LinkJoint) -> float:
    """q at t = 0 of a hinge or slide."""
    return float(values.get(joint.name, joint.ref)) if joint.kind in ("hinge", "slide") else 0.0


def _is_planar(places: Sequence[Place]) -> bool:
    """Two slides and a hinge across both, in any order of the slides, which only guide."""
    kinds = [place.joint.kind for place in places]
    if kinds != ["slide", "slide", "hinge"] or not all(place.joint.is_plain for place in places):
        return False
    x, y, normal = (place.axis for place in places)
    return bool(max(abs(x @ normal), abs(y @ normal), abs(x @ y)) < PARALLEL)


def _carrier(model: RobotModel, body: Body, place: Place) -> Body:
    """A body without shape between two joints of a link."""
    arm = float(np.linalg.norm(body.position - place.anchor))
    moment = float(np.trace(body.inertia)) / 3.0 + body.mass * arm**2
    return model.add_body(
        None,
        mass=CARRIER * body.mass,
        inertia=np.full(3, CARRIER * moment),
        position=place.anchor,
        name=unused(model, f"{body.name}.{place.joint.name}"),
    )


def _add_joint(
    model: RobotModel,
    description: Description,
    joined: Joined,
    pair: tuple[Body | None, Body],
    place: Place,
    start: float,
) -> None:
    joint = place.joint
    name = free_name(model, joint.name)
    made: Framed
    if joint.kind == "ball":
        made = model.add_spherical(*pair, place.anchor, name=name)
        _ball_forces(model, description, pair, place)
    elif joint.kind == "planar":
        made = model.add_planar(*pair, place.anchor, place.axis, name=name)
    elif joint.kind == "hinge":
        limits = _limits(description, joint, start)
        made = model.add_revolute(*pair, place.anchor, place.axis, limits, joint.friction, name)
        if joint.stiffness or joint.damping:
            rest = joint.spring_rest - start
            model.add_torsion_spring(made, joint.stiffness, joint.damping, rest, free_name(model, f"{name}.spring"))
    else:
        limits = _limits(description, joint, start)
        made = model.add_prismatic(*pair, place.axis, place.anchor, limits, joint.friction, name)
        if joint.stiffness or joint.damping:
            rest = joint.spring_rest - start
            model.add_slide_spring(made, joint.stiffness, joint.damping, rest, free_name(model, f"{name}.spring"))
    joined.joints[joint.name], joined.start[joint.name] = made, start


def _ball_forces(model: RobotModel, description: Description, pair: tuple[Body | None, Body], place: Place) -> None:
    joint, report = place.joint, description.report
    if joint.stiffness or joint.damping:
        six = (np.repeat([0.0, joint.stiffness], 3), np.repeat([0.0, joint.damping], 3))
        model.add_bushing(*pair, place.anchor, *six, name=free_name(model, f"{joint.name}.spring"))
    if joint.limits != (-np.inf, np.inf):
        report.unsupport(
            joint.element, "limits of ball joints are not known; it turns freely", f"limits of {joint.name!r}"
        )
    if joint.friction:
        report.unsupport(joint.element, "dry friction of ball joints is not known", f"friction of {joint.name!r}")


def _limits(description: Description, joint: LinkJoint, start: float) -> tuple[float, float] | None:
    """Relative to the start; None without limits, or where they are wider than angles are known."""
    low, high = (end - start for end in joint.limits)
    if math.isinf(low) and math.isinf(high):
        return None
    if joint.kind == "hinge" and not high - low <= WIDEST_ANGLE:
        why = f"{joint.limits[0]:g} to {joint.limits[1]:g} rad is wider than {WIDEST_ANGLE:.4g} rad; it has no limits"
        description.report.unsupport(joint.element, why, f"limits of {joint.name!r}")
        return None
    return low, high


def free_name(model: RobotModel, name: str) -> str:
    """The name, with a number behind it where a joint, motor or spring has it already."""
    number, free = 1, name
    while free in model._part_names:
        number += 1
        free = f"{name}-{number}"
    return free
