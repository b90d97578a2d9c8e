"""A rope over pulleys."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array, Indices
from signorini.model.component import JointRows
from signorini.model.coordinate import TWO_TURNS, Coordinate
from signorini.model.joints.joined_points import MaterialPoint
from signorini.model.state import State
from signorini.problem.errors import ModelError

COINCIDENT = 1e-12
"""Successive points closer than this [m] have no direction between them; the span pulls neither."""
LEAST_SLACK, KNOWN_SLACK = -0.25, 0.625
"""Window of the slack of a rope on a drum, and where it ends, in the length that two turns wind up."""


@dataclass(frozen=True, eq=False)
class PulleyRope:
    """A massless rope that cannot stretch runs without friction over points of bodies: taut or slack, 1 row.

    `Phi = length + r theta - sum_k |p_(k+1) - p_k| >= 0`, where a drum of radius r pays out `r theta`. The impulse is
    that of the tension, the same in all spans. The angle of a drum is known but for two turns, so Phi is known but for
    `4 pi r`: it is taken between -1/4 and 3/4 of that.
    """

    name: str
    points: tuple[MaterialPoint, ...]
    """p_k, from one end to the other."""
    length: float
    """Of the rope, at angle 0 of the drum [m]."""
    drum: Coordinate | None
    """theta."""
    radius: float
    """r [m]; a negative one winds up where theta grows; 0 without a drum."""

    @property
    def most_slack(self) -> float:
        """How slack the rope may be, so that its slack is known [m]."""
        return math.inf if self.drum is None else KNOWN_SLACK * TWO_TURNS * abs(self.radius)

    def rows(self, state: State) -> JointRows:
        """One row; raises `ModelError` where a rope on a drum is too slack to be known."""
        paid, columns, slopes = 0.0, [], []
        if self.drum is not None:
            theta, slope = self.drum.at(state)
            paid = self.radius * theta
            columns, slopes = [self.drum.columns], [self.radius * slope]
        path = 0.0
        places = [point.place(state) for point in self.points]
        for k in range(len(places) - 1):
            way = places[k + 1] - places[k]
            distance = float(np.linalg.norm(way))
            along = way / distance if distance > COINCIDENT else np.zeros(3)
            path += distance
            for end, sign in ((k, 1.0), (k + 1, -1.0)):
                column, jacobian = self.points[end].jacobian(state)
                columns.append(column)
                slopes.append(sign * along @ jacobian)
        error = self._known(self.length + paid - path, state.time)
        return JointRows(*each_once(columns, slopes), np.array([error]), np.zeros(1))

    def _known(self, slack: float, time: float) -> float:
        if self.drum is None:
            return slack
        period = TWO_TURNS * abs(self.radius)
        low = LEAST_SLACK * period
        value = low + math.fmod(slack - low, period)
        value += period if value < low else 0.0
        if value > self.most_slack:
            raise ModelError(
                f"the rope {self.name!r} is slack by {value:.3g} m at t = {time:g} s, and on a drum of radius "
                f"{abs(self.radius):g} m that is known up to {self.most_slack:.3g} m: brake the drum, or drop it"
            )
        return value


def each_once(columns: list[Indices], slopes: list[Array]) -> tuple[Indices, Array]:
    """Columns, each once, and the row over them, shape (1, columns)."""
    unique, place = np.unique(np.concatenate(columns), return_inverse=True)
    row = np.zeros((1, len(unique)))
    np.add.at(row[0], place, np.concatenate(slopes))
    return unique, row
