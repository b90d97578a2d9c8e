"""The folder of a sweep: which sweep it is, and the rows that are done.

`sweep.json` says what the folder holds. `rows.jsonl` has one line per finished run, each with a checksum: a line that
was cut by a crash does not count, and its run is done again.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from signorini import __version__
from signorini.problem.errors import FileError, StudyError
from signorini.studies.sweep.job import ERROR, LOST, STATUSES, Job, Plan, Row

MANIFEST, ROWS, LOCK, RECORDS = "sweep.json", "rows.jsonl", "lock", "records"
FORMAT = 1
OUT, RESTART, ACCEPT = "--out, out=", "--restart, restart=True", "--accept-changes, accept_changes=True"
"""How it is typed on the command line and in Python."""
SECONDS_BETWEEN_SYNCS = 1.0
"""Rows are written at once, and forced to the disk no more often than this."""


def key_of(job: Job) -> str:
    """The same for the same run in any order of runs."""
    return json.dumps([dict(sorted(job.parameters.items())), job.repeat, job.seed])


@dataclass(frozen=True)
class Identity:
    """What makes a sweep the same sweep."""

    source: str
    settings: str
    measures: dict[str, str]
    parameters: list[str]
    digest: str
    """Of the source's code."""
    version: str = __version__

    @classmethod
    def of(cls, plan: Plan, jobs: list[Job]) -> Identity:
        """Of a sweep that is about to begin."""
        source = plan.source
        return cls(
            source.name,
            source.settings_text(),
            {measure.name: measure.text for measure in plan.measures},
            sorted({name for job in jobs for name in job.parameters}),
            source.digest(),
        )


class Ledger:
    """Rows of a sweep on disk."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        self.folder, self._identity = folder, identity
        self._file: FileIO | None = None
        self._synced = 0.0

    @contextmanager
    def opened(self, restart: bool, accept_changes: bool) -> Iterator[dict[str, Row]]:
        """Within, rows can be added; gives those that are done, by `key_of` their jobs."""
        _make(self.folder)
        with _room_needed(self.folder / LOCK):
            opened = (self.folder / LOCK).open("a")
        with opened as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StudyError(
                    f"another sweep is writing to {self.folder}; wait for it, or name another folder ({OUT})"
                ) from None
            if restart:
                (self.folder / MANIFEST).unlink(missing_ok=True)
                (self.folder / ROWS).unlink(missing_ok=True)
            changed = self._check(accept_changes)
            done, length = _read(self.folder / ROWS, (ERROR, LOST) if changed else (LOST,))
            # Without a buffer: what could not be written is not tried again when the file is closed.
            with (self.folder / ROWS).open("ab", buffering=0) as self._file:
                self._file.truncate(length)  # what a crash cut in the middle
                try:
                    yield done
                finally:
                    self._sync()
                    self._file = None

    def add(self, job: Job, row: Row) -> None:
        """A finished run."""
        assert self._file is not None
        text = json.dumps({"key": key_of(job), "row": row})
        line = memoryview(f"{text}\t{zlib.crc32(text.encode()):08x}\n".encode())
        with _room_needed(self.folder / ROWS):
            while line:
                line = line[self._file.write(line) :]
        if time.monotonic() - self._synced > SECONDS_BETWEEN_SYNCS:
            self._sync()

    def _sync(self) -> None:
        if self._file is not None:
            with _room_needed(self.folder / ROWS):
                os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def _check(self, accept_changes: bool) -> bool:
        """Raise if the folder is not that of this sweep; a new one becomes so. Gives whether its code has changed."""
        path, mine = self.folder / MANIFEST, self._identity
        if not path.exists():
            if (self.folder / ROWS).exists():
                raise StudyError(f"{self.folder} has {ROWS} without {MANIFEST}; add {RESTART} to begin anew")
            self._write(path)
            return False
        old = _manifest(path)
        for name in ("source", "settings", "measures", "parameters"):
            if old.get(name) != getattr(mine, name):
                raise StudyError(
                    f"{self.folder} holds another sweep: its {name} {_verb(name)} {_told(old.get(name))}, now "
                    f"{_told(getattr(mine, name))}; name another folder ({OUT}), or throw its rows away ({RESTART})"
                )
        changed = [
            word
            for word, name in (("the scene", "digest"), ("the version", "version"))
            if old.get(name) != getattr(mine, name)
        ]
        if changed and not accept_changes:
            raise StudyError(
                f"{' and '.join(changed)} changed since the rows in {self.folder} were made; keep them and go on "
                f"({ACCEPT}), or begin anew ({RESTART})"
            )
        if changed:
            self._write(path)
        return bool(changed)

    def _write(self, path: Path) -> None:
        beside = path.with_suffix(".new")
        with _room_needed(path):
            beside.write_text(json.dumps({"format": FORMAT, **asdict(self._identity)}, indent=2))
            beside.replace(path)


@contextmanager
def _room_needed(path: Path) -> Iterator[None]:
    """Where writing fails, say what to do."""
    try:
        yield
    except OSError as error:
        raise FileError(
            f"{path} cannot be written: {error.strerror}; make room on the disk, or name another folder ({OUT}), and "
            "start the same sweep again: it goes on with what is missing"
        ) from error


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be made a folder: {error}") from error
    strange = [p.name for p in folder.iterdir() if p.name not in (LOCK, "sweep.new")]
    if strange and not (folder / MANIFEST).exists() and not (folder / ROWS).exists():
        raise StudyError(f"{folder} has other files ({strange[0]}) and is no folder of a sweep; name another ({OUT})")
    # A folder that came from elsewhere may hold links, which would lead what is written to other files, or pipes.
    for path in folder.iterdir():
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise StudyError(f"{path} is a link or no ordinary file; remove it, or name another folder ({OUT})")


def _told(value: Any) -> str:
    """A part of an identity in words."""
    if isinstance(value, Mapping):
        value = [name if name == text else f"{name}={text}" for name, text in value.items()]
    return ", ".join(map(str, value)) if isinstance(value, list) and value else str(value or "none")


def _verb(name: str) -> str:
    return "are" if name.endswith("s") else "is"


def _manifest(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(f"{path} cannot be read ({error}); add {RESTART} to begin anew") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise FileError(f"{path} is of another version; add {RESTART} to begin anew")
    return found


def _read(path: Path, again: tuple[str, ...]) -> tuple[dict[str, Row], int]:
    """Rows that are whole, and the length of the file up to the last whole line [bytes].

    Runs that ended with a status in `again` do not count as done.
    """
    done: dict[str, Row] = {}
    content = path.read_bytes() if path.exists() else b""
    length = content.rfind(b"\n") + 1
    for line in content[:length].splitlines():
        text, tab, checksum = line.rpartition(b"\t")
        if not tab or checksum != f"{zlib.crc32(text):08x}".encode():
            continue
        key, row = _entry(text)
        if row and row["status"] not in again:
            done[key] = row
    return done, length


def _entry(text: bytes) -> tuple[str, Row]:
    """Key and row of a line; no row if it is not one of ours, whatever its checksum says."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return "", {}
    key, row = (entry.get("key"), entry.get("row")) if isinstance(entry, dict) else (None, None)
    if not isinstance(key, str) or not isinstance(row, dict) or row.get("status") not in STATUSES:
        return "", {}
    return (key, row) if all(map(_is_plain, row.values())) else ("", {})


def _is_plain(value: Any) -> bool:
    """Whether a table can hold it: a text, a number that arrays hold, a truth value or nothing."""
    return isinstance(value, str | float | None) or (isinstance(value, int) and abs(value) < 2**63)
