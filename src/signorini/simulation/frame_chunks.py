"""Frames of steps that followed one another: as objects, or as the records of a compiled block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.io.diagnostics import ROW, SOLVED, WORKS, Rows
from signorini.kernels.step import record as place
from signorini.math.sparse import Array
from signorini.model.state import State
from signorini.stepping.compiled.compiled_step import TIMED, CompiledStep
from signorini.stepping.compiled.step_block import BlockRecords, StepBlock
from signorini.stepping.compiled.step_record import StepRecord
from signorini.stepping.step import ReactionKind, Reactions, Step

STATES = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
"""Arrays of a state that the record of a compiled step holds, in its order, and the length of their rows."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A state, and the contacts, their impulses and memory, and the impulses in joints of the step that led to it."""

    state: State
    contacts: Contacts
    impulses: Array
    law: LawMemory
    reactions: Reactions

    @classmethod
    def of(cls, step: Step) -> Frame:
        """What is kept of a step."""
        step.hold()
        if isinstance(step, CompiledStep):
            return cls.of_record(step.record.without_problem())
        identity = step.contacts.identity
        law = LawMemory.fresh(identity) if step.law is None else step.law.at(identity)
        return cls(step.state, step.contacts, step.impulses, law, step.reactions)

    @classmethod
    def of_record(cls, record: StepRecord) -> Frame:
        """Of a compiled step, whose contacts have no memory."""
        contacts = record.contacts
        reactions = Reactions(record.joint_impulse, record.limit_impulse, record.friction_impulse)
        return cls(record.state, contacts, record.contact_impulse, LawMemory.fresh(contacts.identity), reactions)


class Chunk(Protocol):
    """Frames that followed one another."""

    def __len__(self) -> int:
        """How many."""

    @property
    def times(self) -> Array:
        """[s]."""

    def array(self, name: str) -> Array:
        """An array of the states, shape (frames, ...)."""

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes, shape (frames, rows)."""

    def frame(self, k: int) -> Frame:
        """One of them."""

    def thinned(self, first: int, stride: int) -> Chunk:
        """Every `stride`-th of them, from `first` on, in memory of their own."""


@dataclass(frozen=True, eq=False)
class StepFrames:
    """Frames of single steps."""

    frames: Sequence[Frame]

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def times(self) -> Array:
        """[s]."""
        return np.array([frame.state.time for frame in self.frames])

    def array(self, name: str) -> Array:
        """An array of the states."""
        return np.stack([getattr(frame.state, name) for frame in self.frames])

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes."""
        return np.stack([getattr(frame.reactions, kind) for frame in self.frames])

    def frame(self, k: int) -> Frame:
        """One of them."""
        return self.frames[k]

    def thinned(self, first: int, stride: int) -> StepFrames:
        """Some of them."""
        return StepFrames(self.frames[first::stride])


@dataclass(frozen=True, eq=False)
class BlockFrames:
    """Frames of a compiled block: arrays that become objects on access."""

    records: BlockRecords

    def __len__(self) -> int:
        return len(self.records)

    @property
    def times(self) -> Array:
        """[s]."""
        return self.records.times

    def array(self, name: str) -> Array:
        """An array of the states."""
        if name not in STATES:
            return np.stack([getattr(self.frame(k).state, name) for k in range(len(self))])
        bodies, k = self.records.sizes.bodies, list(STATES).index(name)
        begin, width = place.HEAD + bodies * sum(list(STATES.values())[:k]), STATES[name]
        return self.records.columns(begin, begin + width * bodies).reshape(len(self), bodies, width)

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes."""
        sizes = self.records.sizes
        begin, count = {
            "limits": (sizes.others, sizes.limits),
            "frictions": (sizes.others + sizes.limits, sizes.frictions),
            "joints": (sizes.velocity + sizes.velocities, sizes.joints),
        }[kind]
        return self.records.columns(begin, begin + count)

    def frame(self, k: int) -> Frame:
        """One of them."""
        return Frame.of_record(self.records.record(k))

    def thinned(self, first: int, stride: int) -> BlockFrames:
        """Some of them."""
        return BlockFrames(self.records.thinned(first, stride))


def rows_of_block(block: StepBlock) -> Rows:
    """The diagnostics of the steps of a block, as `row_of` has them one by one."""
    records = block.records
    rows, heads = np.zeros(len(block), dtype=ROW), records.columns(0, place.HEAD)
    rows["number"], rows["time"] = records.step_numbers, records.times
    rows["contacts"] = records.integer(place.CONTACTS)
    rows["iterations"] = np.maximum(records.integer(place.ITERATIONS), 1)
    rows["residual"], rows["penetration"] = heads[:, place.ERROR], heads[:, place.DEEPEST]
    rows["kinetic"], rows["potential"] = block.kinetic, block.potential
    for k, work in enumerate(WORKS):
        rows[f"work_{work}"] = heads[:, place.WORK_AT + k]
    rows["status"] = SOLVED
    for k, stage in enumerate(TIMED):
        rows[stage] = heads[:, place.STAGES_AT + k]
        rows["seconds"] += rows[stage]
    return rows


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Arrays one after the other."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
