"""What joints between two frames have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.component import JointRows
from signorini.model.coordinate import ANGLE, OFFSET, WORLD, Coordinate, Coordinates, Frame, Z, columns_in, columns_of
from signorini.model.state import State
from signorini.problem.errors import ModelError

Row = tuple[int, int, int]
"""Kind of a `Coordinate` and its axes (i, j)."""


@dataclass(frozen=True, eq=False)
class Framed:
    """Two frames, one in each body; they coincide where the joint is assembled. The axis of a joint is z."""

    name: str
    a: int
    """Index in `Model.bodies`, or WORLD."""
    b: int
    frame_a: Frame
    frame_b: Frame

    KIND: ClassVar[str]
    """In words, for messages."""
    TURNS: ClassVar[bool] = False
    """Whether b turns against a about z, so that the joint has an angle."""
    SLIDES: ClassVar[bool] = False
    """Whether b slides against a along z, so that the joint has a position."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """The bodies among a and b."""
        return tuple(body for body in (self.a, self.b) if body != WORLD)

    def coordinate(self, kind: int, i: int = 0, j: int = 0) -> Coordinate:
        """A coordinate between the two frames."""
        return Coordinate(kind, (i, j), self.a, self.b, self.frame_a, self.frame_b)

    @cached_property
    def angle(self) -> Coordinate:
        """How far b has turned against a since t = 0."""
        if not self.TURNS:
            raise ModelError(f"{self.KIND} {self.name!r} has no angle; take a revolute, cylindrical or screw joint")
        return self.coordinate(ANGLE)

    @cached_property
    def slide(self) -> Coordinate:
        """How far b has slid along the axis since t = 0."""
        if not self.SLIDES:
            raise ModelError(f"{self.KIND} {self.name!r} does not slide; take a prismatic, cylindrical or screw joint")
        return self.coordinate(OFFSET, Z)


@dataclass(frozen=True, eq=False)
class FramedJoint(Framed):
    """A joint whose errors are coordinates between its frames, plus constants: `Psi = value + offset`."""

    ROWS: ClassVar[tuple[Row, ...]] = ()

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """One per row."""
        return tuple(self.coordinate(*row) for row in self.ROWS)

    @cached_property
    def offset(self) -> Array:
        """What is added to the coordinates, shape (rows,)."""
        return np.zeros(len(self.ROWS))

    @cached_property
    def _table(self) -> Coordinates:
        return Coordinates.of(self.coordinates)

    def rows(self, state: State) -> JointRows:
        """The joint's rows at a state."""
        value, jacobian = self._table.evaluate(state)
        kept = jacobian[:, columns_in(self.a, self.b)]
        return JointRows(columns_of(self.a, self.b), kept, value + self.offset, np.zeros(len(value)))
