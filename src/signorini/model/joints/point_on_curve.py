"""A bead on a wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.component import JointRows
from signorini.model.coordinate import OFFSET, Coordinates, columns_in, columns_of
from signorini.model.curves.curve import Curve
from signorini.model.joints.framed import Framed
from signorini.model.state import State

DIRECTIONS = 400
"""Directions among which the one farthest from all tangents of the curve is chosen."""


@dataclass(frozen=True, eq=False)
class PointOnCurve(Framed):
    """The origin of frame b stays on a curve of frame a: it slides along it and turns freely, 2 rows.

    With x the origin in frame a and c(s) the point of the curve next to it, `Psi_i = n_i . (x - c)`, where n_1 and n_2
    are normal to the tangent t: `n_1 ~ a - (a . t) t` for a fixed direction a, `n_2 = t x n_1`. As x moves,
    `d Psi_i = n_i . dx + (n_i' . (x - c)) ds` with `ds = c' . dx / (|c'|^2 - (x - c) . c'')`.
    """

    KIND: ClassVar[str] = "point on a curve"

    curve: Curve
    """In frame a [m]."""

    @cached_property
    def _table(self) -> Coordinates:
        return Coordinates.of([self.coordinate(OFFSET, axis) for axis in range(3)])

    @cached_property
    def _across(self) -> Array:
        """The direction a: as far from all tangents as one of many directions is."""
        k = np.arange(DIRECTIONS)
        height, turn = 1.0 - (k + 0.5) / DIRECTIONS, np.pi * (1.0 + 5**0.5) * k
        ring = np.sqrt(1.0 - height**2)
        many = np.vstack((np.eye(3)[::-1], np.column_stack((ring * np.cos(turn), ring * np.sin(turn), height))))
        # Round-off must not choose among directions that are equally far.
        worst = np.round(np.abs(many @ self.curve.tangents.T).max(axis=1), 6)
        return np.asarray(many[np.argmin(worst)])

    def parameter(self, state: State) -> float:
        """s of the point of the curve next to the bead."""
        x, _ = self._table.evaluate(state)
        return self.curve.nearest(x)

    def rows(self, state: State) -> JointRows:
        """Two rows."""
        x, jacobian = self._table.evaluate(state)
        c, first, second = self.curve.at(self.curve.nearest(x))
        off, speed = x - c, float(np.linalg.norm(first))
        t = first / speed
        bend = (second - (t @ second) * t) / speed
        normals, turning = _normals(t, bend, self._across)
        along = first / (speed**2 - off @ second)
        slope = normals + np.outer(turning @ off, along)
        kept = jacobian[:, columns_in(self.a, self.b)]
        return JointRows(columns_of(self.a, self.b), slope @ kept, normals @ off, np.zeros(2))


def _normals(t: Array, bend: Array, across: Array) -> tuple[Array, Array]:
    """n_1 and n_2, and their derivatives over s, shape (2, 3) each; `bend` is that of the tangent."""
    m = across - (across @ t) * t
    length = float(np.linalg.norm(m))
    one = m / length
    change = -(across @ bend) * t - (across @ t) * bend
    change_one = (change - (one @ change) * one) / length
    two = np.cross(t, one)
    change_two = np.cross(bend, one) + np.cross(t, change_one)
    return np.stack((one, two)), np.stack((change_one, change_two))
