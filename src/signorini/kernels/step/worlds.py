"""Steps of many worlds in one call, each from a record of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from signorini.kernels.arena import declare, table
from signorini.kernels.compile import kernel
from signorini.kernels.step.calls import StepTables
from signorini.kernels.step.many import take_next


class World(NamedTuple):
    """What the call that takes one step gets."""

    words: np.ndarray
    entries: np.ndarray
    options: np.ndarray
    numbers: np.ndarray
    """Record that it starts from."""
    integers: np.ndarray


declare(World, "i1", "i1", "i1", "f1", "i1")
WIDTH = 10
"""Integers of a packed world: an address and a length for each array."""


@kernel
def _last_of(address, world, steps, timed, schedule):
    """The record after so many steps of a world, and how many could be taken without Python."""
    tables, own = table(world.words, 0, StepTables), (world.words, world.entries, world.options)
    numbers, integers, curve = world.numbers, world.integers, tables.curve
    for i in range(steps):
        at = min(i, schedule.shape[1] - 1)
        now, then = schedule[0, at], schedule[1, at]
        found, named, taken = take_next(address, tables, own, numbers, integers, timed, now, then)
        if not taken:
            return numbers, integers, i
        numbers, integers = found, named
        if curve.rules.curved:
            curve.change[:] = curve.next
    return numbers, integers, steps


@kernel
def take_worlds(address, packed, steps, timed, schedule):
    """The last records of all worlds, one after the other, where each ends, and how many steps each has taken.

    `packed` has a `World` in each row; `schedule` (target, rate, force) of the rows `timed` of each world at the
    beginning and the end of each step, or of all of them, shape (worlds, 2, steps or 1, timed, 3).
    """
    count, flat = len(packed), packed.reshape(-1)
    ends, done = np.zeros((count + 1, 2), np.int64), np.zeros(count, np.int64)
    kept = []
    for k in range(count):
        world = table(flat, k * WIDTH, World)
        numbers, integers, done[k] = _last_of(address, world, steps, timed, schedule[k])
        kept.append((numbers, integers))
        ends[k + 1, 0], ends[k + 1, 1] = ends[k, 0] + len(numbers), ends[k, 1] + len(integers)
    all_numbers, all_integers = np.empty(ends[count, 0]), np.empty(ends[count, 1], np.int64)
    for k in range(count):
        all_numbers[ends[k, 0] : ends[k + 1, 0]] = kept[k][0]
        all_integers[ends[k, 1] : ends[k + 1, 1]] = kept[k][1]
    return all_numbers, all_integers, ends, done
