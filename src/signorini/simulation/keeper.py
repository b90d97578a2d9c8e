"""Keeps the steps of a run."""

from __future__ import annotations

import time
from collections.abc import Callable

from signorini.io.checkpoint import Checkpoint
from signorini.io.recorder import Recorder
from signorini.simulation.memory import MemoryFrames
from signorini.stepping.step import Step


class Keeper:
    """Puts steps into memory, or into a record where there is one."""

    def __init__(self, frames: MemoryFrames, recorder: Recorder | None, checkpoint: Callable[[], Checkpoint]) -> None:
        self.frames, self.recorder, self._checkpoint = frames, recorder, checkpoint
        self._last_seconds = 0.0

    def add(self, step: Step) -> None:
        """Keep a step; its time on record is that of the step before."""
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
