"""Saves what can be read of a damaged record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.io import record_checks as checks
from signorini.io.checkpoint import Checkpoint
from signorini.io.hdf5 import member
from signorini.io.record_file import open_leniently
from signorini.io.record_head import RecordHead
from signorini.io.record_reader import ROWS_AT_ONCE, RecordReader
from signorini.io.record_target import RecordTarget
from signorini.io.record_writer import RecordWriter
from signorini.problem.errors import FileError, SignoriniError


@dataclass(frozen=True)
class Salvaged:
    """What was saved."""

    path: str
    steps: int
    frames: int
    time: float
    """Of the last frame [s]."""
    exact: bool
    """Whether the checkpoint is that of the last step, so that the run goes on bit for bit."""

    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


class _DamagedRecord(RecordReader):
    """A record read as far as its data sets go."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path, open_leniently)

    def _check_lengths(self, file: Any) -> None:
        rows = {name: member(file, name).shape[0] for name in checks.lengths(self._specs, 0, 0)}
        self.steps_done = min(self.steps_done, rows.pop("steps"))
        self.frames = min(self.frames, rows.pop("contacts/offset") - 1, *rows.values())
        self._slot = self._slot if self._slot in (0, 1) else 0
        checks.require(self.frames > 0, "it holds no frame that could be saved")

    def shorten(self) -> None:
        """Forget everything from the first frame on that cannot be read."""
        self.frames = _leading(self._frame_is_whole, self.frames)
        checks.require(self.frames > 0, "it holds no frame that could be saved")
        self.steps_done = _leading(self._step_is_whole, self.steps_done)
        # Cut steps after the last frame and frames after the last step.
        numbers = self.read_all(lambda file: np.asarray(member(file, "frames/number")[: self.frames]))
        self.frames = int(np.searchsorted(numbers, self.number, side="right"))
        self.steps_done = int(numbers[self.frames - 1]) - self.first

    def _frame_is_whole(self, first: int, end: int) -> bool:
        def read(file: Any) -> bool:
            for name in (n for n in self._specs if n.startswith(("frames/", "reactions/"))):
                checks.plain(member(file, name)[first:end], name)
            begin, stop = checks.offsets(file, first)[0], checks.offsets(file, end - 1)[1]
            for name in (n for n in self._specs if n.startswith("contacts/") and n != "contacts/offset"):
                checks.plain(member(file, name)[begin:stop], name)
            return True

        return self._succeeds(read)

    def _step_is_whole(self, first: int, end: int) -> bool:
        return self._succeeds(lambda file: len(checks.diagnostics(member(file, "steps")[first:end])) == end - first)

    def _succeeds(self, what: Callable[[Any], bool]) -> bool:
        try:
            return self.read_all(what)
        except SignoriniError:
            return False


def salvage_record(path: str | Path, target: str | Path) -> Salvaged:
    """Write the leading frames of a damaged record that can be read to a new file; raises `FileError` if none can."""
    old = _DamagedRecord(path)
    old.shorten()
    place = RecordTarget.of(Path(target))
    place.check_new(overwrite=False)
    if place.path == Path(path).resolve():
        raise FileError(f"{target} is the damaged record itself; name a new file")
    checkpoint, exact = _checkpoint(old)
    writer = RecordWriter.create(place, RecordHead.of_record(old), sync=0.0)
    try:
        writer.copy(old, checkpoint)
        writer.publish()
    finally:
        writer.close(keep=writer.published)
    return Salvaged(str(target), old.steps_done, old.frames, checkpoint.state.time, exact)


def _checkpoint(old: _DamagedRecord) -> tuple[Checkpoint, bool]:
    """That of the record where it fits the last step, else one that starts afresh from the last frame."""
    try:
        return old.checkpoint(), True
    except SignoriniError:
        pass  # of another step, or unreadable
    random = np.random.default_rng(old.settings.get("seed") or 0).bit_generator.state
    return Checkpoint(old.number, old.state(old.frames - 1), None, dict(random)), False


def _leading(whole: Callable[[int, int], bool], count: int) -> int:
    """How many rows from the first on are whole, found block by block."""
    done = 0
    while done < count:
        end = min(done + ROWS_AT_ONCE, count)
        if not whole(done, end):
            return next((k for k in range(done, end) if not whole(k, k + 1)), end)
        done = end
    return done
