"""Reads records, whole ones and those of killed programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.io.checkpoint import Checkpoint
from signorini.io.diagnostics import ROW, Rows
from signorini.io.model_text import from_text
from signorini.io.record_layout import CONTACT, FORMAT, LAW, MEMORIES, VERSION, append, arrays_in
from signorini.io.unclosed_hdf5 import open_for_reading
from signorini.math.sparse import Array
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError, SignoriniError
from signorini.problem.solution import Status
from signorini.stepping.smooth_memory import SmoothMemory
from signorini.stepping.step import Failure, ReactionKind
from signorini.stepping.warm_start import Memory

ROWS_AT_ONCE = 256
NEXT = "write it again, or take a copy that is whole"


@contextmanager
def words_for(path: Path, what: str) -> Iterator[None]:
    """Whatever HDF5 says inside the block becomes a `FileError`."""
    try:
        yield
    except SignoriniError:
        raise
    except (OSError, KeyError, RuntimeError, ValueError, TypeError, IndexError, AttributeError, MemoryError) as error:
        reason = str(error).strip("'\"")
        raise FileError(f"{path} {what}: HDF5 says {reason!r}") from error


class RecordReader:
    """A record on disk; arrays are read when they are asked for."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileError(f"{self.path}: there is no such file; check the name (`ls {self.path.parent}`)")
        if self.path.is_dir() or not _is_hdf5(self.path):
            raise FileError(f"{self.path} is not a record of a run: it is no HDF5 file; pass the file of --record")
        with self._opened() as file:
            if file.attrs.get("format") != FORMAT:
                raise FileError(f"{self.path} is an HDF5 file but no record of a run; pass the file of --record")
            if int(file.attrs["format_version"]) > VERSION:
                raise FileError(f"{self.path} was written by a newer version; update signorini to read it")
            if int(file.attrs["format_version"]) < VERSION:
                raise FileError(f"{self.path} was written by an older version, in another layout; run it again")
            self.settings: dict[str, Any] = json.loads(file.attrs["settings"])
            self.notes: dict[str, Any] = json.loads(file.attrs["notes"])
            self.versions: dict[str, str] = json.loads(file.attrs["versions"])
            self.model_text = bytes(np.asarray(file["model"][()])).decode()
            self.names: list[str] = [body["name"] for body in json.loads(self.model_text)["bodies"]]
            self.flexibles = _flexibles(json.loads(self.model_text))
            self.layout = _layout(file)
            self.failure = _failure(file)
            self.steps_done, self.frames, self._slot = (int(n) for n in file["committed"][()])
            self._check_lengths(file)

    def model(self) -> Model:
        """The recorded model, where it is data alone."""
        with words_for(self.path, f"is damaged; {NEXT}"):
            return from_text(self.model_text)

    @cached_property
    def rows(self) -> Rows:
        """Diagnostics, one row per step."""
        with self._opened() as file:
            rows = np.asarray(file["steps"][: self.steps_done])
            if rows.dtype != ROW:
                raise FileError(f"{self.path} has other diagnostics than this version; {NEXT}")
            return rows

    @cached_property
    def times(self) -> Array:
        """Of the frames [s], shape (frames,)."""
        with self._opened() as file:
            return np.asarray(file["frames/time"][: self.frames])

    def array(self, name: str, body: int | slice | None = None) -> Array:
        """One of `position`, ... in all frames, shape (frames, bodies, width), or (frames, width) of one body."""
        with self._opened() as file:
            if name not in file["frames"]:
                return np.zeros((self.frames, 0, 3))
            data = file[f"frames/{name}"]
            return np.asarray(data[: self.frames] if body is None else data[: self.frames, body])

    def state(self, frame: int) -> State:
        """State of a frame."""
        with self._opened() as file:
            parts = {name: np.asarray(file[f"frames/{name}"][frame]) for name in arrays_in(file["frames"])}
            return State(time=float(file["frames/time"][frame]), **parts)

    def contacts(self, frame: int) -> tuple[Contacts, Array, LawMemory]:
        """Contacts of the step that led to a frame, their impulses (normal, t1, t2) [N s], what they remember."""
        with self._opened() as file:
            group = file["contacts"]
            begin, end = (int(n) for n in group["offset"][frame : frame + 2])
            parts: dict[str, Any] = {name: np.asarray(group[name][begin:end]) for name in CONTACT}
        impulse, identity = parts.pop("impulse"), parts["identity"]
        law = LawMemory(identity, **{name: parts.pop(name) for name in LAW})
        parts["body_a"], parts["body_b"] = parts["body_a"].astype(np.int64), parts["body_b"].astype(np.int64)
        return Contacts(**parts), impulse, law

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes in the steps that led to the frames, shape (frames, rows)."""
        if not getattr(self.layout, kind):
            return np.zeros((self.frames, 0))
        with self._opened() as file:
            return np.asarray(file[f"reactions/{kind}"][: self.frames])

    def checkpoint(self) -> Checkpoint:
        """What the next step depends on."""
        with self._opened() as file:
            slot = file[f"checkpoint/{self._slot}"]
            number, contacts, joints, length, kind, rest, frictions = (int(n) for n in slot["count"][()])
            parts = {name: np.asarray(slot[name][()]) for name in arrays_in(slot)}
            state = State(time=float(slot["time"][0]), **parts)
            random = bytes(np.asarray(slot["random"][:length])).decode()
            sizes = {"identity": contacts, "impulse": contacts, "joint_impulse": joints}
            kept = [np.asarray(slot[name][:n]) for name, n in sizes.items()]
            memory: Memory | SmoothMemory | None = None
            if MEMORIES[kind] is Memory:
                limits, brakes = slot["limit_impulse"][:rest], slot["friction_impulse"][:frictions]
                change = np.asarray(slot["acceleration"][()])
                rows = (np.asarray(limits), np.asarray(brakes))
                memory = Memory(kept[0], kept[1], kept[2], *rows, _law(slot["law"]), change)
            elif MEMORIES[kind] is SmoothMemory:
                a, effort = (np.asarray(slot[name][:rest]) for name in ("acceleration", "effort"))
                step, trial = (float(value) for value in slot["substep"][:2])
                memory = SmoothMemory(a, effort, kept[2], step, trial, kept[0], kept[1])
        if number != self.steps_done:
            raise FileError(f"{self.path} has a checkpoint of step {number} after {self.steps_done} steps; {NEXT}")
        return Checkpoint(number, state, memory, random)

    def copy_to(self, target: h5py.File) -> None:
        """The whole steps and frames, into a new file of the same layout."""
        with self._opened() as file:
            lengths = {"steps": self.steps_done, "frames/time": self.frames, "frames/number": self.frames}
            lengths.update({f"frames/{name}": self.frames for name in arrays_in(file["frames"])})
            lengths.update({f"reactions/{name}": self.frames for name in file["reactions"]})
            lengths["contacts/offset"] = self.frames + 1
            contacts = int(file["contacts/offset"][self.frames])
            lengths.update({f"contacts/{name}": contacts for name in CONTACT})
            for name, length in lengths.items():
                rows = ROWS_AT_ONCE if name.startswith("frames/") else ROWS_AT_ONCE**2
                for first in range(0, length, rows):
                    append(target[name], file[name][first : min(first + rows, length)])

    def _check_lengths(self, file: h5py.File) -> None:
        """Sets that end before the committed steps do are damage."""
        expected = {"steps": self.steps_done, "frames/time": self.frames, "contacts/offset": self.frames + 1}
        expected.update({f"frames/{name}": self.frames for name in arrays_in(file["frames"])})
        expected.update({f"reactions/{name}": self.frames for name in file["reactions"]})
        for name, length in expected.items():
            if file[name].shape[0] < length:
                raise FileError(f"{self.path} has {file[name].shape[0]} rows in {name}, expected {length}; {NEXT}")
        if self.frames < 1:
            raise FileError(f"{self.path} holds no frame: the run was stopped before its first flush; run it again")

    @contextmanager
    def _opened(self) -> Iterator[h5py.File]:
        with (
            words_for(self.path, f"is damaged or truncated; {NEXT}"),
            open_for_reading(self.path) as file,
        ):
            yield file


def _law(group: h5py.Group) -> LawMemory | None:
    count, known = (int(n) for n in group["count"][()])
    return LawMemory(*(np.asarray(group[name][:count]) for name in ("identity", *LAW))) if known else None


def _failure(file: h5py.File) -> Failure | None:
    """Why the run ended early; None if it did not, or if the record is older than this entry."""
    text = bytes(np.asarray(file["failure"][()])).decode() if "failure" in file else ""
    entries = json.loads(text) if text else None
    return None if entries is None else Failure(Status[entries["status"]], entries["message"])


def _layout(file: h5py.File) -> Layout:
    """Rows of joints, limits and friction."""
    entries = json.loads(bytes(np.asarray(file["layout"][()])).decode())
    return Layout(**{kind: tuple((name, rows) for name, rows in part) for kind, part in entries.items()})


def _flexibles(model: dict[str, Any]) -> dict[str, slice]:
    """Nodes of each flexible body."""
    parts = model["flexibles"]
    return {part["name"]: slice(part["first"], part["first"] + len(part["position"]["array"])) for part in parts}


def _is_hdf5(path: Path) -> bool:
    try:
        return bool(h5py.is_hdf5(path))
    except OSError:
        return False
