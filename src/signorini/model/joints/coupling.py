"""A linear relation between the angles and positions of joints: gear trains, differentials, belts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

from signorini.model.component import JointRows
from signorini.model.coordinate import TWO_TURNS, Coordinate, wrapped
from signorini.model.functions.function import Function
from signorini.model.state import State
from signorini.problem.errors import ModelError

LARGEST_TEETH = 1000
"""Weights of angles whose ratios are those of whole numbers up to this hold over any number of turns."""
RATIONAL = 1e-10
"""How near a ratio has to be to that of whole numbers."""
KNOWN_TURN = 1.9 * math.pi
"""Angles are known within two turns: how far one may turn where its weight has no whole ratio to others [rad]."""


@dataclass(frozen=True, eq=False)
class LinearCoupling:
    """`Psi = sum_i a_i q_i - c(t)` of angles and positions of joints, 1 row.

    Angles are known but for two turns, so Psi is known but for multiples of `period`: the greatest number whose
    multiples are `4 pi a_i` for every angle. Of all values the one next to 0 is taken, which is right over any number
    of turns while the error is below half a period. A period of 0 stands for weights without a common measure; the
    angles are then followed for 0.95 of a turn from t = 0 and no further.
    """

    name: str
    coordinates: tuple[Coordinate, ...]
    """q_i."""
    weights: tuple[float, ...]
    """a_i."""
    constant: Function
    """c."""
    period: float
    """[as Psi]; infinite where there are no angles."""
    collide: bool = False
    """Whether bodies that only the coupling ties may touch."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """All bodies of the joints."""
        return bodies_of(self.coordinates)

    def rows(self, state: State) -> JointRows:
        """One row; raises `ModelError` where the angles are no longer known."""
        rows = coupled_rows(self.weights, self.coordinates, self.period, state, self.constant.value(state.time))
        if self.period == 0.0:
            self._check_turns(state)
        return JointRows(rows.columns, rows.jacobian, rows.error, -np.array([self.constant.derivative(state.time)]))

    def _check_turns(self, state: State) -> None:
        for coordinate in self.coordinates:
            value = coordinate.at(state)[0]
            if coordinate.is_angle and abs(value) > KNOWN_TURN:
                raise ModelError(
                    f"an angle of the coupling {self.name!r} is {value:.2f} rad at t = {state.time:g} s, and is known "
                    f"within {KNOWN_TURN:.2f} rad only, because the weights of its angles are not in the ratio of "
                    f"whole numbers up to {LARGEST_TEETH}: give such weights, or limit its joint"
                )


def coupled_rows(
    weights: Sequence[float], coordinates: Sequence[Coordinate], period: float, state: State, constant: float = 0.0
) -> JointRows:
    """The row `sum_i a_i q_i - c` but for multiples of `period` (0 or infinite: as it is)."""
    parts = [coordinate.at(state) for coordinate in coordinates]
    columns, place = np.unique(np.concatenate([c.columns for c in coordinates]), return_inverse=True)
    row = np.zeros((1, len(columns)))
    np.add.at(row[0], place, np.concatenate([a * slope for a, (_, slope) in zip(weights, parts, strict=True)]))
    error = sum(a * value for a, (value, _) in zip(weights, parts, strict=True)) - constant
    error = wrapped(error, period) if 0.0 < period < math.inf else error
    return JointRows(columns, row, np.array([error]), np.zeros(1))


def bodies_of(coordinates: Sequence[Coordinate]) -> tuple[int, ...]:
    """All bodies that the coordinates speak of, each once."""
    return tuple(sorted({body for coordinate in coordinates for body in coordinate.bodies}))


def common_period(weights: Sequence[float]) -> float:
    """Greatest number whose multiples are `4 pi a` for all weights of angles; 0 if there is none, infinite for none."""
    if not weights:
        return math.inf
    first = abs(weights[0])
    ratios = [Fraction(abs(a) / first).limit_denominator(LARGEST_TEETH) for a in weights]
    if any(abs(float(r) * first - abs(a)) > RATIONAL * abs(a) for r, a in zip(ratios, weights, strict=True)):
        return 0.0
    whole = math.lcm(*(r.denominator for r in ratios))
    measure = reduce(math.gcd, (int(r * whole) for r in ratios))
    if whole // measure > LARGEST_TEETH:
        return 0.0
    return TWO_TURNS * first * measure / whole
