"""Many steps in one call, where nobody acts between them."""

from __future__ import annotations

import numpy as np

from signorini.kernels.arena import table
from signorini.kernels.by_address import Convention
from signorini.kernels.compile import kernel
from signorini.kernels.step.calls import F1, I1, RECORD, StepTables
from signorini.kernels.step.record import MISSING, STATUS
from signorini.kernels.step.whole import TAKEN, take

TAKE = Convention((I1, I1, I1, F1, I1, F1, I1), RECORD, take)
call_take = TAKE.call
MORE = 64
"""Numbers by which a later record may be longer than the first, per step; a block ends where there is no room."""


@kernel
def take_many(address, words, entries, options, numbers, integers, timed, schedule):
    """Records of steps one after the other, where each ends, and how many were taken.

    `schedule` has (target, rate, force) of the rows `timed` for each step. A step that cannot be taken without Python
    ends the block before it.
    """
    values, count = table(words, 0, StepTables).values, len(schedule)
    ends, done = np.zeros((count + 1, 2), np.int64), 0
    all_numbers, all_integers = np.empty(0), np.empty(0, np.int64)
    nothing, none = np.empty(0), np.empty(0, np.int64)
    for i in range(count):
        for k in range(len(timed)):
            row = timed[k]
            values.target[row], values.rate[row] = schedule[i, k, 0], schedule[i, k, 1]
            values.force[row] = schedule[i, k, 2]
        found, named = call_take(address, (words, entries, options, numbers, integers, nothing, none))
        if named[STATUS] != TAKEN or named[MISSING]:
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
    return all_numbers, all_integers, ends, done
