"""How a user ties bodies together."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.rotations import IDENTITY, from_matrix, with_z_along
from signorini.math.sparse import Array
from signorini.model.checks import finite, not_negative, positive, unit_vector, vector
from signorini.model.coordinate import DISTANCE, Coordinate, Frame
from signorini.model.functions.constant import Constant
from signorini.model.joints.cylindrical import Cylindrical
from signorini.model.joints.distance import Distance
from signorini.model.joints.dry_friction import CoordinateFriction
from signorini.model.joints.fixed import Fixed
from signorini.model.joints.framed import Framed, FramedJoint
from signorini.model.joints.limit import WIDEST_ANGLE, CoordinateLimit
from signorini.model.joints.parallel_axes import ParallelAxes
from signorini.model.joints.planar import Planar
from signorini.model.joints.point_on_line import PointOnLine
from signorini.model.joints.point_on_plane import PointOnPlane
from signorini.model.joints.prismatic import Prismatic
from signorini.model.joints.revolute import Revolute
from signorini.model.joints.screw import Screw
from signorini.model.joints.spherical import Spherical
from signorini.model.joints.universal import Universal
from signorini.model.parts import BodyLike, Parts
from signorini.problem.errors import ModelError

Limits = tuple[float, float]
J = TypeVar("J", bound=FramedJoint)
FAR = 1000.0
"""Joints farther from their bodies than this many times their size are reported."""
PERPENDICULAR = 1e-9
"""Largest cosine between the two axes of a universal joint."""


class Joinery(Parts):
    """Adds joints between two bodies a and b; None is the world.

    Places [m] and directions are given in the world, as they are at t = 0. The angle and the position of a joint are
    those of b against a along the axis, and 0 at t = 0. Bodies that a joint ties do not collide with each other.
    """

    def add_fixed_joint(
        self, a: BodyLike | None, b: BodyLike | None, position: ArrayLike | None = None, name: str | None = None
    ) -> Fixed:
        """Let two bodies move as one; `position` is where their reaction is measured, by default the centre of b."""
        i, j = self._pair(a, b, "a fixed joint")
        body = self._body_or_world(j) or self.bodies[i]
        place = body.position.copy() if position is None else vector(position, "position of a fixed joint")
        return self._tie(Fixed, i, j, place, IDENTITY, name)

    def add_spherical(
        self, a: BodyLike | None, b: BodyLike | None, position: ArrayLike, name: str | None = None
    ) -> Spherical:
        """Keep a point of b in a point of a: a ball joint."""
        i, j = self._pair(a, b, "a spherical joint")
        return self._tie(Spherical, i, j, vector(position, "position of a spherical joint"), IDENTITY, name)

    def add_revolute(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position: ArrayLike,
        axis: ArrayLike,
        limits: Limits | None = None,
        friction: float = 0.0,
        name: str | None = None,
    ) -> Revolute:
        """A hinge: b turns against a about `axis`, between `limits` [rad], against a torque of `friction` [N m]."""
        return self._tie_along(Revolute, a, b, position, axis, name, limits, friction)

    def add_prismatic(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        axis: ArrayLike,
        position: ArrayLike | None = None,
        limits: Limits | None = None,
        friction: float = 0.0,
        name: str | None = None,
    ) -> Prismatic:
        """A slide: b moves along `axis` of a, between `limits` [m], against a force of `friction` [N]."""
        return self._tie_along(Prismatic, a, b, position, axis, name, limits, friction)

    def add_cylindrical(
        self, a: BodyLike | None, b: BodyLike | None, position: ArrayLike, axis: ArrayLike, name: str | None = None
    ) -> Cylindrical:
        """Let b slide along `axis` of a and turn about it."""
        return self._tie_along(Cylindrical, a, b, position, axis, name)

    def add_universal(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position: ArrayLike,
        axis_a: ArrayLike,
        axis_b: ArrayLike,
        name: str | None = None,
    ) -> Universal:
        """A Cardan joint: a cross of `axis_a`, fixed in a, and of `axis_b`, fixed in b, perpendicular to it."""
        i, j = self._pair(a, b, "a universal joint")
        x, y = (
            unit_vector(axis, f"{word} of a universal joint") for axis, word in ((axis_a, "axis_a"), (axis_b, "axis_b"))
        )
        if abs(x @ y) > PERPENDICULAR:
            degrees = math.degrees(math.acos(min(1.0, abs(float(x @ y)))))
            raise ModelError(f"the axes of a universal joint are {degrees:.4g} degrees apart, expected 90")
        turn = from_matrix(np.column_stack((x, y, np.cross(x, y))))
        return self._tie(Universal, i, j, vector(position, "position of a universal joint"), turn, name)

    def add_planar(
        self, a: BodyLike | None, b: BodyLike | None, position: ArrayLike, normal: ArrayLike, name: str | None = None
    ) -> Planar:
        """Let b slide on the plane of a through `position` and turn about its `normal`."""
        return self._tie_along(Planar, a, b, position, normal, name)

    def add_point_on_line(
        self, a: BodyLike | None, b: BodyLike | None, position: ArrayLike, axis: ArrayLike, name: str | None = None
    ) -> PointOnLine:
        """Keep the point of b that is at `position` on the line of a through it along `axis`."""
        return self._tie_along(PointOnLine, a, b, position, axis, name)

    def add_point_on_plane(
        self, a: BodyLike | None, b: BodyLike | None, position: ArrayLike, normal: ArrayLike, name: str | None = None
    ) -> PointOnPlane:
        """Keep the point of b that is at `position` on the plane of a through it across `normal`."""
        return self._tie_along(PointOnPlane, a, b, position, normal, name)

    def add_parallel_axes(
        self, a: BodyLike | None, b: BodyLike | None, axis: ArrayLike, name: str | None = None
    ) -> ParallelAxes:
        """Keep the directions of a and of b that are along `axis` parallel."""
        return self._tie_along(ParallelAxes, a, b, None, axis, name)

    def add_guide(
        self, body: BodyLike, point: ArrayLike | None = None, direction: ArrayLike = (0, 0, 1)
    ) -> PointOnLine:
        """Keep the point of a body that is at `point` [m] (world) at t = 0 on the line through it along `direction`.

        Without `point` it is the centre of mass. The body turns freely.
        """
        index = self._movable_index(body, "a guide")
        place = self.bodies[index].position if point is None else vector(point, "point of a guide")
        turn = with_z_along(unit_vector(direction, "direction of a guide"))
        return self._tie(PointOnLine, -1, index, place, turn, self._part_name(None, "guide"))

    def add_distance(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position_a: ArrayLike,
        position_b: ArrayLike,
        length: float | None = None,
        name: str | None = None,
    ) -> Distance:
        """A massless rod between a point of a and a point of b; `length` [m] is their distance at t = 0 by default."""
        name, s, now = self._distance(a, b, position_a, position_b, name, "distance joint")
        size = positive(now if length is None else length, f"length of the distance joint {name!r}")
        joint = Distance(name, s.a, s.b, s.frame_a, s.frame_b, size)
        self._keep(self.joints, joint)
        return joint

    def add_rope(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position_a: ArrayLike,
        position_b: ArrayLike,
        length: float | None = None,
        name: str | None = None,
    ) -> CoordinateLimit:
        """Keep two points within `length` [m] of each other, by default as far as they are at t = 0: a limit."""
        name, s, now = self._distance(a, b, position_a, position_b, name, "rope")
        limit = CoordinateLimit(name, s, -math.inf, positive(now if length is None else length, f"length of {name!r}"))
        self._keep(self.limits, limit)
        return limit

    def add_strut(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position_a: ArrayLike,
        position_b: ArrayLike,
        length: float | None = None,
        name: str | None = None,
    ) -> CoordinateLimit:
        """Keep two points at least `length` [m] apart, by default as far as they are at t = 0: a limit."""
        name, s, now = self._distance(a, b, position_a, position_b, name, "strut")
        limit = CoordinateLimit(name, s, positive(now if length is None else length, f"length of {name!r}"), math.inf)
        self._keep(self.limits, limit)
        return limit

    def add_screw(
        self,
        a: BodyLike | None,
        b: BodyLike | None,
        position: ArrayLike,
        axis: ArrayLike,
        pitch: float,
        name: str | None = None,
    ) -> Screw:
        """Let b turn about `axis` of a and advance by `pitch` [m] in every turn (negative: a left-hand thread)."""
        i, j = self._pair(a, b, "a screw joint")
        place, turn = vector(position, "position of a screw joint"), unit_vector(axis, "axis of a screw joint")
        if finite(pitch, "pitch of a screw joint") == 0.0:
            raise ModelError("pitch of a screw joint is 0, expected another number; a hinge is add_revolute")
        name = self._part_name(name, "screw")
        joint = Screw(name, i, j, *self._frames(i, j, place, with_z_along(turn)), float(pitch))
        self._keep(self.joints, joint)
        return joint

    # --- the same for all -----------------------------------------------------------------------------------------

    def _tie_along(
        self,
        kind: type[J],
        a: BodyLike | None,
        b: BodyLike | None,
        position: ArrayLike | None,
        axis: ArrayLike,
        name: str | None,
        limits: Limits | None = None,
        friction: float = 0.0,
    ) -> J:
        """A joint whose z axis is `axis`, with its limits and its friction."""
        i, j = self._pair(a, b, f"a {kind.KIND}")
        body = self._body_or_world(j) or self.bodies[i]
        place = body.position.copy() if position is None else vector(position, f"position of a {kind.KIND}")
        along = unit_vector(axis, f"axis of a {kind.KIND}")
        ends = None if limits is None else self._ends(limits, kind)
        most = not_negative(friction, f"friction of a {kind.KIND}")
        joint = self._tie(kind, i, j, place, with_z_along(along), name)
        travel = joint.angle if kind.TURNS else joint.slide if kind.SLIDES else None
        if travel is not None and ends is not None:
            self.limits.append(CoordinateLimit(joint.name, travel, *ends))
        if travel is not None and most > 0.0:
            self.dry_frictions.append(CoordinateFriction(joint.name, travel, Constant(most), Constant(0.0)))
        return joint

    def _tie(self, kind: type[J], i: int, j: int, place: Array, turn: Array, name: str | None) -> J:
        word = re.sub("(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
        joint = kind(self._part_name(name, word), i, j, *self._frames(i, j, place, turn))
        self._tell_far_anchor(joint.name, i, j, place)
        self._keep(self.joints, joint)
        return joint

    def _tell_far_anchor(self, name: str, i: int, j: int, place: Array) -> None:
        """Warn of a joint that is very far from the bodies that it ties, for their size: units are easily mixed up."""
        bodies = [body for body in (self._body_or_world(i), self._body_or_world(j)) if body is not None]
        sizes = [part.shape.bounding_radius() for body in bodies for part in body.shapes]
        away = min(float(np.linalg.norm(body.position - place)) for body in bodies)
        if sizes and away > FAR * max(sizes):
            near = min(bodies, key=lambda body: float(np.linalg.norm(body.position - place)))
            warnings.warn(
                f"joint {name!r} is {away:.4g} m away from body {near.name!r}, whose size is {max(sizes):.2g} m: "
                "places of joints are given in the world, in metres",
                stacklevel=5,
            )

    def _frames(self, i: int, j: int, place: Array, turn: Array) -> tuple[Frame, Frame]:
        first, second = (Frame.on(self._body_or_world(k), place, turn) for k in (i, j))
        return first, second

    def _distance(
        self, a: BodyLike | None, b: BodyLike | None, position_a: Any, position_b: Any, name: str | None, word: str
    ) -> tuple[str, Coordinate, float]:
        """A name, the coordinate, and its value at t = 0."""
        i, j = self._pair(a, b, f"a {word}")
        name = self._part_name(name, word.replace(" ", "-"))
        ends = [
            vector(p, f"{side} of {name!r}") for p, side in ((position_a, "position_a"), (position_b, "position_b"))
        ]
        frames = [Frame.on(self._body_or_world(k), p) for k, p in zip((i, j), ends, strict=True)]
        return name, Coordinate(DISTANCE, (0, 0), i, j, *frames), float(np.linalg.norm(ends[1] - ends[0]))

    def _ends(self, limits: Limits, kind: type[FramedJoint]) -> Limits:
        what = f"limits of a {kind.KIND}"
        try:
            low, high = (float(end) for end in limits)
        except (TypeError, ValueError):
            raise ModelError(f"{what} are {limits!r}, expected (low, high)") from None
        if math.isnan(low) or math.isnan(high) or low > high or low == math.inf or high == -math.inf:
            raise ModelError(f"{what} are ({low:g}, {high:g}), expected low <= high")
        if kind.TURNS and not high - low <= WIDEST_ANGLE:
            raise ModelError(
                f"{what} are ({low:g}, {high:g}) rad, expected two finite angles at most {WIDEST_ANGLE:.2f} apart: "
                "an angle is known within two turns"
            )
        return low, high

    def _framed(self, joint: Framed | str, what: str) -> Framed:
        """A joint of this model with two frames."""
        found = self.joint(joint) if isinstance(joint, str) else joint
        if not isinstance(found, Framed):
            raise ModelError(f"{what} needs a joint such as that of add_revolute, found {found!r}")
        own: list[object] = list(self.joints)
        if found not in own:
            raise ModelError(f"joint {found.name!r} belongs to another model")
        return found

    def _keep(self, parts: list[Any], part: Any) -> None:
        self._part_names.add(part.name)
        parts.append(part)
