"""Keeps the steps of a run: in memory, or in a record."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from signorini.io.checkpoint import Checkpoint
from signorini.io.record_reader import RecordReader
from signorini.io.recorder import Recorder
from signorini.model.model import Model
from signorini.simulation.memory import MemoryFrames
from signorini.stepping.step import Failure, Step


class Recorded(Protocol):
    """Source of a record."""

    model: Model

    @property
    def number(self) -> int:
        """Steps done."""

    def settings(self) -> dict[str, Any]:
        """All settings."""

    def checkpoint(self) -> Checkpoint:
        """All that the next step depends on."""


def opened(simulation: Recorded, record: str | Path | Recorder, old: RecordReader | None) -> Recorder:
    """A recorder at the start of a run, or at the end of the record that the run continues."""
    recorder = record if isinstance(record, Recorder) else Recorder(record)
    if old is not None and recorder.path.resolve() == old.path.resolve() and old.number == simulation.number:
        recorder.resume(simulation.model, simulation.settings(), old)
    else:
        recorder.start(simulation.model, simulation.settings(), simulation.checkpoint())
    return recorder


class Keeper:
    """Stores steps in memory, or in a record if there is one."""

    def __init__(self, frames: MemoryFrames, recorder: Recorder | None, checkpoint: Callable[[], Checkpoint]) -> None:
        self.frames, self.recorder, self._checkpoint = frames, recorder, checkpoint
        self._last_seconds = 0.0

    def add(self, step: Step) -> None:
        """Keep a step; its `record` time is that of recording the step before."""
        if self.recorder is None and step.is_read_later:
            self.frames.add(step)
            return
        step.seconds["record"] = self._last_seconds
        begin = time.perf_counter()
        if self.recorder is None:
            self.frames.add(step)
        else:
            step.hold()
            self.recorder.add(step, self._checkpoint)
        self._last_seconds = time.perf_counter() - begin

    def close(self, failure: Failure | None, aborted: bool) -> None:
        """At the end, with the reason why the run ended early, or after an exception (`aborted`)."""
        self.frames.failure = failure
        if self.recorder is not None:
            self.recorder.close(self._checkpoint(), failure, aborted)
