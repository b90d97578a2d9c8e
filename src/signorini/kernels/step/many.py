"""Many steps in one call, where nobody acts between them."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.by_address import Convention
from signorini.kernels.compile import kernel
from signorini.kernels.step.calls import F1, I1, RECORD, StepTables
from signorini.kernels.step.record import LATE, MISSING, STATUS
from signorini.kernels.step.whole import TAKEN, take

TAKE = Convention((I1, I1, I1, F1, I1, F1, I1, F1, I1), RECORD, take)
call_take = TAKE.call
MORE = 64
"""Numbers by which a later record may be longer than the first, per step; a block ends where there is no room."""


@kernel
def put_row(values, row, numbers):
    """Target, rate and force of a row."""
    values.target[row], values.rate[row], values.force[row] = numbers[0], numbers[1], numbers[2]


@kernel
def take_next(address, tables, world, numbers, integers, timed, now, then):
    """The record of the step after one, and whether it was taken without Python.

    `world` is (words, entries, options); `now` and `then` have (target, rate, force) of the rows `timed` at the
    beginning and at the end of the step.
    """
    for k in range(len(timed)):
        put_row(tables.values, timed[k], now[k])
        if tables.curve.rules.curved:
            put_row(tables.curve.values, timed[k], then[k])
    nothing, none = np.empty(0), np.empty(0, np.int64)
    words, entries, options = world
    found, named = call_take(address, (words, entries, options, numbers, integers, nothing, none, nothing, none))
    return found, named, named[STATUS] == TAKEN and not named[MISSING] and not named[LATE]


@kernel
def take_many(address, words, entries, options, numbers, integers, timed, schedule):
    """Records of steps one after the other, where each ends, changes of the velocities, and how many were taken.

    `schedule` has (target, rate, force) of the rows `timed` at the beginning and the end of each step. A step that
    cannot be taken without Python ends the block before it.
    """
    tables, count, world = table(words, 0, StepTables), schedule.shape[1], (words, entries, options)
    curve, changes = tables.curve, np.empty((count, len(tables.curve.next) if tables.curve.rules.curved else 0))
    ends, done = np.zeros((count + 1, 2), np.int64), 0
    all_numbers, all_integers = np.empty(0), np.empty(0, np.int64)
    for i in range(count):
        now, then = schedule[0, i], schedule[1, i]
        found, named, taken = take_next(address, tables, world, numbers, integers, timed, now, then)
        if not taken:
            break
        if i == 0:
            all_numbers = np.empty(count * (len(found) + MORE))
            all_integers = np.empty(count * (len(named) + MORE), np.int64)
        a, b = ends[i, 0], ends[i, 1]
        if a + len(found) > len(all_numbers) or b + len(named) > len(all_integers):
            break
        all_numbers[a : a + len(found)] = found
        all_integers[b : b + len(named)] = named
        ends[i + 1, 0], ends[i + 1, 1] = a + len(found), b + len(named)
        numbers, integers, done = found, named, i + 1
        if curve.rules.curved:
            changes[i] = curve.next
            curve.change[:] = curve.next
    return all_numbers, all_integers, ends, changes, done
