"""Springs, ropes, rods and joints as lines between points of bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model.coordinate import DISTANCE, WORLD, Coordinate, Frame
from signorini.model.forces.actuator import Actuator
from signorini.model.forces.spring import Spring
from signorini.model.joints.capstan import Capstan
from signorini.model.joints.distance import Distance
from signorini.model.joints.framed import Framed
from signorini.model.joints.limit import CoordinateLimit
from signorini.model.joints.pulley_rope import PulleyRope
from signorini.model.model import Model
from signorini.model.motors.coordinate_motor import CoordinateMotor
from signorini.model.state import State

Kind = Literal["spring", "rope", "rod", "joint", "motor"]
COLOURS: dict[Kind, tuple[float, float, float]] = {
    "spring": (0.0, 0.55, 0.42),
    "rope": (0.45, 0.30, 0.15),
    "rod": (0.35, 0.38, 0.42),
    "joint": (0.80, 0.47, 0.65),
    "motor": (0.84, 0.37, 0.0),
}
"""Red, green, blue in [0, 1]."""
AXIS = 0.07
"""Half the length of the axis of a joint, over the size of the scene."""


@dataclass(frozen=True, eq=False)
class Link:
    """A line over points of bodies."""

    name: str
    kind: Kind
    points: tuple[tuple[int, Array], ...]
    """Index of the body, or -1 for the world, and the place in its frame [m]."""

    def places(self, state: State) -> Array:
        """In the world [m], shape (points, 3)."""
        return np.array(
            [
                local if body == WORLD else state.position[body] + rotate(state.orientation[body], local)
                for body, local in self.points
            ]
        )


def links_of(model: Model, size: float) -> list[Link]:
    """All links of a model; axes of joints are as long as suits a scene of that size [m]."""
    return [*_lines(model), *_axes(model, size)]


def _lines(model: Model) -> Iterator[Link]:
    for force in model.stiff_forces:
        if isinstance(force, Spring | Actuator) and force.coordinate.kind == DISTANCE:
            yield _between(force.name, "spring", force.coordinate)
    for limit in model.limits:
        if isinstance(limit, PulleyRope):
            ends = tuple((point.body, np.asarray(point.local)) for point in limit.points if not len(point.nodes))
            yield Link(limit.name, "rope", ends)
        elif isinstance(limit, CoordinateLimit) and limit.coordinate.kind == DISTANCE:
            yield _between(limit.name, "rope", limit.coordinate)
    for rope in model.dry_frictions:
        if isinstance(rope, Capstan):
            points = (*rope.first, *rope.second)
            yield Link(rope.name, "rope", tuple((point.body, np.asarray(point.local)) for point in points))
    for joint in model.joints:
        if isinstance(joint, Distance):
            yield Link(joint.name, "rod", ((joint.a, joint.frame_a.position), (joint.b, joint.frame_b.position)))


def _axes(model: Model, size: float) -> Iterator[Link]:
    driven = {id(joint.coordinate) for joint in model.joints if isinstance(joint, CoordinateMotor)}
    for joint in model.joints:
        if isinstance(joint, Framed) and joint.KIND != Distance.KIND:
            own = [joint.angle] if joint.TURNS else []
            own += [joint.slide] if joint.SLIDES else []
            kind: Kind = "motor" if any(id(coordinate) in driven for coordinate in own) else "joint"
            body, frame = (joint.b, joint.frame_b) if joint.b != WORLD else (joint.a, joint.frame_a)
            yield Link(joint.name, kind, tuple((body, end) for end in _axis(frame, AXIS * size)))


def _axis(frame: Frame, half: float) -> tuple[Array, Array]:
    along = half * rotate(frame.orientation, np.array([0.0, 0.0, 1.0]))
    return frame.position - along, frame.position + along


def _between(name: str, kind: Kind, coordinate: Coordinate) -> Link:
    ends = ((coordinate.a, coordinate.frame_a.position), (coordinate.b, coordinate.frame_b.position))
    return Link(name, kind, ends)
