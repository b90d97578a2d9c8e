"""Takes steps of many worlds of one model in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.step import worlds as call
from signorini.kernels.step.record import HEAD
from signorini.kernels.step.whole import LOAD
from signorini.kernels.step.worlds import Rows, read_worlds, take_worlds
from signorini.kernels.threads.team import whole_team
from signorini.math.sparse import Array, Indices
from signorini.model.state import State
from signorini.stepping.compiled.step_block import Taken
from signorini.stepping.compiled.step_record import StepRecord
from signorini.stepping.compiled.stepper import CompiledStepper
from signorini.stepping.compiled.world_controls import WorldControls
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.warm_start import Memory

ROOM = (2048, 1024)
"""Numbers and integers that a row has at first; rows that are too short are made longer by half."""


@dataclass(frozen=True, eq=False)
class Start:
    """Location of a world."""

    stepper: CompiledStepper
    number: int
    """Of the last step."""
    state: State
    memory: Memory | SmoothMemory | None


def are_alike(starts: Sequence[Start | None]) -> TypeGuard[Sequence[Start]]:
    """Whether steps of all these worlds can be taken in one call."""
    known = [start.stepper for start in starts if start is not None]
    ready = [stepper for stepper in known if stepper.is_alone and not stepper.applied]
    first = ready[0] if ready else None
    return len(ready) == len(starts) and first is not None and all(
        stepper.sizes == first.sizes and np.array_equal(stepper.tables.timed_rows, first.tables.timed_rows)
        for stepper in ready
    )  # fmt: skip


class WorldRows:
    """The states of all worlds of a batch, a row of flat arrays each, and the compiled calls that advance them.

    Rows are authoritative for worlds that were stepped here, until Python takes the last step of one (`taken`) and
    replaces it (`put`, or `show` where its next step is Python's).
    """

    def __init__(self, worlds: int, bodies: int, threads: int) -> None:
        self.threads = threads
        self.steppers: list[CompiledStepper | None] = [None] * worlds
        self._packed: Indices = np.zeros(worlds * call.WIDTH, dtype=np.int64)
        self.rows = Rows(
            np.zeros((worlds, ROOM[0] + 13 * bodies)), np.zeros((worlds, ROOM[1]), dtype=np.int64),
            np.zeros((worlds, 2), dtype=np.int64), np.zeros(worlds, dtype=np.int64), np.zeros((2, worlds)),
            np.zeros(worlds, dtype=np.int64), np.zeros(worlds, dtype=np.int64), np.zeros((worlds, 2), dtype=np.int64),
            np.zeros((worlds, call.WATCHED)), np.zeros((worlds, bodies, 3)),
        )  # fmt: skip

    def put(self, k: int, start: Start, watch: Sequence[float], force: Array) -> None:
        """Continue a world from there; `watch` as in `kernels.step.worlds`, `force` that of the last contacts."""
        stepper, rows = start.stepper, self.rows
        assert not isinstance(start.memory, SmoothMemory)
        words, before = stepper.begin_block(start.state, start.memory)
        if before.state is not start.state:
            stepper.general.assembler.require_same_model(start.state)
        lengths = len(before.numbers), len(before.integers)
        self._make_room(*lengths)
        rows = self.rows
        rows.numbers[k, : lengths[0]], rows.integers[k, : lengths[1]] = before.numbers, before.integers
        rows.lengths[k], rows.watch[k] = lengths, watch
        self._packed[k * call.WIDTH : (k + 1) * call.WIDTH] = words
        self.steppers[k] = stepper
        self._show(k, start.number, start.state.time, force)

    def show(self, k: int, number: int, state: State, force: Array) -> None:
        """Readings of a world that is stepped in Python."""
        parts = (state.position, state.orientation, state.velocity, state.angular_velocity)
        flat = np.concatenate([part.reshape(-1) for part in parts])
        self.rows.numbers[k, HEAD : HEAD + len(flat)] = flat
        self._show(k, number, state.time, force)

    def _show(self, k: int, number: int, time: float, force: Array) -> None:
        self.rows.number[k], self.rows.time[:, k], self.rows.force[k] = number, time, force

    def take(self, chosen: Indices, steps: Indices, controls: WorldControls) -> NDArray[np.bool_]:
        """Take up to `steps` steps in each of some worlds; marks those whose watch has something to report.

        `rows.left` says how many are left to take, `rows.why` why. They are the same, bit by bit, as one by one.
        """
        first = self.steppers[chosen[0]]
        assert first is not None
        rows, news = self.rows, np.zeros(len(self.steppers), dtype=np.bool_)
        remembers, address = first.general.settings.warm_start == "full", first.tables.take_entry
        rows.left[:] = steps
        asked = controls.at(chosen, self.steppers, self.rows, int(steps[chosen].max()))
        while len(chosen):
            team = whole_team(self.threads)
            take_worlds(team, address, chosen, self._packed, steps, remembers, asked, self.rows)
            why, left = self.rows.why[chosen], self.rows.left[chosen]
            news[chosen[why == call.NEWS]] = True
            self._load(chosen[why == LOAD])
            short = chosen[why == call.NO_ROOM]
            if len(short):
                self._make_room(*self.rows.detail[short].max(axis=0).tolist())
            again = (why == LOAD) | (why == call.NO_ROOM)
            chosen = chosen[again & (left > 0)]
        return news

    def taken(self, k: int) -> Taken:
        """The last step of a world that was stepped here."""
        rows, stepper = self.rows, self.steppers[k]
        assert stepper is not None
        numbers, integers = (part[k, :size].copy() for part, size in zip(rows, rows.lengths[k].tolist(), strict=False))
        number, began = int(rows.number[k]), float(rows.time[1, k])
        found = StepRecord(numbers, integers, stepper.sizes, number * stepper.general.h)
        return stepper.of_block(found, number, began, stepper.end_block())

    def read(self) -> tuple[Array, Array, Array, Array, Array]:
        """Positions, orientations, velocities, angular velocities, contact forces of all bodies of all worlds."""
        position, orientation, velocity, spin, force = read_worlds(whole_team(self.threads), self.rows)
        return position, orientation, velocity, spin, force

    def _load(self, worlds: Indices) -> None:
        """Load kernels reported missing by some worlds, in all of them."""
        for missing in np.unique(self.rows.detail[worlds, 0]).tolist():
            first = self.steppers[worlds[0]]
            assert first is not None
            first.tables.load(missing)
            entry = first.tables.entries[missing]
            for stepper in self.steppers:
                if stepper is not None:
                    stepper.tables.entries[missing] = entry

    def _make_room(self, numbers: int, integers: int) -> None:
        """Rows with room for records of that many numbers and integers."""
        rows = self.rows
        old = rows.numbers.shape[1], rows.integers.shape[1]
        if numbers > old[0]:
            self.rows = rows = rows._replace(numbers=_wider(rows.numbers, numbers + numbers // 2))
        if integers > old[1]:
            self.rows = rows._replace(integers=_wider(rows.integers, integers + integers // 2))


def _wider(rows: NDArray[Any], width: int) -> NDArray[Any]:
    out = np.zeros((len(rows), width), dtype=rows.dtype)
    out[:, : rows.shape[1]] = rows
    return out
