"""A model that was read from a file of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from signorini.io.robots.description import Pose
from signorini.io.robots.report import LoadReport
from signorini.math.sparse import Array
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import ModelError, suggestion


@dataclass(frozen=True, eq=False)
class LinkFrame:
    """Where a link of the file is in the model: links that are fixed to one another are one body."""

    body: str | None
    """Name in the model; None for links that are fixed to the world."""
    pose: Pose
    """Of the link's frame in the frame of the body's shapes, or in the world."""


class RobotModel(Model):
    """A model with what its file said: the report, the links by name, and the values of joints at t = 0."""

    report: LoadReport
    """What was not understood, by name and line."""
    links: dict[str, LinkFrame]
    """By the name in the file."""
    joint_values: dict[str, Any]
    """q at t = 0 by the name of the joint, in the file's way of counting: model coordinates are 0 there."""
    suggested_step: float | None
    """Time step given in the file [s]."""

    def __init__(self, gravity: ArrayLike, report: LoadReport, step: float | None = None) -> None:
        super().__init__(gravity=gravity)
        self.report, self.links, self.joint_values, self.suggested_step = report, {}, {}, step

    def link_pose(self, name: str, state: State) -> tuple[Array, Array]:
        """Position [m] and quaternion (w, x, y, z) of a link's frame at a state."""
        if name not in self.links:
            raise ModelError(f"no link is named {name!r}{suggestion(name, list(self.links)[:8], 'there are')}")
        frame = self.links[name]
        if frame.body is None:
            return frame.pose.position, frame.pose.orientation
        index = self.body_index(frame.body)
        pose = Pose(self.frame_origin(index, state), state.orientation[index]) @ frame.pose
        return pose.position, pose.orientation


Control = Mapping[str, Any]
"""By the name of an actuator: a number, a function such as `Sine(1, 2)`, or time -> number."""
