"""The journal of a record: changes that are committed but not yet part of the file itself.

A record is an HDF5 file whose first page belongs to this module and names the record. Beside it lies a journal while
the record is written. A commit appends what is new to the file, then one entry to the journal, with those pages of the
file that changed, the sizes of the file before and after, and checksums of the pages and of what was appended. The
entry is what makes the commit: without it, or with a wrong checksum, readers see the commit before. From time to time
the pages are copied into the file and the journal begins anew (`JournaledFile.checkpoint`); the first page says so
while that is going on. At the end of a run there is no journal.

Readers lay the pages of the journal over the file. Nobody has to repair anything first.
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from signorini.io.companion import open_companion
from signorini.problem.errors import FileError

PAGE = 4096
"""[bytes]. HDF5 looks for its own beginning at this place among others."""
HEAD = struct.Struct("<16s16sQQ")
"""First page: word, name of the record, generation of the journal that is being copied into the file (0: none), 0."""
WORD = b"signorini record"
START = struct.Struct("<16s16sQ")
"""Journal: word, name of the record, generation."""
JOURNAL_WORD = b"signorini journa"
ENTRY = struct.Struct("<QQQQII")
"""Generation, number, size of the file before and after, checksum of what was appended, count of pages."""
SUM = struct.Struct("<I")


def journal_path(path: Path) -> Path:
    """Where the journal of a record lies."""
    return path.with_name(f".{path.name}.journal")


def sealed(data: bytes) -> bytes:
    """The bytes and their checksum."""
    return data + SUM.pack(zlib.crc32(data))


def unsealed(data: bytes) -> bytes | None:
    """The bytes before a checksum, None where it is wrong."""
    body, end = data[: -SUM.size], data[-SUM.size :]
    return body if len(end) == SUM.size and SUM.pack(zlib.crc32(body)) == end else None


def first_page(name: bytes, copying: int) -> bytes:
    """The first page of a record; `copying` is the generation of the journal that is being copied into it."""
    return sealed(HEAD.pack(WORD, name, copying, 0)).ljust(PAGE, b"\0")


def journal_start(name: bytes, generation: int) -> bytes:
    """The beginning of a journal without entries."""
    return sealed(START.pack(JOURNAL_WORD, name, generation))


def entry(generation: int, number: int, sizes: tuple[int, int], tail: bytes, pages: dict[int, bytes]) -> bytes:
    """One commit: `pages` by their numbers, `tail` what was appended to the file."""
    head = ENTRY.pack(generation, number, *sizes, zlib.crc32(tail), len(pages))
    numbers = struct.pack(f"<{len(pages)}Q", *pages)
    return sealed(head) + sealed(b"".join((numbers, *pages.values())))


def write_all(file: int, data: bytes | bytearray, place: int) -> None:
    """Every byte, or `OSError`."""
    view = memoryview(data)
    while view:
        count = os.pwrite(file, view, place)
        if count <= 0:
            raise OSError(f"only {len(data) - len(view)} of {len(data)} bytes could be written")
        view, place = view[count:], place + count


@dataclass
class Overlay:
    """What a reader sees beyond the file: committed pages, and how long the file is."""

    size: int
    """[bytes]."""
    pages: dict[int, bytes] = field(default_factory=dict)
    commits: int = 0
    generation: int = 0
    name: bytes = b""
    """Of the record; empty where it has no first page of ours."""


def read_overlay(path: Path) -> Overlay:
    """The state of a record at its last commit; raises `FileError` where a commit was cut and its journal is gone."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        body = unsealed(file.read(HEAD.size + SUM.size))
        if body is None or HEAD.unpack(body)[0] != WORD:
            return Overlay(size)
        _, name, copying, _ = HEAD.unpack(body)
        journal = _journal_of(path, name)
        if journal is None:
            if copying:
                raise FileError(
                    f"{path} was cut while it was written and its journal {journal_path(path).name} is not beside it; "
                    f"bring it back, or take what can be saved: signorini verify {path} --salvage saved.h5"
                )
            return Overlay(size, name=name)
        generation, entries = journal
        found = Overlay(size, generation=generation, name=name)
        if entries:
            found.size = entries[0].sizes[0]
        for one in entries:
            # While pages are copied into the file they may change what was appended; it was safe on disk before.
            if one.sizes[0] != found.size or not (copying == generation or _appended(file.fileno(), one)):
                break
            found.pages.update(one.pages)
            found.size, found.commits = one.sizes[1], found.commits + 1
        return found


@dataclass(frozen=True)
class _Entry:
    sizes: tuple[int, int]
    tail_sum: int
    pages: dict[int, bytes]


def _journal_of(path: Path, name: bytes) -> tuple[int, list[_Entry]] | None:
    """Generation and whole entries of the journal of this very record; None if there is none."""
    try:
        with os.fdopen(open_companion(journal_path(path), os.O_RDONLY), "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return None
    length = START.size + SUM.size
    body = unsealed(content[:length])
    if body is None:
        return None
    word, owner, generation = START.unpack(body)
    if word != JOURNAL_WORD or owner != name:
        return None
    entries: list[_Entry] = []
    place = length
    while (found := _entry_at(content, place, generation, len(entries))) is not None:
        entries.append(found[0])
        place = found[1]
    return generation, entries


def _entry_at(content: bytes, place: int, generation: int, number: int) -> tuple[_Entry, int] | None:
    """The entry that begins at `place` and the place behind it; None where there is no whole one."""
    end = place + ENTRY.size + SUM.size
    head = unsealed(content[place:end]) if end <= len(content) else None
    if head is None:
        return None
    own, count, before, after, tail_sum, pages = ENTRY.unpack(head)
    length = pages * (8 + PAGE)
    if (own, count) != (generation, number) or end + length + SUM.size > len(content):
        return None
    body = unsealed(content[end : end + length + SUM.size])
    if body is None:
        return None
    numbers = struct.unpack_from(f"<{pages}Q", body)
    images = {n: body[8 * pages + k * PAGE : 8 * pages + (k + 1) * PAGE] for k, n in enumerate(numbers)}
    return _Entry((before, after), tail_sum, images), end + length + SUM.size


def _appended(file: int, one: _Entry) -> bool:
    """Whether what an entry appended is whole in the file."""
    length = one.sizes[1] - one.sizes[0]
    data = os.pread(file, length, one.sizes[0])
    return len(data) == length and zlib.crc32(data) == one.tail_sum
