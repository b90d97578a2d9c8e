"""Reads every byte of a record and says what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from signorini.io import record_checks as checks
from signorini.io.hdf5 import member, words_for
from signorini.io.record_layout import CONTACT
from signorini.io.record_reader import ROWS_AT_ONCE, RecordReader
from signorini.problem.errors import SignoriniError


@dataclass
class Verdict:
    """What was found in a record."""

    path: str
    version: int = 0
    steps: int = 0
    frames: int = 0
    time: float = 0.0
    """Of the last frame [s]."""
    checksums: bool = False
    """Whether the data sets carry checksums, all of which were right if nothing is wrong."""
    functions: list[str] = field(default_factory=list)
    """Of the model; they are not in the record."""
    wrong: list[str] = field(default_factory=list)
    """Each in a sentence; none in a whole record."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong

    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"ok": self.ok, **asdict(self)}


def verify_record(path: str | Path) -> Verdict:
    """Check all steps and frames of a record, its model and its checkpoint; never raises because of the file."""
    found = Verdict(str(path))
    try:
        record = RecordReader(path)
    except SignoriniError as error:
        found.wrong.append(str(error))
        return found
    found.version, found.steps, found.frames = record.version, record.steps_done, record.frames
    parts: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("model", lambda: _check_model(record, found)),
        ("checkpoint", record.checkpoint),
        ("diagnostics", lambda: _check_rows(record)),
        ("times", lambda: setattr(found, "time", float(record.times[-1]))),
        ("data", lambda: record.read_all(lambda file: _check_data(file, record, found))),
    )
    for name, check in parts:
        try:
            with words_for(record.path, f"has unreadable {name}"):
                check()
        except SignoriniError as error:
            found.wrong.append(f"{name}: {error}")
    return found


def _check_model(record: RecordReader, found: Verdict) -> None:
    found.functions = record.functions()
    if not found.functions:
        record.model()


def _check_rows(record: RecordReader) -> None:
    numbers = record.rows["number"]
    checks.require(bool(np.all(np.diff(numbers) == 1)), "the steps are not numbered one after another")


def _check_data(file: Any, record: RecordReader, found: Verdict) -> None:
    """Every committed row of every data set: checksums are compared by HDF5 as it reads."""
    offsets = np.asarray(member(file, "contacts/offset")[: record.frames + 1])
    checks.require(
        bool(offsets[0] == 0 and np.all(np.diff(offsets) >= 0)), "the contacts of the frames are out of order"
    )
    lengths = checks.lengths(record.specs, record.steps_done, record.frames)
    lengths.update({f"contacts/{name}": int(offsets[-1]) for name in CONTACT})
    found.checksums = True
    for name, length in lengths.items():
        data = member(file, name)
        found.checksums &= bool(data.fletcher32)
        checks.require(data.shape[0] >= length, f"it has {data.shape[0]} rows in '{name}', expected {length}")
        for first in range(0, length, ROWS_AT_ONCE):
            checks.plain(data[first : min(first + ROWS_AT_ONCE, length)], name)
