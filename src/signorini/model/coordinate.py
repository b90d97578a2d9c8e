"""Coordinates between frames of two bodies: what joints, limits, motors, brakes and springs are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.kernels.bodies import coordinates as kernels
from signorini.kernels.bodies.coordinates import ANGLE, DISTANCE, DOT, OFFSET, TURN
from signorini.math.cached import cached_property
from signorini.math.rotations import IDENTITY, conjugate, multiply, rotate
from signorini.math.sparse import Array, Indices
from signorini.model.body import Body
from signorini.model.state import State

WORLD = -1
"""Index that stands for the world where a body is expected."""
X, Y, Z = 0, 1, 2
TWO_TURNS, ONE_TURN = 4.0 * math.pi, 2.0 * math.pi


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame that is fixed in a body, or in the world."""

    position: Array
    """[m], shape (3,)."""
    orientation: Array
    """Unit quaternion (w, x, y, z), frame to body."""

    def __repr__(self) -> str:
        return f"Frame({_numbers(self.position)}, {_numbers(self.orientation)})"

    @classmethod
    def on(cls, body: Body | None, position: Array, orientation: Array = IDENTITY) -> Frame:
        """The frame that stands there in the world at t = 0; None is the world itself."""
        if body is None:
            return cls(position, orientation)
        back = conjugate(body.orientation)
        return cls(rotate(back, position - body.position), multiply(back, orientation))


def _numbers(values: Array) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A number that describes the pose of frame b relative to frame a.

    With p the origins of the frames in the world, (x, y, z) their axes and `s = (s_w, s_v)` the quaternion of the
    rotation from frame a to frame b, there are these kinds:

    - OFFSET: `a_i . (p_b - p_a)`, the place of b along axis i of a [m];
    - DOT: `a_i . b_j`, the cosine between axis i of a and axis j of b [-];
    - TURN: component i of `2 sign(s_w) s_v`, for small turns the rotation vector [rad];
    - ANGLE: `2 atan2(s_z, s_w)`, the turn of b against a about z [rad]; the sign of quaternions that turn
      continuously makes it known within two turns, from -2 pi to 2 pi;
    - DISTANCE: `|p_b - p_a|` [m].
    """

    kind: int
    axes: tuple[int, int]
    """(i, j); unused ones are 0."""
    a: int
    """Index in `Model.bodies`, or WORLD."""
    b: int
    frame_a: Frame
    frame_b: Frame

    @property
    def bodies(self) -> tuple[int, ...]:
        """The bodies among a and b."""
        return tuple(body for body in (self.a, self.b) if body != WORLD)

    @cached_property
    def table(self) -> Coordinates:
        """Of this coordinate alone."""
        return Coordinates.of((self,))

    def at(self, state: State) -> tuple[float, Array]:
        """Value, and its derivatives over the columns of `bodies`."""
        value, jacobian = self.table.evaluate(state)
        return float(value[0]), jacobian[0, columns_in(self.a, self.b)]

    @cached_property
    def columns(self) -> Indices:
        """Of the derivatives, in the layout of `model.component`."""
        return columns_of(self.a, self.b)

    @property
    def is_angle(self) -> bool:
        """Whether it is known but for whole turns."""
        return self.kind == ANGLE


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Many coordinates as arrays."""

    kind: Indices
    """Shape (m,)."""
    axis: Indices
    """i and j, shape (m, 2)."""
    body: Indices
    """a and b, shape (m, 2)."""
    point: Array
    """Origins of the frames in their bodies [m], shape (m, 2, 3)."""
    turn: Array
    """Orientations of the frames in their bodies, shape (m, 2, 4)."""

    @classmethod
    def of(cls, coordinates: Sequence[Coordinate]) -> Coordinates:
        """One after another."""
        m = len(coordinates)
        frames = [(c.frame_a, c.frame_b) for c in coordinates]
        return cls(
            np.array([c.kind for c in coordinates], dtype=np.int64),
            np.array([c.axes for c in coordinates], dtype=np.int64).reshape(m, 2),
            np.array([(c.a, c.b) for c in coordinates], dtype=np.int64).reshape(m, 2),
            np.array([[f.position for f in pair] for pair in frames], dtype=np.float64).reshape(m, 2, 3),
            np.array([[f.orientation for f in pair] for pair in frames], dtype=np.float64).reshape(m, 2, 4),
        )

    def evaluate(self, state: State) -> tuple[Array, Array]:
        """Values, shape (m,), and derivatives over the 12 columns of a and b (see `model.component`), shape (m, 12)."""
        value, jacobian = np.empty(len(self.kind)), np.empty((len(self.kind), 12))
        poses = (np.ascontiguousarray(state.position), np.ascontiguousarray(state.orientation))
        kernels.evaluate(self.kind, self.axis, self.body, self.point, self.turn, *poses, value, jacobian)
        return value, jacobian


def columns_of(a: int, b: int) -> Indices:
    """Columns of two bodies, without those of the world."""
    return np.concatenate([6 * body + np.arange(6) for body in (a, b) if body != WORLD])


def columns_in(a: int, b: int) -> slice:
    """Which of the 12 columns of a and b are not the world's."""
    return slice(6 * (a == WORLD), 12 - 6 * (b == WORLD))


def wrapped(value: float, period: float = ONE_TURN) -> float:
    """`value` but for whole periods, from -period/2 to period/2."""
    return math.remainder(value, period)


__all__ = [
    "ANGLE", "DISTANCE", "DOT", "OFFSET", "ONE_TURN", "TURN", "TWO_TURNS", "WORLD", "X", "Y", "Z",
    "Coordinate", "Coordinates", "Frame", "columns_in", "columns_of", "wrapped",
]  # fmt: skip
