"""Many steps in one call, where nobody acts between them."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import array_at, table
from signorini.kernels.compile import kernel
from signorini.kernels.step.packed import AT, SPRINGS_AT
from signorini.kernels.step.record import LATE, MISSING, STATUS, put
from signorini.kernels.step.servos import take_servoed
from signorini.kernels.step.tables import Curve, RowValues
from signorini.kernels.step.whole import TAKEN

MORE = 64
"""Numbers by which a later record may be longer than the first, per step; a block ends where there is no room."""


@kernel
def put_row(values, row, numbers):
    """Target, rate and force of a row."""
    values.target[row], values.rate[row], values.force[row] = numbers[0], numbers[1], numbers[2]


@kernel
def take_next(address, world, numbers, integers, timed, now, then):
    """The record of the step after one, and whether it was taken without Python.

    `world` is (words, entries, options); `now` and `then` have (target, rate, force) of the rows `timed` at the
    beginning and at the end of the step; -1 - k in place of a row stands for the motor at the place k among the
    springs, whose effort is the target.
    """
    words, entries, options = world
    values, curve = table(words, AT.values, RowValues), table(words, AT.curve, Curve)
    for k in range(len(timed)):
        if timed[k] < 0:
            array_at(words, SPRINGS_AT.push, "f1")[-1 - timed[k]] = now[k, 0]
            continue
        put_row(values, timed[k], now[k])
        if curve.rules.curved:
            put_row(curve.values, timed[k], then[k])
    found, named = take_servoed(address, words, entries, options, numbers, integers)
    return found, named, named[STATUS] == TAKEN and not named[MISSING] and not named[LATE]


@kernel
def take_many(address, words, entries, options, numbers, integers, timed, schedule):
    """Records of steps one after the other, where each ends, changes of the velocities, and how many were taken.

    `schedule` has (target, rate, force) of the rows `timed` at the beginning and the end of each step. A step that
    cannot be taken without Python ends the block before it.
    """
    curve, count, world = table(words, AT.curve, Curve), schedule.shape[1], (words, entries, options)
    changes = np.empty((count, len(curve.next) if curve.rules.curved else 0))
    ends, done = np.zeros((count + 1, 2), np.int64), 0
    all_numbers, all_integers = np.empty(0), np.empty(0, np.int64)
    for i in range(count):
        now, then = schedule[0, i], schedule[1, i]
        found, named, taken = take_next(address, world, numbers, integers, timed, now, then)
        if not taken:
            break
        if i == 0:
            all_numbers = np.empty(count * (len(found) + MORE))
            all_integers = np.empty(count * (len(named) + MORE), np.int64)
        a, b = ends[i, 0], ends[i, 1]
        if a + len(found) > len(all_numbers) or b + len(named) > len(all_integers):
            break
        ends[i + 1, 0], ends[i + 1, 1] = put(all_numbers, a, found), put(all_integers, b, named)
        numbers, integers, done = found, named, i + 1
        if curve.rules.curved:
            for j in range(len(curve.next)):
                changes[i, j] = curve.change[j] = curve.next[j]
    return all_numbers, all_integers, ends, changes, done
