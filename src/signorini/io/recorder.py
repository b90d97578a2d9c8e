"""Writes a run to an HDF5 file as it goes; see `record_layout` for what is where, `journal` for how it stays whole."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.io.checkpoint import Checkpoint
from signorini.io.deferred_signals import deferred_signals
from signorini.io.diagnostics import row_of
from signorini.io.record_head import RecordHead
from signorini.io.record_reader import RecordReader
from signorini.io.record_target import RecordTarget
from signorini.io.record_writer import RecordWriter, contact_arrays
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError
from signorini.stepping.step import Failure, Reactions, Step

LARGEST_BUFFER = 1 << 26
"""Frames wait in memory until a flush, but no more than this [bytes]."""


@dataclass(frozen=True, eq=False)
class RecordedStep:
    """What a step leaves in a record."""

    row: tuple[Any, ...] | None
    """Diagnostics; None for the start."""
    frame: tuple[int, State, dict[str, Any], Reactions | None] | None
    """Number, state, contacts and reactions, where this step is kept."""
    checkpoint: Checkpoint
    """After the step."""


class Recorder:
    """A file that grows with a run and can be read, and resumed from, even if the program is killed.

    Parameters
    ----------
    path
        File to write. It appears, and an old record is replaced, when the first step has been taken.
    every
        States and contacts of every so many steps; diagnostics are kept of all.
    contacts
        Whether contacts and impulses are recorded.
    flush_steps, flush_seconds
        At most this many steps, or this wall time [s], are lost when the program is killed.
    notes
        Anything of yours that JSON can hold, such as the name of the scene.
    sync_seconds
        At most this wall time [s] is lost when the power fails (`fsync`); None leaves that to the system.
    single
        Whether states, contacts and reactions have single precision, which halves the file. A run goes on from its
        last step bit for bit all the same.
    overwrite
        Whether an old record may be replaced. What is no record of a run is never replaced.
    """

    def __init__(
        self,
        path: str | Path,
        every: int = 1,
        contacts: bool = True,
        flush_steps: int = 100,
        flush_seconds: float = 2.0,
        notes: dict[str, Any] | None = None,
        sync_seconds: float | None = 10.0,
        overwrite: bool = True,
        single: bool = False,
    ) -> None:
        if every < 1 or flush_steps < 1:
            raise FileError(f"every is {every} and flush_steps is {flush_steps}, expected 1 or more")
        self.path, self.every, self.contacts = Path(path), every, contacts
        self.flush_steps, self.flush_seconds, self.notes = flush_steps, flush_seconds, dict(notes or {})
        self.sync_seconds, self.overwrite, self.single = sync_seconds, overwrite, single
        self.published = False
        """Whether the file is at its place: it is from the first recorded step on."""
        self._writer: RecordWriter | None = None
        self._waiting: list[RecordedStep] = []
        self._bytes, self._last = 0, 0.0
        self._mutex = threading.RLock()

    def start(self, model: Model, settings: dict[str, Any], checkpoint: Checkpoint) -> None:
        """Make the file, with the state at the start as its first frame."""
        target = RecordTarget.of(self.path)
        target.check_new(self.overwrite)
        with self._creation():
            head = RecordHead.of(model, settings, self.notes, self.single)
            self._writer = RecordWriter.create(target, head, self.sync_seconds)
            self._waiting.append(RecordedStep(None, (checkpoint.number, checkpoint.state, {}, None), checkpoint))
            self._write()

    def resume(self, model: Model, settings: dict[str, Any], old: RecordReader) -> None:
        """Make the file from the whole steps of an old record; it replaces that one after the first step."""
        self.notes = {**old.notes, **self.notes}
        target = RecordTarget.of(self.path)
        with self._creation():
            head = RecordHead.of(model, settings, self.notes, old.single)
            self._writer = RecordWriter.create(target, head, self.sync_seconds)
            fresh = RecordReader(old.path)  # it is locked now
            if fresh.steps_done != old.steps_done:
                raise FileError(f"{old.path} was changed by another process meanwhile; resume it again")
            self._writer.copy(fresh, fresh.checkpoint())

    @contextmanager
    def _creation(self) -> Iterator[None]:
        """Whatever ends the block early leaves no file."""
        self.published, self._waiting, self._last = False, [], time.monotonic()
        try:
            with deferred_signals():
                yield
        except BaseException:
            if self._writer is not None:
                self._writer.close(keep=False)
                self._writer = None
            raise

    def add(self, step: Step, checkpoint: Callable[[], Checkpoint]) -> None:
        """Take a step; `checkpoint` gives what the next one depends on."""
        frame = None
        if step.number % self.every == 0:
            contacts = contact_arrays(step) if self.contacts else {}
            frame = (step.number, step.state, contacts, step.reactions)
            self._bytes += 8 * (13 * len(step.state.position) + 6 * len(step.state.node_position))
            self._bytes += sum(part.nbytes for part in contacts.values())
            self._bytes += 8 * sum(step.layout.sizes)
        # One object, so that an interruption finds either all of the step here or nothing of it.
        self._waiting.append(RecordedStep(row_of(step), frame, checkpoint()))
        waited = time.monotonic() - self._last
        due = len(self._waiting) >= self.flush_steps or waited >= self.flush_seconds or self._bytes > LARGEST_BUFFER
        if due or not self.published:
            self.flush()

    def flush(self) -> None:
        """Every step so far into the file, or none; raises `FileError` and leaves what was there before."""
        with deferred_signals(), self._mutex:
            self._write()
            self._publish()

    def save(self, patience: float) -> bool:
        """Flush from another thread, waiting for a flush under way up to `patience` [s]; whether it was done."""
        if not self._mutex.acquire(timeout=patience):
            return False
        try:
            if self._writer is not None and self.published:
                self._write()
            return True
        except FileError:
            return False
        finally:
            self._mutex.release()

    def close(self, checkpoint: Checkpoint, failure: Failure | None = None, aborted: bool = False) -> None:
        """Flush and close, with the reason why the run ended early; nothing happens when it is closed already.

        A run that was `aborted` before its first step leaves no file, and an old one as it was.
        """
        with deferred_signals(), self._mutex:
            writer = self._writer
            if writer is None:
                return
            try:
                if not (writer.failed or (aborted and not writer.published)):
                    self._write(checkpoint, failure)
                    self._publish()
            finally:
                self._writer = None
                writer.close(keep=writer.published)

    @property
    def _open_writer(self) -> RecordWriter:
        if self._writer is None:
            raise FileError(f"{self.path} is not open: a Recorder serves one run; make a new one")
        return self._writer

    def _publish(self) -> None:
        self._open_writer.publish()
        self.published = True

    def _write(self, last: Checkpoint | None = None, failure: Failure | None = None) -> None:
        """One commit. `last` counts if no step was taken after those recorded: callbacks may have drawn numbers."""
        writer = self._open_writer
        steps = list(self._waiting)
        checkpoint = steps[-1].checkpoint if steps else writer.checkpoint
        if last is not None and (checkpoint is None or last.number == checkpoint.number):
            checkpoint = last
        if checkpoint is None:
            return
        reason = None if failure is None else {"status": failure.status.name, "message": failure.message}
        text = np.frombuffer(json.dumps(reason).encode() if reason else b"", dtype=np.uint8)
        rows = [step.row for step in steps if step.row is not None]
        writer.commit(rows, [step.frame for step in steps if step.frame is not None], checkpoint, text)
        del self._waiting[: len(steps)]
        self._bytes, self._last = 0, time.monotonic()
