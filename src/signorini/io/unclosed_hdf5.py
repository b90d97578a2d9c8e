"""Opens HDF5 files that their writer never closed, because it was killed or is still at work.

Such a file is whole, but a mark in its first block (the superblock of version 3) says that a writer has it. HDF5's own
way to read it regardless repeats every read of damaged data with growing pauses, for hours in the end. Here the reader
sees a first block without the mark, and damage is an error at once; the file itself is not touched.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import h5py

SIGNATURE = b"\x89HDF\r\n\x1a\n"
BLOCK = struct.Struct("<8s4B4QI")
"""Signature, version, two sizes, marks, four addresses (the third is the end of the file), checksum."""


def open_for_reading(path: Path) -> h5py.File:
    """The file, closed by its writer or not."""
    with path.open("rb") as file:
        head = file.read(BLOCK.size)
    if len(head) < BLOCK.size or head[:9] != SIGNATURE + b"\x03" or head[11] == 0:
        return h5py.File(path, "r")
    return h5py.File(_Unmarked(path, head), "r")


class _Unmarked(io.RawIOBase):
    """The bytes of a file, with another first block."""

    def __init__(self, path: Path, head: bytes) -> None:
        self._file = path.open("rb")
        size = self._file.seek(0, io.SEEK_END)
        parts = list(BLOCK.unpack(head))
        if parts[-1] != checksum(head[:-4]):
            self._file.close()
            raise OSError("the checksum of the first block is wrong")
        parts[4] = 0
        parts[7] = max(parts[7], size)
        body = BLOCK.pack(*parts)[:-4]
        self._head = body + struct.pack("<I", checksum(body))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        begin = self._file.tell()
        count = self._file.readinto(buffer)
        if begin < len(self._head):
            part = self._head[begin : begin + count]
            memoryview(buffer).cast("B")[: len(part)] = part
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


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
