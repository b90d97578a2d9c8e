"""The parts of a model and their names."""

from __future__ import annotations

import numpy as np

from signorini.model.body import Body
from signorini.model.body_list import BodyList
from signorini.model.component import DryFriction, Force, Joint, Limit, StiffForce
from signorini.model.coordinate import WORLD
from signorini.problem.errors import ModelError, suggestion

BodyLike = Body | str | int
"""A body, its name, or its place in `Model.bodies`."""


class Parts:
    """Bodies and what acts between them, by place and by name."""

    bodies: BodyList
    """In the order in which they were added; add them by the methods, which check them."""
    joints: list[Joint]
    """Joints and motors that prescribe a motion, in the order of their rows in the problem of a step."""
    limits: list[Limit]
    """Ends of travel, ropes and struts."""
    dry_frictions: list[DryFriction]
    """Friction in joints, brakes, clutches."""
    stiff_forces: list[StiffForce]
    """Springs, dampers, bushings, actuators: implicit in the step."""
    forces: list[Force]
    """Explicit in the step."""

    def __init__(self) -> None:
        self.bodies = BodyList()
        self.joints, self.limits = [], []
        self.dry_frictions, self.stiff_forces, self.forces = [], [], []
        self._part_names: set[str] = set()

    def body_index(self, body: BodyLike) -> int:
        """Place of a body, given itself, its name or its place, in `bodies`."""
        if isinstance(body, Body):
            index = self.bodies.find(body.name)
            if index < 0 or self.bodies[index] is not body:
                raise ModelError(f"body {body.name!r} belongs to another model")
            return index
        if isinstance(body, str):
            index = self.bodies.find(body)
            if index < 0:
                raise ModelError(f"no body is named {body!r}; there are {self._some_names()}")
            return index
        if isinstance(body, bool) or not isinstance(body, int | np.integer) or not 0 <= body < len(self.bodies):
            raise ModelError(f"no body {body!r}: give a body, a name, or a number from 0 to {len(self.bodies) - 1}")
        return int(body)

    def joint(self, name: str) -> Joint:
        """The joint or prescribing motor of that name."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        names = [joint.name for joint in self.joints]
        raise ModelError(f"no joint is named {name!r}{suggestion(name, names[:8], 'there are')}")

    def _movable_index(self, body: BodyLike, what: str) -> int:
        index = self.body_index(body)
        if not self.bodies[index].movable:
            raise ModelError(f"{what} on {self.bodies[index].name!r} has no effect: it is fixed or has a motion")
        return index

    def _pair(self, a: BodyLike | None, b: BodyLike | None, what: str) -> tuple[int, int]:
        """Indices of two different bodies, None for the world, at least one of which moves freely."""
        i, j = (WORLD if body is None else self.body_index(body) for body in (a, b))
        if i == j:
            who = "the world" if i == WORLD else repr(self.bodies[i].name)
            raise ModelError(f"{what} ties {who} to itself: give two different bodies, or None for the world")
        if not any(k != WORLD and self.bodies[k].movable for k in (i, j)):
            names = " and ".join("the world" if k == WORLD else repr(self.bodies[k].name) for k in (i, j))
            raise ModelError(f"{what} between {names} has no effect: both are fixed or have a motion")
        return i, j

    def _body_or_world(self, index: int) -> Body | None:
        return None if index == WORLD else self.bodies[index]

    def _part_name(self, name: str | None, kind: str) -> str:
        """A name that no joint, limit, friction or force has, checked or made up."""
        if name is None:
            number = len(self._part_names)
            while f"{kind}-{number}" in self._part_names:
                number += 1
            name = f"{kind}-{number}"
        elif not isinstance(name, str) or not name:
            raise ModelError(f"name is {name!r}, expected a text that is not empty")
        elif name in self._part_names:
            raise ModelError(f"there is a joint, motor or spring named {name!r} already; pass another name=...")
        return name

    def _some_names(self) -> str:
        names, more = [body.name for body in self.bodies[:8]], len(self.bodies) - 8
        return ", ".join(names) + (f" and {more} more" if more > 0 else "") or "none yet"
