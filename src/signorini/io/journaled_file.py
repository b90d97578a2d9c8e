"""The bytes below an HDF5 file that is being written: nothing reaches the disk between commits.

HDF5 keeps no promise when a write fails: it loses track of what is on the disk, and it may crash when the file is
closed. So it writes into memory here, which does not fail; `commit` brings all changes to the disk or none, with every
write checked. See `journal` for what lies on the disk.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
import uuid
from pathlib import Path
from typing import Any

from signorini.io.companion import open_companion
from signorini.io.journal import PAGE, entry, first_page, journal_start, write_all
from signorini.io.record_lock import RecordLock

LONGEST_JOURNAL = 1 << 24
"""Journals beyond this size are copied into the file [bytes]; so is what was appended beyond it."""


class JournaledFile(io.RawIOBase):
    """A new file, and the journal of its record.

    Parameters
    ----------
    path
        File to create.
    lock
        Of the record: its file is the journal.
    sync_seconds
        Wall time between calls of `fsync` [s]; None for none at all.
    """

    def __init__(self, path: Path, lock: RecordLock, sync_seconds: float | None) -> None:
        self.path, self.lock, self.sync_seconds = path, lock, sync_seconds
        self.name = uuid.uuid4().bytes
        self._fd = open_companion(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self._place, self._committed, self._appended = 0, PAGE, 0
        self._tail = bytearray()
        self._pages: dict[int, bytearray] = {}
        self._dirty: set[int] = set()
        self._generation, self._number, self._end = 0, 0, 0
        self._given_up = False
        write_all(self._fd, first_page(self.name, 0), 0)
        self._begin_journal()

    # --- what HDF5 calls: memory only ------------------------------------------------------------------------------

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        end = self._committed + len(self._tail)
        end = 0 if end == PAGE else end  # HDF5 makes a new file only where it finds none
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: end}[whence]
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        begin, end = self._place, self._place + len(view)
        data = bytearray(os.pread(self._fd, max(0, min(end, self._committed) - begin), begin))
        for number in range(begin // PAGE, -(-min(end, self._committed) // PAGE)):
            if number in self._pages:
                low, high = max(begin, number * PAGE), min(end, (number + 1) * PAGE)
                data[low - begin : high - begin] = self._pages[number][low - number * PAGE : high - number * PAGE]
        data += self._tail[max(0, begin - self._committed) : max(0, end - self._committed)]
        view[: len(data)] = data
        self._place += len(data)
        return len(data)

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        begin, end = self._place, self._place + len(view)
        split = min(max(self._committed, begin), end)
        for number in range(begin // PAGE, -(-split // PAGE)) if split > begin else ():
            low, high = max(begin, number * PAGE), min(split, (number + 1) * PAGE)
            self._page(number)[low - number * PAGE : high - number * PAGE] = view[low - begin : high - begin]
        if end > split:
            first = split - self._committed
            if first > len(self._tail):
                self._tail.extend(bytes(first - len(self._tail)))
            self._tail[first : first + end - split] = view[split - begin :]
        self._place = end
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """What is committed stays as long as it is; HDF5 knows by itself where its data end."""
        wanted = (self._place if size is None else size) - self._committed
        if 0 <= wanted < len(self._tail):
            del self._tail[wanted:]
        elif wanted > len(self._tail):
            self._tail.extend(bytes(wanted - len(self._tail)))
        return self._committed + len(self._tail)

    def flush(self) -> None:
        """Nothing: `commit` decides what reaches the disk."""

    # --- the disk --------------------------------------------------------------------------------------------------

    def commit(self) -> None:
        """All changes since the last commit to the disk, or none of them; raises `OSError`."""
        if self._given_up:
            raise OSError("the file was given up after a failed write")
        tail = bytes(self._tail) + bytes(-len(self._tail) % PAGE)
        after = self._committed + len(tail)
        pages = {number: bytes(self._pages[number]) for number in sorted(self._dirty)}
        record = entry(self._generation, self._number, (self._committed, after), tail, pages)
        try:
            write_all(self._fd, tail, self._committed)
            write_all(self.lock.file, record, self._end)
        except OSError:
            self._given_up = True
            with contextlib.suppress(OSError):  # readers ignore what is there, too
                os.ftruncate(self.lock.file, self._end)
                os.ftruncate(self._fd, self._committed)
            raise
        self._committed, self._appended = after, self._appended + len(tail)
        self._end, self._number = self._end + len(record), self._number + 1
        self._tail.clear()
        self._dirty.clear()
        waited = time.monotonic() - self._synced
        if (self.sync_seconds is not None and waited >= self.sync_seconds) or (
            max(self._end, self._appended) > LONGEST_JOURNAL
        ):
            self.checkpoint()

    def checkpoint(self) -> None:
        """Copy the committed pages into the file, durably, and begin a new journal."""
        try:
            self._sync(self._fd, self.lock.file)
            if self._pages:
                write_all(self._fd, first_page(self.name, self._generation), 0)
                for number in sorted(self._pages):
                    write_all(self._fd, self._pages[number], number * PAGE)
                self._sync(self._fd)
                write_all(self._fd, first_page(self.name, 0), 0)
            self._begin_journal()
        except OSError:
            self._given_up = True
            raise

    def give_up(self) -> None:
        """Take no more commits: what is on the disk stays as it is."""
        self._given_up = True

    @property
    def given_up(self) -> bool:
        """Whether a write failed."""
        return self._given_up

    def finish(self, discard: bool = False) -> None:
        """Close; a whole file needs no journal any more, nor one that is to be discarded."""
        try:
            if not self._given_up:
                self.commit()
                self.checkpoint()
                self._sync(self._fd)
        finally:
            os.close(self._fd)
            self.lock.release(remove=discard or not self._given_up)

    def _page(self, number: int) -> bytearray:
        self._dirty.add(number)
        if number not in self._pages:
            self._pages[number] = bytearray(os.pread(self._fd, PAGE, number * PAGE).ljust(PAGE, b"\0"))
        return self._pages[number]

    def _begin_journal(self) -> None:
        """An empty journal of the next generation, in the place of the old one."""
        start = journal_start(self.name, self._generation + 1)
        write_all(self.lock.file, start, 0)
        os.ftruncate(self.lock.file, len(start))
        self._generation, self._number, self._end, self._appended = self._generation + 1, 0, len(start), 0
        self._pages.clear()
        self._dirty.clear()
        self._synced = time.monotonic()

    def _sync(self, *files: int) -> None:
        if self.sync_seconds is not None:
            for file in files:
                os.fsync(file)
