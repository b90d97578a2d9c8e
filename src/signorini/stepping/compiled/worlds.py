"""Takes steps of many worlds of one model in one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, TypeGuard

import numpy as np

from signorini.kernels.step.worlds import WIDTH, take_worlds
from signorini.math.pool import address
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.stepping.compiled.step_block import Taken
from signorini.stepping.compiled.stepper import CompiledStepper
from signorini.stepping.smooth_memory import SmoothMemory
from signorini.stepping.warm_start import Memory

LEVEL, SLOPE = attrgetter("level"), attrgetter("slope")
Cut = tuple[int, int]
Each = Callable[[Callable[[Cut], Any], Iterable[Cut]], Iterable[Any]]
"""Calls a function with each of some arguments, as `map` does."""


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


def take_together(starts: Sequence[Start], steps: int, each: Each, calls: int = 1) -> list[tuple[Taken | None, int]]:
    """The last of `steps` steps of each world, None without any, and how many were taken.

    A step that cannot be taken without Python ends those of its world. They are the same, bit by bit, as one by one.
    The worlds are shared by so many compiled calls, which `each` makes: other threads may run meanwhile. All of Python
    is before and after these, so that no thread waits for another one's.
    """
    first = starts[0].stepper
    timed, schedule = first.tables.timed_rows, _schedule(starts, steps)
    kept = [_pack(start) for start in starts]
    packed = np.fromiter(chain.from_iterable(row for row, _ in kept), np.int64, WIDTH * len(kept)).reshape(-1, WIDTH)
    remembers, entry = first.general.settings.warm_start == "full", first.tables.take_entry
    cuts = np.linspace(0, len(starts), min(calls, len(starts)) + 1).astype(np.int64).tolist()

    def take(cut: tuple[int, int]) -> Any:
        a, b = cut
        return take_worlds(entry, packed[a:b], steps, timed, schedule[a:b], remembers)

    found: list[tuple[Taken | None, int]] = []
    for (a, b), (numbers, integers, ends, done) in zip(pairwise(cuts), each(take, pairwise(cuts)), strict=True):
        rows = zip(starts[a:b], done.tolist(), pairwise(ends.tolist()), strict=True)
        found += [_taken(start, count, numbers, integers, between) for start, count, between in rows]
    return found


def _taken(start: Start, count: int, numbers: Array, integers: Indices, between: Any) -> tuple[Taken | None, int]:
    """What the call did in a world, whose record stands between two places."""
    if count == 0:
        return None, 0
    number, stepper = start.number + count, start.stepper
    began = start.state.time if count == 1 else (number - 1) * stepper.general.h
    return stepper.of_block(number, began, numbers, integers, between, stepper.end_block()), count


def _pack(start: Start) -> tuple[list[int], Any]:
    """A world as the kernel takes it, and what has to stay alive until it is done."""
    stepper = start.stepper
    assert not isinstance(start.memory, SmoothMemory)
    words, before = stepper.begin_block(start.state, start.memory)
    if before.state is not start.state:
        stepper.general.assembler.require_same_model(start.state)
    numbers, integers = before.numbers, before.integers
    return [*words, address(numbers), len(numbers), address(integers), len(integers)], before


def _schedule(starts: Sequence[Start], steps: int) -> Array:
    """Target, rate and force of rows with functions of time, shape (worlds, 2, steps or 1, rows, 3)."""
    tables, h = starts[0].stepper.tables, starts[0].stepper.general.h
    timed = tables.timed
    if tables.setpoints:
        points = [point for start in starts for point in start.stepper.tables.setpoints]
        numbers = (np.fromiter(map(get, points), np.float64, len(points)) for get in (LEVEL, SLOPE))
        level, slope = (part.reshape(len(starts), len(timed)) for part in numbers)
        values = np.zeros((len(starts), 2, 1, len(timed), 3))
        values[:, 0, 0, :, 0], values[:, 1, 0, :, 0], values[..., 1] = level, level + h * slope, -slope[:, None, None]
        return values
    steps = 1 if all(row.stands_still for row in timed) else steps
    return np.stack([
        start.stepper.schedule([start.state.time, *((start.number + k) * h for k in range(1, steps))])
        for start in starts
    ])  # fmt: skip
