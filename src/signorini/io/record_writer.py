"""The file of a record while it is written: commits that reach the disk as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.io.checkpoint import Checkpoint
from signorini.io.diagnostics import table
from signorini.io.hdf5 import h5py, words_for
from signorini.io.journal import PAGE
from signorini.io.journaled_file import JournaledFile
from signorini.io.record_head import RecordHead
from signorini.io.record_layout import (
    CONTACT,
    LAW,
    MEMORIES,
    append,
    arrays_in,
    overwrite,
)  # fmt: skip
from signorini.io.record_lock import RecordLock
from signorini.io.record_reader import RecordReader
from signorini.io.record_target import RecordTarget
from signorini.problem.errors import FileError, SignoriniError
from signorini.stepping.nonsmooth_alpha.memory import AlphaMemory
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.step import Step
from signorini.stepping.warm_start import Memory

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class RecordWriter:
    """An HDF5 file in memory whose changes reach the disk by `commit`."""

    def __init__(self, target: RecordTarget, storage: JournaledFile, file: Any) -> None:
        self.target, self._storage, self._file = target, storage, file
        self.published = False
        """Whether the file is at its place."""
        self.checkpoint: Checkpoint | None = None
        """Of the last commit."""
        self._commits = 0

    @classmethod
    def create(cls, target: RecordTarget, head: RecordHead, sync: float | None) -> RecordWriter:
        """An empty record beside the place where it will be; raises `FileError` if another process writes there."""
        with words_for(target.name, "cannot be written"):
            lock = RecordLock.take(target.path)
            try:
                lock.recover()
                storage = JournaledFile(target.scratch, lock, sync)
            except BaseException:
                lock.release(remove=False)
                raise
        writer = cls(target, storage, None)
        try:
            with words_for(target.name, "cannot be written"):
                writer._file = h5py.File(storage, "w", libver="latest", userblock_size=PAGE)
                head.write(writer._file)
        except BaseException:
            writer.close(keep=False)
            raise
        return writer

    @property
    def failed(self) -> bool:
        """Whether a commit failed; the file is then as the one before left it."""
        return self._storage.given_up

    def commit(self, rows: list[Any], frames: list[Any], checkpoint: Checkpoint, failure: Any = ()) -> None:
        """Add rows and frames; raises `FileError`, and leaves the file as it was, where that fails."""
        if self.failed:
            raise FileError(f"{self.target.name} was given up after a failed write; make a new Recorder")
        try:
            _write_frames(self._file, frames)
            append(self._file["steps"], table(rows))
            append(self._file["failure"], failure)
            self._finish_commit(checkpoint)
        except BaseException as error:
            self._storage.give_up()
            if isinstance(error, SignoriniError) or not isinstance(error, Exception):
                raise
            raise FileError(self._advice(error)) from error

    def copy(self, old: RecordReader, checkpoint: Checkpoint) -> None:
        """Take over the steps of a record, checked on the way."""
        try:
            old.copy_to(self._file)
            self._finish_commit(checkpoint)
        except OSError as error:
            if isinstance(error, SignoriniError):
                raise
            raise FileError(self._advice(error)) from error

    def publish(self) -> None:
        """Put the file in its place, if it is not there yet."""
        if self.published:
            return
        with words_for(self.target.name, "cannot be written"):
            self._storage.checkpoint()
            self.target.scratch.replace(self.target.path)
            self.published = True
            _sync_folder(self.target.path.parent, self._storage.sync_seconds)

    def close(self, keep: bool) -> None:
        """Let go of everything; a file that is not kept was never at its place, and is removed."""
        if not keep:
            self._storage.give_up()
        try:
            if self._file is not None:
                self._file.close()  # into memory: it cannot fail for want of room
        finally:
            try:
                with words_for(self.target.name, "cannot be written"):
                    self._storage.finish(discard=not keep)
            finally:
                if not keep:
                    self.target.scratch.unlink(missing_ok=True)

    def _finish_commit(self, checkpoint: Checkpoint) -> None:
        file, place = self._file, self._commits % 2
        _write_checkpoint(file[f"checkpoint/{place}"], checkpoint)
        file["committed"][...] = (file["steps"].shape[0], file["frames/time"].shape[0], place)
        file.flush()
        self._storage.commit()
        self.checkpoint, self._commits = checkpoint, self._commits + 1

    def _advice(self, error: Exception) -> str:
        """What happened, what is left, what to do."""
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number else str(error) or type(error).__name__
        cure = "make room on the disk" if number in NO_ROOM else "mend that"
        start = f"{self.target.name} cannot be written: {reason}; {cure}"
        if not self.published or self.checkpoint is None:
            return f"{start} and run again (nothing was recorded)"
        done = f"the record is whole up to step {self.checkpoint.number}, t = {self.checkpoint.state.time:g} s"
        return f"{start} and go on with: signorini run --resume {self.target.name} ({done})"


def contact_arrays(step: Step) -> dict[str, Any]:
    """The contacts of a step by the names of their data sets."""
    own = ("impulse", *LAW)
    arrays = {name: getattr(step.contacts, name) for name in CONTACT if name not in own}
    identity = step.contacts.identity
    law = LawMemory.fresh(identity) if step.law is None else step.law.at(identity)
    return {**arrays, "impulse": step.impulses, **{name: getattr(law, name) for name in LAW}}


def _write_frames(file: Any, kept: list[Any]) -> None:
    if not kept:
        return
    frames, contacts = file["frames"], file["contacts"]
    append(frames["number"], [frame[0] for frame in kept])
    append(frames["time"], [frame[1].time for frame in kept])
    for name in arrays_in(frames):
        append(frames[name], np.stack([getattr(frame[1], name) for frame in kept]))
    for name, data in file["reactions"].items():
        nothing = np.zeros(data.shape[1])
        append(data, np.stack([nothing if r is None else getattr(r, name) for *_, r in kept]))
    counts = [len(frame[2]["gap"]) if frame[2] else 0 for frame in kept]
    end = contacts["gap"].shape[0]
    first = contacts["offset"].shape[0] == 0
    append(contacts["offset"], np.concatenate(([end] * first, end + np.cumsum(counts))).astype(np.int64))
    for name in CONTACT:
        present = [frame[2][name] for frame in kept if frame[2]]
        append(contacts[name], np.concatenate(present) if present else ())


def _write_checkpoint(slot: Any, checkpoint: Checkpoint) -> None:
    random = np.frombuffer(json.dumps(checkpoint.random).encode(), dtype=np.uint8)
    arrays = _memory_arrays(checkpoint.memory)
    sizes = [len(arrays.get(name, ())) for name in ("identity", "joint_impulse")]
    kind = MEMORIES.index(type(checkpoint.memory))
    rest = len(arrays.get("limit_impulse", arrays.get("acceleration", ())))
    frictions = len(arrays.get("friction_impulse", ()))
    slot["count"][...] = (checkpoint.number, *sizes, len(random), kind, rest, frictions)
    slot["time"][...] = checkpoint.state.time
    for name in arrays_in(slot):
        slot[name][...] = getattr(checkpoint.state, name)
    overwrite(slot["random"], random)
    for name, values in arrays.items():
        overwrite(slot[name], values)
    law = checkpoint.memory.law if isinstance(checkpoint.memory, Memory) else None
    slot["law/count"][...] = (0 if law is None else len(law.identity), law is not None)
    if law is not None:
        for name in ("identity", *LAW):
            overwrite(slot[f"law/{name}"], getattr(law, name))


def _memory_arrays(memory: Memory | SmoothMemory | None) -> dict[str, Any]:
    """By the names of the data sets of a checkpoint."""
    if memory is None:
        return {}
    if isinstance(memory, Memory):
        names = ("identity", "impulse", "joint_impulse", "limit_impulse", "friction_impulse")
        kept = {name: getattr(memory, name) for name in names}
        kept["acceleration"] = memory.change
        if isinstance(memory, AlphaMemory):
            kept["acceleration"] = memory.acceleration
            kept["effort"] = np.concatenate((memory.pushes.reshape(-1), memory.momentum))
            kept["substep"] = np.array([float(memory.smooth), float(len(memory.acceleration))])
        return kept
    return {
        "identity": memory.identity,
        "impulse": memory.stretch,
        "joint_impulse": memory.multipliers,
        "acceleration": memory.acceleration,
        "effort": memory.effort,
        "substep": np.array([memory.step, memory.trial]),
    }


def _sync_folder(folder: Path, sync: float | None) -> None:
    """Make the new name of a file durable, where the system can."""
    if sync is None:
        return
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(file)
        finally:
            os.close(file)
