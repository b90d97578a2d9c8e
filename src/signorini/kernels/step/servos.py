"""A step with servos: solved again until those are at their limits that want to be."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.coordinate_rates import coordinate_rates
from signorini.kernels.bodies.coordinates import evaluate
from signorini.kernels.bodies.servos import ServoTable, guess_limits, judge_limits
from signorini.kernels.compile import kernel
from signorini.kernels.step.complete import take_complete
from signorini.kernels.step.packed import AT
from signorini.kernels.step.record import ITERATIONS, STATUS, put, state_of
from signorini.kernels.step.tables import BodyTable, Inertia, SpringTable, StepRules
from signorini.kernels.step.whole import LOOK_AGAIN

MOST_ROUNDS = 8
"""Solves of a step; the last is taken as it is."""


@kernel
def _fill(servos, springs):
    """Put servos into the table of springs, which they are the last of."""
    count = len(servos.target)
    row, entry = len(springs.rest) - count, len(springs.stiffness) - count
    for k in range(count):
        held = servos.saturation[k]
        springs.stiffness[entry + k] = 0.0 if held else servos.stiffness[k]
        springs.damping[entry + k] = 0.0 if held else servos.damping[k]
        springs.rest[row + k] = servos.target[k]
        push = servos.damping[k] * servos.speed[k] + servos.effort[k]
        springs.push[row + k] = held * servos.limit[k] if held else push


@kernel
def take_servoed(address, words, entries, options, numbers, integers):
    """The record of the step after that of a record; see `complete.take_complete`."""
    servos, springs = table(words, AT.servos, ServoTable), table(words, AT.springs, SpringTable)
    count = len(servos.target)
    if count == 0:
        return take_complete(address, words, entries, options, numbers, integers)
    h, bodies = table(words, AT.rules, StepRules).h, len(table(words, AT.bodies, BodyTable).place)
    kind, axis, body, point, turn = springs.coordinates
    first, state = len(springs.rest) - count, state_of(numbers, bodies)
    place, jacobian = np.empty(count), np.empty((count, 12))
    evaluate(
        kind[first:], axis[first:], body[first:], point[first:], turn[first:], state.position, state.orientation,
        place, jacobian,
    )  # fmt: skip
    guess_limits(servos, place, coordinate_rates(body[first:], jacobian, state.velocity, state.spin), h)
    momentum, iterations = table(words, AT.inertia, Inertia).momentum, 0
    applied = momentum.copy()
    for _ in range(MOST_ROUNDS):
        put(momentum, 0, applied)
        _fill(servos, springs)
        found, named = take_complete(address, words, entries, options, numbers, integers)
        if named[STATUS] > LOOK_AGAIN:
            return found, named
        iterations += named[ITERATIONS]
        end = state_of(found, bodies)
        if judge_limits(servos, place, coordinate_rates(body[first:], jacobian, end.velocity, end.spin), h):
            break
    named[ITERATIONS] = iterations
    return found, named
