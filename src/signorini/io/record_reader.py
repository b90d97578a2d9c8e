"""Reads records, whole ones and those of killed programs. Nothing in them is trusted: see `record_checks`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from signorini.assembly.laws.memory import LawMemory
from signorini.collision.contacts import Contacts
from signorini.io import record_checks as checks
from signorini.io.checkpoint import Checkpoint
from signorini.io.diagnostics import Rows
from signorini.io.hdf5 import h5py, member, text_attribute, words_for
from signorini.io.model_text import from_text, functions_in, parsed, same_model
from signorini.io.record_file import open_for_reading, version_on_disk
from signorini.io.record_layout import (
    CONTACT,
    FORMAT,
    LAW,
    MEMORIES,
    OLDEST,
    REACTIONS,
    STATE,
    VERSION,
    Spec,
    append,
    schema,
)  # fmt: skip
from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.layout import Layout
from signorini.model.model import Model
from signorini.model.state import State
from signorini.problem.errors import FileError
from signorini.problem.solution import Status
from signorini.stepping.nonsmooth_alpha.memory import AlphaMemory
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.step import Failure, ReactionKind
from signorini.stepping.warm_start import Memory

ROWS_AT_ONCE = 256
NEXT = "write it again, or take a copy that is whole"
ATTEMPTS, PAUSE = 50, 0.02
"""A file that its writer changes while it is read is read again, so often and after this time [s]."""
T = TypeVar("T")


class RecordReader:
    """A record on disk; arrays are read, and checked, on access."""

    def __init__(self, path: str | Path, opened: Callable[[Path], Any] = open_for_reading) -> None:
        if not isinstance(path, str | os.PathLike):
            raise FileError(f"the record is {path!r}, expected the name of a file such as 'run.h5'")
        self.path, self._opened = Path(path), opened
        self._block: tuple[tuple[Any, ...], range, dict[str, Array]] | None = None
        """Version of the file, frames, and their arrays, as last read for a state."""
        if not self.path.exists():
            raise FileError(f"{self.path}: there is no such file; check the name (`ls {self.path.parent}`)")
        if not self.path.is_file() or not _is_hdf5(self.path):
            raise FileError(f"{self.path} is not a record of a run: it is no HDF5 file; pass the file of --record")
        self.read_all(self._open)

    def _open(self, file: Any) -> None:
        self.version = int(file.attrs.get("format_version", 0))
        old = self.version < 4
        if text_attribute(file, "format", old) != FORMAT:
            raise FileError("it is an HDF5 file but no record of a run; pass the file of --record")
        if self.version > VERSION:
            raise FileError("it was written by a newer version; update signorini to read it")
        if self.version < OLDEST:
            raise FileError("it was written by an older version, in another layout; run it again")
        texts = {name: parsed(text_attribute(file, name, old)) for name in ("settings", "notes", "versions")}
        self.settings: dict[str, Any] = texts["settings"]
        self.notes: dict[str, Any] = texts["notes"]
        self.versions: dict[str, str] = texts["versions"]
        checks.check_texts(texts)
        self.model_text = _text(file, "model")
        content = parsed(self.model_text)
        self.names: list[str] = [str(body["name"]) for body in content["bodies"]]
        self.flexibles = checks.flexible_nodes(content)
        self.layout = _layout(file)
        nodes = max((part.stop for part in self.flexibles.values()), default=0)
        self._specs = schema(len(self.names), nodes, dict(zip(REACTIONS, self.layout.sizes, strict=True)))
        checks.check_schema(file, self._specs)
        self.single = member(file, "frames/position").dtype == np.float32
        """Whether states, contacts and reactions have single precision."""
        self.failure = _failure(file)
        self.steps_done, self.frames, self._slot = (int(n) for n in member(file, "committed")[()])
        self._check_lengths(file)
        self.first = checks.count(member(file, "frames/number")[0])

    @property
    def number(self) -> int:
        """Of the last step; the first frame may be one of a run that went on from another record."""
        return self.first + self.steps_done

    def _check_lengths(self, file: Any) -> None:
        checks.check_lengths(file, self._specs, self.steps_done, self.frames, self._slot)

    def model(self) -> Model:
        """The recorded model, where it is data alone."""
        with words_for(self.path, f"is damaged; {NEXT}"):
            model = from_text(self.model_text)
            checks.check_layout(model, self.layout)
            return model

    def functions(self) -> list[str]:
        """What the model has of Python functions, which are not in the record; in words."""
        with words_for(self.path, f"is damaged; {NEXT}"):
            return functions_in(parsed(self.model_text))

    def is_of(self, model: Model) -> bool:
        """Whether the record is one of this model, as far as it is data."""
        with words_for(self.path, f"is damaged; {NEXT}"):
            return same_model(model, self.model_text)

    @cached_property
    def rows(self) -> Rows:
        """Diagnostics, one row per step."""
        return self.read_all(lambda file: checks.diagnostics(np.asarray(member(file, "steps")[: self.steps_done])))

    @cached_property
    def times(self) -> Array:
        """Of the frames [s], shape (frames,)."""
        return self.read_all(lambda file: checks.rising(np.asarray(member(file, "frames/time")[: self.frames])))

    def array(self, name: str, body: int | slice | None = None) -> Array:
        """One of `position`, ... in all frames, shape (frames, bodies, width), or (frames, width) of one body."""
        if f"frames/{name}" not in self._specs:
            return np.zeros((self.frames, 0, 3))

        def read(file: Any) -> Array:
            data = member(file, f"frames/{name}")
            return checks.finite(data[: self.frames] if body is None else data[: self.frames, body], name)

        return self.read_all(read)

    def state(self, frame: int) -> State:
        """State of a frame."""

        version, frame = version_on_disk(self.path), range(self.frames)[frame]
        if self._block is None or self._block[0] != version or frame not in self._block[1]:
            self._block = (version, *self.read_all(lambda file: self._states_about(file, frame)))
        _, frames, arrays = self._block
        parts = {name: checks.finite(arrays[name][frame - frames.start], name) for name in self._state_arrays}
        return State(time=float(arrays["time"][frame - frames.start]), **parts)

    def _states_about(self, file: Any, frame: int) -> tuple[range, dict[str, Array]]:
        """The frames that are packed together with one, which are unpacked at the cost of one."""
        data = {name: member(file, f"frames/{name}") for name in ("time", *self._state_arrays)}
        count = min(ROWS_AT_ONCE, *(each.chunks[0] if each.chunks else 1 for each in data.values()))
        begin = frame - frame % count
        frames = range(begin, min(begin + count, self.frames))
        return frames, {name: np.asarray(each[frames.start : frames.stop]) for name, each in data.items()}

    def contacts(self, frame: int) -> tuple[Contacts, Array, LawMemory]:
        """Contacts of the step that led to a frame, their impulses (normal, t1, t2) [N s], what they remember."""

        def read(file: Any) -> dict[str, Any]:
            begin, end = checks.offsets(file, frame)
            parts = {name: checks.double(member(file, f"contacts/{name}")[begin:end]) for name in CONTACT}
            checks.check_contacts(parts, len(self.names) + len(self.flexibles))
            return parts

        parts = self.read_all(read)
        impulse, identity = parts.pop("impulse"), parts["identity"]
        law = LawMemory(identity, **{name: parts.pop(name) for name in LAW})
        parts["body_a"], parts["body_b"] = parts["body_a"].astype(np.int64), parts["body_b"].astype(np.int64)
        return Contacts(**parts), impulse, law

    def reactions(self, kind: ReactionKind) -> Array:
        """Impulses of all joints, limits or brakes in the steps that led to the frames, shape (frames, rows)."""
        name = f"reactions/{kind}"
        if name not in self._specs:
            return np.zeros((self.frames, 0))
        return self.read_all(lambda file: checks.finite(member(file, name)[: self.frames], kind))

    def checkpoint(self, velocities: int | None = None) -> Checkpoint:
        """What the next step depends on; with so many velocities, where the model is known."""
        return self.read_all(lambda file: self._checkpoint(file, velocities))

    def _checkpoint(self, file: Any, velocities: int | None) -> Checkpoint:
        slot = member(file, f"checkpoint/{self._slot}")
        number, contacts, joints, length, kind, rest, frictions = checks.counts(slot)
        parts = {name: checks.usable(member(slot, name)[()], name) for name in self._state_arrays}
        state = checks.sound(State(time=float(member(slot, "time")[0]), **parts))
        random = parsed(bytes(checks.first(slot, "random", length)).decode())
        kept = [checks.first(slot, n, size) for n, size in (("identity", contacts), ("impulse", contacts))]
        joint = checks.first(slot, "joint_impulse", joints)
        memory: Memory | SmoothMemory | None = None
        if MEMORIES[kind] is Memory:
            limits, brakes = (
                checks.first(slot, "limit_impulse", rest),
                checks.first(slot, "friction_impulse", frictions),
            )
            change = checks.usable(member(slot, "acceleration")[()], "acceleration")
            memory = Memory(kept[0], kept[1], joint, limits, brakes, _law(member(slot, "law")), change)
        elif MEMORIES[kind] is AlphaMemory:
            memory = _alpha_memory(slot, kept, joint, rest, frictions)
        elif MEMORIES[kind] is SmoothMemory:
            a, effort = (checks.first(slot, name, rest) for name in ("acceleration", "effort"))
            step, trial = (float(value) for value in checks.first(slot, "substep", 2))
            memory = SmoothMemory(a, effort, joint, step, trial, kept[0], kept[1])
        checks.check_memory(memory, self.layout, state)
        if velocities is not None and memory is not None:
            checks.check_unknowns(memory, velocities)
        if number != self.number:
            raise FileError(f"it has a checkpoint of step {number}, expected {self.number}")
        return Checkpoint(number, state, memory, random)

    def copy_to(self, target: Any) -> None:
        """The committed steps and frames, into a new file of the same layout."""
        with words_for(self.path, f"is damaged or truncated; {NEXT}"), self._opened(self.path) as file:
            contacts = int(member(file, "contacts/offset")[self.frames])
            lengths = checks.lengths(self._specs, self.steps_done, self.frames)
            lengths.update({f"contacts/{name}": contacts for name in CONTACT})
            for name, length in lengths.items():
                rows, data = ROWS_AT_ONCE if name.startswith("frames/") else ROWS_AT_ONCE**2, member(file, name)
                for first in range(0, length, rows):
                    append(target[name], checks.plain(data[first : min(first + rows, length)], name))

    @property
    def specs(self) -> dict[str, Spec]:
        """All data sets that the record has."""
        return self._specs

    @property
    def _state_arrays(self) -> list[str]:
        return [name for name in (*STATE, "node_position", "node_velocity") if f"frames/{name}" in self._specs]

    def read_all(self, what: Callable[[Any], T]) -> T:
        """Call `what` with the open file, again if the file was changed meanwhile."""
        for attempt in range(ATTEMPTS):
            before = version_on_disk(self.path)
            try:
                with words_for(self.path, f"is damaged or truncated; {NEXT}"), self._opened(self.path) as file:
                    found = what(file)
            except FileError as error:
                if version_on_disk(self.path) == before or attempt == ATTEMPTS - 1:
                    text = str(error)
                    raise error if str(self.path) in text else FileError(f"{self.path}: {text}") from error
            else:
                if version_on_disk(self.path) == before:
                    return found
            time.sleep(PAUSE)
        raise FileError(f"{self.path} changes faster than it can be read; try again when the run has ended")


def _text(file: Any, name: str) -> str:
    data = member(file, name)
    checks.require(data.ndim == 1 and data.dtype == np.uint8, f"'{name}' holds {data.dtype}, expected bytes")
    return bytes(np.asarray(data[()])).decode()


def _law(group: Any) -> LawMemory | None:
    count, known = (int(n) for n in member(group, "count")[()])
    return LawMemory(*(checks.first(group, name, count) for name in ("identity", *LAW))) if known else None


def _failure(file: Any) -> Failure | None:
    """Why the run ended early; None if it did not, or if the record is older than this entry."""
    text = _text(file, "failure") if "failure" in file else ""
    entries = json.loads(text) if text else None
    return None if entries is None else Failure(Status[entries["status"]], str(entries["message"]))


def _layout(file: Any) -> Layout:
    """Rows of joints, limits and friction."""
    entries = parsed(_text(file, "layout"))
    return Layout(
        **{kind: tuple((str(name), checks.count(rows)) for name, rows in part) for kind, part in entries.items()}
    )


def _is_hdf5(path: Path) -> bool:
    try:
        return bool(h5py.is_hdf5(path))
    except OSError:
        return False


def _alpha_memory(slot: Any, kept: list[Any], joint: Array, limits: int, frictions: int) -> AlphaMemory:
    """Of second-order steps: as of others, with accelerations, and impulses on bodies in the place of efforts."""
    smooth, found = checks.first(slot, "substep", 2)
    unknowns = checks.count(int(found))
    pushes, momentum = np.split(checks.first(slot, "effort", 3 * len(kept[0]) + unknowns), [3 * len(kept[0])])
    return AlphaMemory(
        kept[0], kept[1], joint, checks.first(slot, "limit_impulse", limits),
        checks.first(slot, "friction_impulse", frictions), _law(member(slot, "law")), np.zeros(0),
        checks.first(slot, "acceleration", unknowns), pushes.reshape(-1, 3), momentum, bool(smooth),
    )  # fmt: skip
