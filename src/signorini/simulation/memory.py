"""Frames of a run that is not recorded, kept in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.io.diagnostics import Rows, row_of, table
from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.layout import Layout
from signorini.model.state import State
from signorini.stepping.compiled.step_block import StepBlock
from signorini.stepping.step import Failure, ReactionKind, Reactions, Step

LARGEST = 1 << 29
"""Memory for frames [bytes]; beyond it every second frame is dropped, again and again. A record keeps them all."""
BYTES_PER_BODY, BYTES_PER_CONTACT, BYTES_PER_NODE = 13 * 8, 22 * 8, 6 * 8
MOST_WAITING = 1000
"""Most steps that are stored unread."""
Frame = tuple[State, Contacts, Array, LawMemory, Reactions]
"""A state, and the contacts, their impulses, memory and the impulses in joints of the step that led to it."""


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
        self._rows: list[tuple[Any, ...]] = []
        nothing, still = Contacts.empty(), Reactions(*(np.zeros(size) for size in self.layout.sizes))
        fresh = LawMemory.fresh(nothing.identity)
        self._kept: list[Frame] = [(state, nothing, np.zeros((0, 3)), fresh, still)]
        self._last: Step | None = None
        self._waiting: list[Step | StepBlock] = []
        self._steps_waiting = 0
        self._every, self._bytes = 1, 0
        self.failure: Failure | None = None
        """Why the run ended early, if it did."""

    def add(self, step: Step) -> None:
        """Take a step; those that are read from records are read later."""
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
        for some in waiting:
            for step in (taken[0] for taken in some) if isinstance(some, StepBlock) else (some,):
                self._add(step)

    def _add(self, step: Step) -> None:
        self._rows.append(row_of(step))
        self._last = step
        if len(self._rows) % self._every == 0:
            self._kept.append(_frame(step))
            self._bytes += BYTES_PER_BODY * len(self.names) + BYTES_PER_CONTACT * step.contacts.count
            self._bytes += BYTES_PER_NODE * len(step.state.node_position)
            self._bytes += 8 * sum(self.layout.sizes)
            if self._bytes > LARGEST:
                self._kept, self._every, self._bytes = self._kept[::2], 2 * self._every, self._bytes // 2

    @cached_property
    def rows(self) -> Rows:
        """Diagnostics."""
        self._take_in()
        return table(self._rows)

    @cached_property
    def all(self) -> list[Frame]:
        """The frames, the last one always among them."""
        self._take_in()
        kept = self._kept
        return kept if self._last is None or kept[-1][0] is self._last.state else [*kept, _frame(self._last)]

    @cached_property
    def times(self) -> Array:
        """[s]."""
        return np.array([frame[0].time for frame in self.all])

    def array(self, name: str, body: int | slice | None = None) -> Array:
        """An array of the states in all frames."""
        parts = (getattr(frame[0], name) for frame in self.all)
        return np.stack([part if body is None else part[body] for part in parts])

    def state(self, frame: int) -> State:
        """State of a frame."""
        return self.all[frame][0]

    def contacts(self, frame: int) -> tuple[Contacts, Array, LawMemory]:
        """Contacts of the step that led to a frame, their impulses and memory."""
        return self.all[frame][1:4]

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes in the steps that led to the frames, shape (frames, rows)."""
        return np.stack([getattr(frame[4], kind) for frame in self.all])


def _frame(step: Step) -> Frame:
    """What is kept of a step."""
    step.hold()
    identity = step.contacts.identity
    law = LawMemory.fresh(identity) if step.law is None else step.law.at(identity)
    return step.state, step.contacts, step.impulses, law, step.reactions
