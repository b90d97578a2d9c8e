"""Servos with limits in the linearised implicit step.

The effort of a servo is that at the end of the step: `f = clamp(k (s* - s0 - h u) + r (ds*/dt - u) + f*)`, with u the
new rate of its coordinate. Which servos are at their limits there is not known before the step is solved: a guess is
made, the step is solved with those at constant effort and the others as springs and dampers, and where the answer
contradicts the guess, it is solved again with the set of the answer. This is Newton's method on the clamps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.assembly.masses import Masses
from signorini.kernels.bodies.coordinate_rates import coordinate_rates
from signorini.kernels.bodies.servos import ServoTable, guess_limits, judge_limits
from signorini.math.sparse import Array
from signorini.model.coordinate import TWO_TURNS, Coordinates
from signorini.model.forces.servo import Servo
from signorini.model.model import Model
from signorini.model.state import State

MOST_ROUNDS = 8
"""Most solves of a step; the last one is accepted."""


@dataclass(eq=False)
class Servos:
    """The servos of a model, in the steps of one simulation."""

    servos: tuple[Servo, ...]
    coordinates: Coordinates
    table: ServoTable
    h: float

    @classmethod
    def of(cls, model: Model, masses: Masses, h: float) -> Servos:
        """Of a model; there may be none."""
        servos = tuple(force for force in model.stiff_forces if isinstance(force, Servo))
        coordinates = Coordinates.of([servo.coordinate for servo in servos])
        ease = _ease(coordinates, coordinates.evaluate(model.initial_state())[1], masses)
        return cls(servos, coordinates, _table(servos, ease), h)

    def __len__(self) -> int:
        return len(self.servos)

    @property
    def stand_still(self) -> bool:
        """Whether targets and efforts change only when they are set."""
        return all(servo.target.stands_still and servo.effort.stands_still for servo in self.servos)

    def fill(self, time: float) -> None:
        """Put targets at a time [s] into the table."""
        table = self.table
        for k, servo in enumerate(self.servos):
            table.target[k], table.speed[k] = servo.target.value(time), servo.target.derivative(time)
            table.effort[k] = servo.effort.value(time)

    def start(self, state: State) -> Array:
        """Guess which servos are at their limits at the end of the step from `state`; returns derivatives of the
        coordinates."""
        self.fill(state.time)
        self._place, jacobian = self.coordinates.evaluate(state)
        rate = coordinate_rates(self.coordinates.body, jacobian, state.velocity, state.angular_velocity)
        guess_limits(self.table, self._place, rate, self.h)
        self._tell()
        return jacobian

    def agree(self, jacobian: Array, end: State) -> bool:
        """Whether the step to `end` is that of the guess; if not, the guess is changed."""
        rate = coordinate_rates(self.coordinates.body, jacobian, end.velocity, end.angular_velocity)
        agreed = bool(judge_limits(self.table, self._place, rate, self.h))
        self._tell()
        self.tell_efforts()
        return agreed

    def tell_efforts(self) -> None:
        """Store the efforts of the last step in the servos."""
        for servo, effort in zip(self.servos, self.table.given.tolist(), strict=True):
            servo.given = effort

    def finish(self) -> None:
        """Let efforts follow the state again."""
        for servo in self.servos:
            servo.saturation = None

    def _tell(self) -> None:
        for servo, saturation in zip(self.servos, self.table.saturation.tolist(), strict=True):
            servo.saturation = saturation


def _table(servos: Sequence[Servo], ease: Array) -> ServoTable:
    k, r, limit = np.array([(servo.stiffness, servo.damping, servo.limit) for servo in servos]).reshape(-1, 3).T.copy()
    period = np.array([TWO_TURNS if servo.coordinate.is_angle else 0.0 for servo in servos], dtype=np.float64)
    target, speed, effort, given = np.zeros((4, len(servos)))
    saturation = np.zeros(len(servos), dtype=np.int64)
    return ServoTable(k, r, limit, ease, period, target, speed, effort, saturation, given)


def _ease(table: Coordinates, jacobian: Array, masses: Masses) -> Array:
    out = np.zeros(len(table.kind))
    for row, bodies in enumerate(table.body.tolist()):
        for side, body in enumerate(bodies):
            place = masses.place[body] if body >= 0 else -1
            if place >= 0:
                linear, angular = jacobian[row, 6 * side : 6 * side + 3], jacobian[row, 6 * side + 3 : 6 * side + 6]
                out[row] += linear @ linear / masses.mass[place]
                out[row] += angular @ np.linalg.solve(masses.inertia[place], angular)
    return out
