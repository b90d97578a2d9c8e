"""A step with servos: solved again until those are at their limits that want to be."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.bodies.coordinate_rates import coordinate_rates
from signorini.kernels.bodies.coordinates import evaluate
from signorini.kernels.bodies.servos import ServoTable, guess_limits, judge_limits
from signorini.kernels.by_address import Convention
from signorini.kernels.compile import kernel
from signorini.kernels.step.packed import AT, F1, I1, RECORD
from signorini.kernels.step.record import ITERATIONS, STATUS, put, state_of
from signorini.kernels.step.tables import BodyTable, Inertia, SpringTable, StepRules
from signorini.kernels.step.whole import LOOK_AGAIN, take

TAKE = Convention((I1, I1, I1, F1, I1, F1, I1, F1, I1), RECORD, take)
call_take = TAKE.call
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
    """The record of the step after that of a record, contacts found on the way; see `whole.take`."""
    servos, springs = table(words, AT.servos, ServoTable), table(words, AT.springs, SpringTable)
    nothing, none, count = np.empty(0), np.empty(0, np.int64), len(servos.target)
    arguments = (words, entries, options, numbers, integers, nothing, none, nothing, none)
    if count == 0:
        return call_take(address, arguments)
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
        found, named = call_take(address, arguments)
        if named[STATUS] > LOOK_AGAIN:
            return found, named
        iterations += named[ITERATIONS]
        end = state_of(found, bodies)
        if judge_limits(servos, place, coordinate_rates(body[first:], jacobian, end.velocity, end.spin), h):
            break
    named[ITERATIONS] = iterations
    return found, named
