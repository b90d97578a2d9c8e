"""Frames of a run that is not recorded, kept in memory."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.io.diagnostics import Rows, row_of, table
from signorini.kernels.step import record as place
from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.layout import Layout
from signorini.model.state import State
from signorini.simulation.frame_chunks import BlockFrames, Chunk, Frame, StepFrames, joined, rows_of_block
from signorini.stepping.compiled.step_block import StepBlock
from signorini.stepping.step import Failure, ReactionKind, Reactions, Step

LARGEST = 1 << 29
"""Memory for frames [bytes]; beyond it every second frame is dropped, again and again. A record keeps them all."""
BYTES_PER_BODY, BYTES_PER_CONTACT, BYTES_PER_NODE = 13 * 8, 22 * 8, 6 * 8
MOST_WAITING = 1000
"""Most steps that are stored unread."""


class MemoryFrames:
    """States and contacts in memory."""

    def __init__(
        self,
        settings: dict[str, Any],
        names: list[str],
        state: State,
        layout: Layout | None = None,
        flexibles: dict[str, slice] | None = None,
    ) -> None:
        self.settings, self.names, self.layout = settings, names, layout or Layout()
        self.flexibles = flexibles or {}
        nothing, still = Contacts.empty(), Reactions(*(np.zeros(size) for size in self.layout.sizes))
        start = Frame(state, nothing, np.zeros((0, 3)), LawMemory.fresh(nothing.identity), still)
        self._rows: list[Rows] = []
        self._steps = 0
        """Whose rows are known."""
        self._kept: list[Chunk] = [StepFrames([start])]
        self._last: Frame | None = None
        """Of the last step, where it is not among those that are kept."""
        self._waiting: list[Step | StepBlock] = []
        self._steps_waiting = 0
        self._every, self._bytes = 1, 0
        self.failure: Failure | None = None
        """Why the run ended early, if it did."""

    def add(self, step: Step) -> None:
        """Append a step; steps of compiled blocks are read later."""
        self._waiting.append(step)
        self._steps_waiting += 1
        if not step.is_read_later or self._steps_waiting > MOST_WAITING:
            self._take_in()

    def add_block(self, block: StepBlock) -> None:
        """Take steps that no objects have been made of yet."""
        self._waiting.append(block)
        self._steps_waiting += len(block)
        if self._steps_waiting > MOST_WAITING:
            self._take_in()

    def _take_in(self) -> None:
        waiting, self._waiting, self._steps_waiting = self._waiting, [], 0
        single: list[Step] = []
        for some in waiting:
            if isinstance(some, StepBlock):
                self._take_in_steps(single)
                self._take_in_block(some)
                single = []
            else:
                single.append(some)
        self._take_in_steps(single)

    def _take_in_steps(self, steps: list[Step]) -> None:
        if not steps:
            return
        self._rows.append(table([row_of(step) for step in steps]))
        self._last = Frame.of(steps[-1])
        frames = [*map(Frame.of, steps[:-1]), self._last]
        contacts = sum(step.contacts.count for step in steps)
        self._keep(StepFrames(frames), contacts, len(steps[-1].state.node_position))

    def _take_in_block(self, block: StepBlock) -> None:
        self._rows.append(rows_of_block(block))
        frames = BlockFrames(block.records.thinned(0, 1))
        self._last = frames.frame(len(frames) - 1)
        self._keep(frames, int(block.records.integer(place.CONTACTS).sum()), 0)

    def _keep(self, chunk: Chunk, contacts: int, nodes: int) -> None:
        """Keep every n-th of the following frames; `contacts` is their number in all frames, `nodes` that in each."""
        count, skipped = len(chunk), -(self._steps + 1) % self._every
        self._steps += count
        if self._every > 1:
            chunk = chunk.thinned(skipped, self._every)
        if len(chunk):
            self._kept.append(chunk)
        each = BYTES_PER_BODY * len(self.names) + BYTES_PER_NODE * nodes + 8 * sum(self.layout.sizes)
        self._bytes += each * len(chunk) + BYTES_PER_CONTACT * contacts * len(chunk) // count
        while self._bytes > LARGEST and self._every < self._steps:
            self._every, self._bytes = 2 * self._every, self._bytes // 2
            self._kept = self._thinned()

    def _thinned(self) -> list[Chunk]:
        """Every second one of the frames that are kept."""
        kept, seen = [], 0
        for chunk in self._kept:
            kept.append(chunk.thinned(seen % 2, 2))
            seen += len(chunk)
        return [chunk for chunk in kept if len(chunk)]

    @cached_property
    def rows(self) -> Rows:
        """Diagnostics."""
        self._take_in()
        return joined(self._rows) if self._rows else table([])

    @cached_property
    def _chunks(self) -> list[Chunk]:
        """The frames, the last one always among them."""
        self._take_in()
        left = self._last is not None and self._steps % self._every
        return [*self._kept, StepFrames([self._last])] if left and self._last is not None else self._kept

    @cached_property
    def _ends(self) -> list[int]:
        """Number of the frame after each chunk."""
        return list(accumulate(map(len, self._chunks)))

    def _frame(self, frame: int) -> Frame:
        chunk = bisect_right(self._ends, frame)
        return self._chunks[chunk].frame(frame - self._ends[chunk] + len(self._chunks[chunk]))

    @cached_property
    def times(self) -> Array:
        """[s]."""
        return joined([chunk.times for chunk in self._chunks])

    def array(self, name: str, body: int | slice | None = None) -> Array:
        """An array of the states in all frames."""
        parts = (chunk.array(name) for chunk in self._chunks)
        return joined([part if body is None else part[:, body] for part in parts])

    def state(self, frame: int) -> State:
        """State of a frame."""
        return self._frame(frame).state

    def contacts(self, frame: int) -> tuple[Contacts, Array, LawMemory]:
        """Contacts of the step that led to a frame, their impulses and memory."""
        found = self._frame(frame)
        return found.contacts, found.impulses, found.law

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes in the steps that led to the frames, shape (frames, rows)."""
        return joined([chunk.reactions(kind) for chunk in self._chunks])
