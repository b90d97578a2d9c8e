"""Takes steps of many worlds of one model in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from signorini.kernels.step.worlds import WIDTH, take_worlds
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.stepping.compiled.step_block import Taken
from signorini.stepping.compiled.stepper import CompiledStepper
from signorini.stepping.smooth_memory import SmoothMemory
from signorini.stepping.warm_start import Memory


@dataclass(frozen=True, eq=False)
class Start:
    """Where a world is."""

    stepper: CompiledStepper
    number: int
    """Of the last step."""
    state: State
    memory: Memory | SmoothMemory | None


def are_alike(starts: Sequence[Start | None]) -> TypeGuard[Sequence[Start]]:
    """Whether steps of all these worlds can be taken in one call."""
    known = [start.stepper for start in starts if start is not None]
    rows = [stepper.tables.timed_rows for stepper in known if stepper.is_alone and not stepper.applied]
    return len(rows) == len(starts) and all(np.array_equal(own, rows[0]) for own in rows)


def take_together(starts: Sequence[Start], steps: int) -> list[tuple[Taken | None, int]]:
    """The last of `steps` steps of each world, None without any, and how many were taken.

    A step that cannot be taken without Python ends those of its world. They are the same, bit by bit, as one by one.
    The call lets other threads run; a world must not be in two calls at once.
    """
    first = starts[0].stepper
    h, timed = first.general.h, first.tables.timed_rows
    packed = np.empty((len(starts), WIDTH), dtype=np.int64)
    kept = [_pack(start, row) for start, row in zip(starts, packed, strict=True)]
    remembers = first.general.settings.warm_start == "full"
    numbers, integers, ends, done = take_worlds(
        first.tables.take_entry, packed, steps, timed, _schedule(starts, steps), remembers
    )
    del kept  # records that the call started from
    found: list[tuple[Taken | None, int]] = []
    for k, (start, count) in enumerate(zip(starts, done.tolist(), strict=True)):
        if count == 0:
            found.append((None, 0))
            continue
        number, stepper = start.number + count, start.stepper
        began = start.state.time if count == 1 else (number - 1) * h
        change = stepper.end_block()
        found.append((stepper.of_block(number, began, numbers, integers, ends[k : k + 2], change), count))
    return found


def _pack(start: Start, out: Indices) -> Any:
    """A world as the kernel takes it; what has to stay alive until it is done."""
    stepper = start.stepper
    assert not isinstance(start.memory, SmoothMemory)
    words, before = stepper.begin_block(start.state, start.memory)
    if before.state is not start.state:
        stepper.general.assembler.require_same_model(start.state)
    out[:6] = words
    out[6:] = _place(before.numbers), len(before.numbers), _place(before.integers), len(before.integers)
    return before


def _place(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _schedule(starts: Sequence[Start], steps: int) -> Array:
    """Target, rate and force of rows with functions of time, shape (worlds, 2, steps or 1, rows, 3)."""
    timed = starts[0].stepper.tables.timed
    h, count = starts[0].stepper.general.h, 1 if all(row.stands_still for row in timed) else steps
    values = [
        start.stepper.schedule([start.state.time, *((start.number + k) * h for k in range(1, count))])
        for start in starts
    ]
    return np.stack(values)
