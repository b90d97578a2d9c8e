"""A rope that rubs on a drum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.component import DryFriction, FrictionRows
from signorini.model.coordinate import Coordinate
from signorini.model.joints.joined_points import MaterialPoint
from signorini.model.joints.pulley_rope import COINCIDENT, each_once
from signorini.model.state import State
from signorini.problem.errors import ModelError


def refuse_capstans(parts: Sequence[DryFriction], who: str) -> None:
    """`ModelError` where a rope rubs on a drum, and `who`, an integrator, does not know how."""
    for part in parts:
        if isinstance(part, Capstan):
            raise ModelError(f"{who} knows no rope that rubs on a drum ({part.name!r}); integrator='dvi' does")


@dataclass(frozen=True, eq=False)
class Capstan:
    """A massless rope that cannot stretch, wound on a drum by an angle phi: it sticks or slips by Euler and Eytelwein.

    With the tensions T1 and T2 of its ends, `T1 <= exp(mu phi) T2` and the other way round, that is

        |T2 - T1| <= tanh(mu phi / 2) (T1 + T2),

    a cone of Coulomb: its normal is the slack `length - s1 - s2` of the free spans, its impulse (T1 + T2) / 2, its
    tangent the slip `s1' - s2' - 2 r theta'`, its impulse (T2 - T1) / 2. A drum turns by theta.
    """

    name: str
    first: tuple[MaterialPoint, MaterialPoint]
    """Ends of the span s1: of the rope, and on the drum."""
    second: tuple[MaterialPoint, MaterialPoint]
    """Ends of the span s2: on the drum, and of the rope."""
    length: float
    """Of both spans together [m]."""
    coefficient: float
    """tanh(mu phi / 2) [-]."""
    drum: Coordinate | None
    """theta."""
    radius: float
    """r [m]: positive where a growing theta draws the rope towards its first end; 0 for a drum that stands still."""

    @staticmethod
    def coefficient_of(friction: float, wrap: float) -> float:
        """tanh(mu phi / 2)."""
        return math.tanh(0.5 * friction * wrap)

    def rows(self, state: State) -> FrictionRows:
        """Two rows, normal and tangent."""
        columns: list[Indices] = []
        both: list[Array] = []
        spans = [self._span(state, *ends) for ends in (self.first, self.second)]
        for sign, (_, parts) in zip((1.0, -1.0), spans, strict=True):
            for column, slope in parts:
                columns.append(column)
                both.append(np.stack((-slope, sign * slope)))
        if self.drum is not None:
            _, slope = self.drum.at(state)
            columns.append(self.drum.columns)
            both.append(np.stack((np.zeros_like(slope), -2.0 * self.radius * slope)))
        once, _ = each_once(columns, [rows[0] for rows in both])
        jacobian = np.vstack([each_once(columns, [rows[k] for rows in both])[1] for k in (0, 1)])
        slack = self.length - spans[0][0] - spans[1][0]
        return FrictionRows(once, jacobian, np.zeros(2), np.zeros(2), np.array([slack, 0.0]), self.coefficient)

    @staticmethod
    def _span(state: State, a: MaterialPoint, b: MaterialPoint) -> tuple[float, list[tuple[Indices, Array]]]:
        """Its length, and its derivatives with their columns."""
        way = b.place(state) - a.place(state)
        distance = float(np.linalg.norm(way))
        along = way / distance if distance > COINCIDENT else np.zeros(3)
        parts = []
        for point, sign in ((a, -1.0), (b, 1.0)):
            column, jacobian = point.jacobian(state)
            parts.append((column, sign * along @ jacobian))
        return distance, parts
