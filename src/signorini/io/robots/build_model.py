"""From the description of a robot to a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import get_args

from signorini.io.robots.actions import add_actions
from signorini.io.robots.bodies import add_bodies
from signorini.io.robots.contacts import SelfCollision, add_ground, exclude_pairs
from signorini.io.robots.description import Description
from signorini.io.robots.joinery import add_joints
from signorini.io.robots.kinematics import JointValues, joints_of, link_poses, starting_values
from signorini.io.robots.robot_model import Control, RobotModel
from signorini.problem.errors import ModelError, suggestion

MOST_LINKS = 5000
"""In one file."""


@dataclass(frozen=True)
class Choices:
    """What a user may want otherwise than the file says."""

    joint_values: JointValues = field(default_factory=dict)
    """q at t = 0 by the name of the joint [rad or m]."""
    control: Control = field(default_factory=dict)
    self_collision: SelfCollision = "apart"
    ground: bool = False
    """Whether a plane is put below the lowest point."""

    def __post_init__(self) -> None:
        if self.self_collision not in get_args(SelfCollision):
            allowed = ", ".join(get_args(SelfCollision))
            raise ModelError(f"self_collision is {self.self_collision!r}, expected one of {allowed}")


def build_model(description: Description, choices: Choices) -> RobotModel:
    """The model with its report; links that are fixed to one another are one body."""
    _check(description, choices)
    values = starting_values(description, choices.joint_values)
    poses = link_poses(description, values)
    model = RobotModel(description.gravity, description.report, description.step)
    grouped = add_bodies(model, description, poses)
    joined = add_joints(model, description, grouped, poses, values)
    add_actions(model, description, grouped, joined, poses, choices.control)
    exclude_pairs(model, description, grouped, choices.self_collision)
    model.joint_values.update({joint.name: values.get(joint.name, joint.ref) for joint in joints_of(description.links)})
    if choices.ground:
        add_ground(model)
    return model


def _check(description: Description, choices: Choices) -> None:
    if not description.links:
        raise ModelError(f"{description.name} has no links or bodies")
    if len(description.links) > MOST_LINKS:
        raise ModelError(f"{description.name} has {len(description.links)} links, expected at most {MOST_LINKS}")
    known = {joint.name: joint for joint in joints_of(description.links)}
    for name, value in choices.joint_values.items():
        if name not in known:
            raise ModelError(f"no joint is named {name!r}{suggestion(name, known, 'there are')}")
        joint = known[name]
        if joint.kind in ("hinge", "slide") and not joint.limits[0] <= value <= joint.limits[1]:
            raise ModelError(f"{name!r} is to start at {value:g}, outside of its limits {joint.limits}")
