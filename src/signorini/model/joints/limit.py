"""The ends of the travel of a joint."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.component import JointRows
from signorini.model.coordinate import TWO_TURNS, Coordinate, wrapped
from signorini.model.state import State

WIDEST_ANGLE = 3.5 * math.pi
"""Angles are known within two turns; the remainder distinguishes a struck limit from the other one [rad]."""


@dataclass(frozen=True, eq=False)
class CoordinateLimit:
    """`low <= s <= high` of a coordinate: `Phi = (s - low, high - s)`, without the row of a limit that is infinite.

    The impulse of a row is >= 0 and pushes away from its end.
    """

    name: str
    coordinate: Coordinate
    low: float
    """[m or rad]."""
    high: float

    @property
    def ends(self) -> tuple[tuple[float, float], ...]:
        """(sign, offset) of each row: `Phi = sign s + offset`."""
        both = ((1.0, -self.low), (-1.0, self.high))
        return tuple(end for end in both if math.isfinite(end[1]))

    @cached_property
    def signs(self) -> Array:
        """Of each row, shape (rows,)."""
        return np.array([sign for sign, _ in self.ends])

    @cached_property
    def offset(self) -> Array:
        """Of each row, shape (rows,)."""
        return np.array([offset for _, offset in self.ends])

    def unwound(self, value: float) -> float:
        """The coordinate itself, an angle in the window of two turns around the middle of its range."""
        if not self.coordinate.is_angle:
            return value
        middle = 0.5 * (self.low + self.high)
        return middle + wrapped(value - middle, TWO_TURNS)

    def rows(self, state: State) -> JointRows:
        """One row per finite end."""
        value, slope = self.coordinate.at(state)
        error = self.signs * self.unwound(value) + self.offset
        return JointRows(self.coordinate.columns, self.signs[:, None] * slope, error, np.zeros(len(self.signs)))
