"""Opens records for reading, whether they are finished, being written, or left by a program that was killed.

Records of version 4 are seen as of their last commit (see `journal`). Those of version 3 are whole, but a mark in
HDF5's first block (the superblock) says that a writer has them. HDF5's own way to read such a file regardless repeats
every read of damaged data with growing pauses, for hours in the end; here the reader sees a first block without the
mark, and damage is an error at once. The file itself is not touched.
"""

from __future__ import annotations

import io
import mmap
import os
import struct
from pathlib import Path
from typing import Any

from signorini.io.companion import open_companion
from signorini.io.hdf5 import check_heaps, h5py
from signorini.io.journal import PAGE, START, SUM, Overlay, journal_path, read_overlay
from signorini.problem.errors import FileError

SIGNATURE = b"\x89HDF\r\n\x1a\n"
BLOCK = struct.Struct("<8s4B4QI")
"""Signature, version, two sizes, marks, four addresses (the third is the end of the file), checksum."""


def open_for_reading(path: Path) -> Any:
    """The file as of its last commit, closed by its writer or not; an `h5py.File`."""
    found = read_overlay(path)
    if found.name:
        if not found.commits:
            return h5py.File(path, "r", locking=False)
        return h5py.File(_Overlaid(path, found), "r")
    with path.open("rb") as file:
        page = file.read(PAGE)
        if found.size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                check_heaps(content)
    head = page[: BLOCK.size]
    if len(head) < BLOCK.size or head[:9] != SIGNATURE + b"\x03" or head[11] == 0:
        return h5py.File(path, "r", locking=False)
    first = _unmarked(head, found.size) + page[BLOCK.size :]
    return h5py.File(_Overlaid(path, Overlay(found.size, {0: first})), "r")


def open_leniently(path: Path) -> Any:
    """The file as far as it goes: without its journal if that is lost, with zeros where it was cut off."""
    try:
        return open_for_reading(path)
    except (FileError, OSError):
        with path.open("rb") as file:
            content = file.read(2 * PAGE)
        start = PAGE if content[PAGE : PAGE + len(SIGNATURE)] == SIGNATURE else 0
        head = content[start : start + BLOCK.size]
        parts = BLOCK.unpack(head)
        first = content[:start] + _unmarked(head, 0) + content[start + BLOCK.size :]
        pages = {number: first[number * PAGE : (number + 1) * PAGE] for number in range(2)}
        return h5py.File(_Overlaid(path, Overlay(max(int(parts[7]), path.stat().st_size), pages)), "r")


def version_on_disk(path: Path) -> tuple[Any, ...]:
    """Changes with every commit: what was read is sound if it is the same before and after."""
    file = path.stat()
    try:
        with os.fdopen(open_companion(journal_path(path), os.O_RDONLY), "rb") as journal:
            start = journal.read(START.size + SUM.size)
            return file.st_dev, file.st_ino, start, journal.seek(0, io.SEEK_END)
    except FileNotFoundError:
        return file.st_dev, file.st_ino, b"", 0


class _Overlaid(io.RawIOBase):
    """The bytes of a file, with some pages replaced."""

    def __init__(self, path: Path, overlay: Overlay) -> None:
        self._file = path.open("rb")
        self._overlay, self._place = overlay, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._overlay.size}[whence]
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        begin, end = self._place, min(self._place + len(view), self._overlay.size)
        if end <= begin:
            return 0
        self._file.seek(begin)
        data = bytearray(self._file.read(end - begin))
        data.extend(bytes(end - begin - len(data)))  # of a file that was cut off
        for number in range(begin // PAGE, -(-end // PAGE)):
            page = self._overlay.pages.get(number)
            if page is not None:
                low, high = max(begin, number * PAGE), min(end, number * PAGE + len(page))
                data[low - begin : high - begin] = page[low - number * PAGE : high - number * PAGE]
        view[: len(data)] = data
        self._place += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def _unmarked(head: bytes, size: int) -> bytes:
    """The superblock without the mark of a writer, reaching to the end of the file."""
    parts = list(BLOCK.unpack(head))
    if parts[-1] != checksum(head[:-4]):
        raise OSError("the checksum of the first block is wrong")
    parts[4] = 0
    parts[7] = max(parts[7], size)
    body = BLOCK.pack(*parts)[:-4]
    return body + struct.pack("<I", checksum(body))


def checksum(data: bytes) -> int:
    """Bob Jenkins' lookup3 of the bytes, as HDF5 uses it; for lengths over 0."""

    def rotated(x: int, k: int) -> int:
        return ((x << k) | (x >> (32 - k))) & 0xFFFFFFFF

    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    blocks = (len(data) - 1) // 12
    words: tuple[int, ...] = struct.unpack(f"<{3 * blocks + 3}I", data.ljust(12 * blocks + 12, b"\0"))
    for k in range(0, 3 * blocks, 3):
        a, b, c = (a + words[k]) & 0xFFFFFFFF, (b + words[k + 1]) & 0xFFFFFFFF, (c + words[k + 2]) & 0xFFFFFFFF
        for turn in (4, 6, 8, 16, 19, 4):
            a = (a - c) & 0xFFFFFFFF
            a ^= rotated(c, turn)
            c = (c + b) & 0xFFFFFFFF
            a, b, c = b, c, a
    a, b, c = ((x + y) & 0xFFFFFFFF for x, y in zip((a, b, c), words[-3:], strict=True))
    for turn in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - rotated(b, turn)) & 0xFFFFFFFF
        a, b, c = b, c, a
    return b  # c of the last turn, after the change of names
