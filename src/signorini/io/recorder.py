"""Writes a run to an HDF5 file as it goes; see `record_layout` for what is where."""

from __future__ import annotations

import dataclasses
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import signorini
from signorini.assembly.laws.memory import LawMemory
from signorini.io.checkpoint import Checkpoint
from signorini.io.diagnostics import row_of, table
from signorini.io.model_text import to_text
from signorini.io.record_layout import (
    CONTACT,
    FORMAT,
    LAW,
    MEMORIES,
    REACTIONS,
    VERSION,
    append,
    arrays_in,
    make_layout,
    overwrite,
)  # fmt: skip
from signorini.io.record_reader import RecordReader, words_for
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError
from signorini.stepping.smooth_memory import SmoothMemory
from signorini.stepping.step import Failure, Reactions, Step
from signorini.stepping.warm_start import Memory

LARGEST_BUFFER = 1 << 26
"""Frames wait in memory until a flush, but no more than this [bytes]."""


class Recorder:
    """A file that grows with a run and can be read, and resumed from, even if the program is killed.

    Parameters
    ----------
    path
        File to write; an old one is replaced when the run starts.
    every
        States and contacts of every so many steps; diagnostics are kept of all.
    contacts
        Whether contacts and impulses are recorded.
    flush_steps, flush_seconds
        At most this many steps, or this wall time [s], are lost when the program is killed.
    notes
        Anything of yours that JSON can hold, such as the name of the scene.
    """

    def __init__(
        self,
        path: str | Path,
        every: int = 1,
        contacts: bool = True,
        flush_steps: int = 100,
        flush_seconds: float = 2.0,
        notes: dict[str, Any] | None = None,
    ) -> None:
        if every < 1 or flush_steps < 1:
            raise FileError(f"every is {every} and flush_steps is {flush_steps}, expected 1 or more")
        self.path, self.every, self.contacts = Path(path), every, contacts
        self.flush_steps, self.flush_seconds, self.notes = flush_steps, flush_seconds, dict(notes or {})
        self._file: h5py.File | None = None
        self._rows: list[Any] = []
        self._frames: list[tuple[int, State, dict[str, Any], Reactions | None]] = []
        self._bytes, self._flushes, self._last = 0, 0, 0.0

    def start(self, model: Model, settings: dict[str, Any], checkpoint: Checkpoint) -> None:
        """Make the file, with the state at the start as its first frame."""
        self._create(self.path, model, settings)
        self._frames.append((checkpoint.number, checkpoint.state, {}, None))
        self.flush(checkpoint)

    def resume(self, model: Model, settings: dict[str, Any], old: RecordReader) -> None:
        """Make the file from the whole steps of an old record, up to its checkpoint; the old file is then replaced."""
        scratch = self.path.with_name(f".{self.path.name}.resumed")
        self.notes = {**old.notes, **self.notes}
        self._create(scratch, model, settings)
        old.copy_to(self._open_file)
        self._commit(old.checkpoint())
        scratch.replace(self.path)

    def add(self, step: Step, checkpoint: Callable[[], Checkpoint]) -> None:
        """Take a step; `checkpoint` is called when the file is flushed."""
        self._rows.append(row_of(step))
        if step.number % self.every == 0:
            contacts = _contact_arrays(step) if self.contacts else {}
            self._frames.append((step.number, step.state, contacts, step.reactions))
            self._bytes += 8 * (13 * len(step.state.position) + 6 * len(step.state.node_position))
            self._bytes += sum(part.nbytes for part in contacts.values())
            self._bytes += 8 * sum(step.layout.sizes)
        waited = time.monotonic() - self._last
        if len(self._rows) >= self.flush_steps or waited >= self.flush_seconds or self._bytes > LARGEST_BUFFER:
            self.flush(checkpoint())

    def flush(self, checkpoint: Checkpoint) -> None:
        """Everything so far into the file."""
        with words_for(self.path, "cannot be written"):
            file = self._open_file
            self._write_frames(file)
            append(file["steps"], table(self._rows))
            self._rows, self._frames, self._bytes = [], [], 0
            self._commit(checkpoint)
        self._last = time.monotonic()

    def close(self, checkpoint: Checkpoint, failure: Failure | None = None) -> None:
        """Flush and close, with the reason why the run ended early; nothing happens when it is closed already."""
        if self._file is not None:
            try:
                self.flush(checkpoint)
                if failure is not None:
                    text = json.dumps({"status": failure.status.name, "message": failure.message})
                    append(self._file["failure"], np.frombuffer(text.encode(), dtype=np.uint8))
            finally:
                self._file.close()
                self._file = None

    @property
    def _open_file(self) -> h5py.File:
        if self._file is None:
            raise FileError(f"{self.path} is not open: a Recorder serves one run; make a new one")
        return self._file

    def _create(self, path: Path, model: Model, settings: dict[str, Any]) -> None:
        if not self.path.parent.is_dir():
            raise FileError(f"{self.path} cannot be written: there is no directory {self.path.parent}; make it first")
        if self.path.is_dir():
            raise FileError(f"{self.path} is a directory, expected the name of a file such as {self.path / 'run.h5'}")
        with words_for(self.path, "cannot be written"):
            file = h5py.File(path, "w", libver="latest")
            file.attrs["format"], file.attrs["format_version"] = FORMAT, VERSION
            for name, value in (("settings", settings), ("notes", self.notes), ("versions", versions())):
                file.attrs[name] = json.dumps(value)
            layout = Layout.of(model, model.initial_state())
            for name, text in (("model", to_text(model)), ("layout", json.dumps(dataclasses.asdict(layout)))):
                data = np.frombuffer(text.encode(), dtype=np.uint8)
                file.create_dataset(name, data=data, compression="gzip", chunks=True)
            make_layout(file, len(model.bodies), model.node_count, dict(zip(REACTIONS, layout.sizes, strict=True)))
            file.swmr_mode = True
        self._file, self._last = file, time.monotonic()

    def _write_frames(self, file: h5py.File) -> None:
        if not self._frames:
            return
        frames, contacts = file["frames"], file["contacts"]
        append(frames["number"], [frame[0] for frame in self._frames])
        append(frames["time"], [frame[1].time for frame in self._frames])
        for name in arrays_in(frames):
            append(frames[name], np.stack([getattr(frame[1], name) for frame in self._frames]))
        for name, data in file["reactions"].items():
            nothing = np.zeros(data.shape[1])
            append(data, np.stack([nothing if r is None else getattr(r, name) for *_, r in self._frames]))
        counts = [len(frame[2]["gap"]) if frame[2] else 0 for frame in self._frames]
        end = contacts["gap"].shape[0]
        first = contacts["offset"].shape[0] == 0
        append(contacts["offset"], np.concatenate(([end] * first, end + np.cumsum(counts))).astype(np.int64))
        for name in CONTACT:
            present = [frame[2][name] for frame in self._frames if frame[2]]
            append(contacts[name], np.concatenate(present) if present else ())

    def _commit(self, checkpoint: Checkpoint) -> None:
        """A checkpoint, then, when all is in the file, the word that it is."""
        file = self._open_file
        place = self._flushes % 2
        _write_checkpoint(file[f"checkpoint/{place}"], checkpoint)
        file.flush()
        file["committed"][...] = (file["steps"].shape[0], file["frames/time"].shape[0], place)
        file.flush()
        self._flushes += 1


def versions() -> dict[str, str]:
    """What made the record."""
    import scipy

    return {
        "signorini": signorini.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "h5py": h5py.__version__,
    }


def _contact_arrays(step: Step) -> dict[str, Any]:
    own = ("impulse", *LAW)
    arrays = {name: getattr(step.contacts, name) for name in CONTACT if name not in own}
    identity = step.contacts.identity
    law = LawMemory.fresh(identity) if step.law is None else step.law.at(identity)
    return {**arrays, "impulse": step.impulses, **{name: getattr(law, name) for name in LAW}}


def _write_checkpoint(slot: h5py.Group, checkpoint: Checkpoint) -> None:
    random = np.frombuffer(checkpoint.random.encode(), dtype=np.uint8)
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
        return {**{name: getattr(memory, name) for name in names}, "acceleration": memory.change}
    return {
        "identity": memory.identity,
        "impulse": memory.stretch,
        "joint_impulse": memory.multipliers,
        "acceleration": memory.acceleration,
        "effort": memory.effort,
        "substep": np.array([memory.step, memory.trial]),
    }
