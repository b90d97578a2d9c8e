"""Where the links of a description stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from signorini.io.robots.description import Description, Link, LinkJoint, Pose
from signorini.math.rotations import about, multiply

JointValues = Mapping[str, Any]
"""q by the name of the joint; joints that are not named are at their `ref`."""


def link_poses(description: Description, values: JointValues) -> dict[str, Pose]:
    """Poses in the world of all links."""
    poses: dict[str, Pose] = {}
    for link in description.links:
        base = Pose() if link.parent is None else poses[link.parent]
        pose = base @ link.pose
        for joint in link.joints:
            pose = moved(pose, joint, values)
        poses[link.name] = pose
    return poses


def moved(pose: Pose, joint: LinkJoint, values: JointValues) -> Pose:
    """The pose of a link after one of its joints has moved it."""
    value = values.get(joint.name)
    if value is None or joint.kind == "planar":
        return pose
    if joint.kind == "free":
        position, orientation = value
        return Pose(np.array(position, dtype=np.float64), _unit(orientation))
    if joint.kind == "slide":
        return Pose(pose.position + (value - joint.ref) * pose.along(joint.axis), pose.orientation)
    turn = _unit(value) if joint.kind == "ball" else about(joint.axis, float(value) - joint.ref)
    orientation = _unit(multiply(pose.orientation, turn))
    kept = pose.at(joint.anchor)
    return Pose(kept - Pose(np.zeros(3), orientation).at(joint.anchor), orientation)


def starting_values(description: Description, given: JointValues) -> dict[str, Any]:
    """The given values, and for other joints the allowed one next to their `ref`, with a remark where it is not it."""
    values = dict(given)
    refs = {joint.name: joint.ref for joint in joints_of(description.links)}
    for joint in joints_of(description.links):
        low, high = joint.limits
        if joint.name in values or low <= joint.ref <= high:
            continue
        values[joint.name] = low if joint.ref < low else high
        description.report.unsupport(
            joint.element,
            f"{joint.ref:g} is outside of its limits ({low:g}, {high:g}), so it starts at {values[joint.name]:g}",
            f"joint {joint.name!r}",
        )
    for relation in description.relations:
        (name, weight), *others = relation.terms
        if name not in given and any(other in values for other, _ in others):
            rest = relation.constant - sum(a * values.get(other, refs[other]) for other, a in others)
            values[name] = rest / weight
    return values


def joints_of(links: tuple[Link, ...]) -> list[LinkJoint]:
    """All joints."""
    return [joint for link in links for joint in link.joints]


def _unit(quaternion: Any) -> Any:
    q = np.array(quaternion, dtype=np.float64)
    return q / np.linalg.norm(q)
