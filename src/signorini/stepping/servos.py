"""Servos with limits in the linearised implicit step.

The effort of a servo is that at the end of the step: `f = clamp(k (s* - s0 - h u) + r (ds*/dt - u) + f*)`, with u the
new rate of its coordinate. Which servos are at their limits there is not known before the step is solved: a guess is
made, the step is solved with those at constant effort and the others as springs and dampers, and where the answer is
at odds with the guess, it is solved again with the answer's own set. This is Newton's method on the clamps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.assembly.masses import Masses
from signorini.kernels.bodies.coordinate_rates import coordinate_rates
from signorini.math.sparse import Array
from signorini.model.coordinate import TWO_TURNS, Coordinates
from signorini.model.forces.servo import Saturation, Servo
from signorini.model.model import Model
from signorini.model.state import State

MOST_ROUNDS = 8
"""Solves of a step; the last is taken as it is."""
SLACK = 1e-9
"""Relative: efforts this near to the limit may count as either side of it."""


@dataclass(eq=False)
class Servos:
    """The servos of a model, in the steps of one simulation."""

    servos: tuple[Servo, ...]
    table: Coordinates
    stiffness: Array
    damping: Array
    limit: Array
    ease: Array
    """J M^-1 J' of the two bodies of each, without their joints: at least as easy as it really is to move; only for
    the first guess. Shape (servos,)."""
    period: Array
    """Of the coordinates [rad], 0 for none."""
    h: float

    @classmethod
    def of(cls, model: Model, masses: Masses, h: float) -> Servos | None:
        """Of a model; None without any."""
        servos = tuple(force for force in model.stiff_forces if isinstance(force, Servo))
        if not servos:
            return None
        table = Coordinates.of([servo.coordinate for servo in servos])
        jacobian = table.evaluate(model.initial_state())[1]
        k, r, most = np.array([(servo.stiffness, servo.damping, servo.limit) for servo in servos]).T.copy()
        period = np.array([TWO_TURNS if servo.coordinate.is_angle else 0.0 for servo in servos])
        return cls(servos, table, k, r, most, _ease(table, jacobian, masses), period, h)

    @property
    def limited(self) -> bool:
        """Whether any of them has a limit."""
        return bool(np.isfinite(self.limit).any())

    def start(self, state: State) -> Array:
        """Guess who is at a limit at the end of the step from `state`; gives back derivatives of the coordinates."""
        s, jacobian = self.table.evaluate(state)
        if self.limited:
            rate = coordinate_rates(self.table.body, jacobian, state.velocity, state.angular_velocity)
            easing = 1.0 + self.ease * (self.h * self.damping + self.h**2 * self.stiffness)
            self._set(self._wanted(state.time, s, rate) / easing)
        else:
            for servo in self.servos:
                servo.saturation = 0
        self._place = s
        return jacobian

    def agree(self, state: State, jacobian: Array, end: State) -> bool:
        """Whether the step from `state` to `end` is that of the guess; if not, the guess is changed."""
        rate = coordinate_rates(self.table.body, jacobian, end.velocity, end.angular_velocity)
        wanted = self._wanted(state.time, self._place, rate)
        for servo, effort in zip(self.servos, np.clip(wanted, -self.limit, self.limit).tolist(), strict=True):
            servo.given = effort
        return not self.limited or not self._set(wanted)

    def finish(self) -> None:
        """Let states decide again."""
        for servo in self.servos:
            servo.saturation = None

    def _wanted(self, time: float, place: Array, rate: Array) -> Array:
        """Efforts without limits at the end of a step at these rates."""
        targets = [
            (servo.target.value(time), servo.target.derivative(time), servo.effort.value(time)) for servo in self.servos
        ]
        goal, speed, effort = np.array(targets).T
        error = goal - place
        error -= self.period * np.round(error / TWO_TURNS)
        return np.asarray(self.stiffness * (error - self.h * rate) + self.damping * (speed - rate) + effort)

    def _set(self, wanted: Array) -> bool:
        """Put those that want more than they can at their limits; whether that changed any."""
        changed = False
        for servo, effort in zip(self.servos, wanted.tolist(), strict=True):
            near = abs(abs(effort) - servo.limit) <= SLACK * servo.limit
            own = servo.saturation
            if near and own is not None and (own == 0 or own * effort > 0):
                continue
            new: Saturation = (1 if effort > 0 else -1) if abs(effort) > servo.limit else 0
            changed |= new != own
            servo.saturation = new
        return changed


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
