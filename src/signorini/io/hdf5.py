"""The one place that imports h5py: plug-ins off, objects checked before their data are read.

A file of this package holds plain arrays. It has no need to reach beyond itself, so whatever HDF5 offers for that
(external and soft links, external storage, virtual data sets, filters that are loaded from shared libraries) is refused
before a byte of data is read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from signorini.problem.errors import FileError, SignoriniError


def _without_plugins() -> Any:
    """h5py, with HDF5's loading of filters from shared libraries switched off if it has not begun yet."""
    name, before = "HDF5_PLUGIN_PRELOAD", os.environ.get("HDF5_PLUGIN_PRELOAD")
    if "h5py" not in sys.modules:
        os.environ[name] = "::"  # read once, when the library starts
    try:
        import h5py
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before
    return h5py


h5py = _without_plugins()

FILTERS = {1: "gzip", 2: "shuffle", 3: "fletcher32", 6: "scale-offset"}
"""Those that are part of HDF5 itself, by their numbers."""
HEAP = b"GCOL"
ALWAYS_READ = 1 << 26
"""Data sets up to this size are read without asking how much of them is stored [bytes]."""
LARGEST_COMPRESSION = 250
"""Larger data sets that claim more than this times what they store are taken for damaged or made to exhaust memory."""


@contextmanager
def words_for(path: Path, what: str) -> Iterator[None]:
    """Whatever goes wrong inside the block becomes a `FileError`: what a damaged file can cause has no end."""
    try:
        yield
    except SignoriniError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()).strip("'\"")[:200] or type(error).__name__
        raise FileError(f"{path} {what}: {reason!r}") from error


def text_attribute(file: Any, name: str, variable: bool) -> str:
    """A text at the root of a file, empty where there is none; one of `variable` length only where that is allowed.

    Texts of variable length lie in heaps without checksums, and HDF5 may never return from a damaged one.
    """
    if name not in file.attrs:
        return ""
    kind = file.attrs.get_id(name).get_type()
    if not isinstance(kind, h5py.h5t.TypeStringID) or (kind.is_variable_str() and not variable):
        raise FileError(f"attribute '{name}' is no text of fixed length")
    value = file.attrs[name]
    return value.decode() if isinstance(value, bytes) else str(value)


def check_heaps(content: Any) -> None:
    """Raise `FileError` where a heap of texts of variable length is damaged; `content` is the whole file.

    A heap begins with its signature, version and size; each object in it has a number, a count and a size. The object 0
    is what is free: HDF5 walks on by its size, for ever where that is 0.
    """
    place = content.find(HEAP)
    while place >= 0:
        size = int.from_bytes(content[place + 8 : place + 16], "little")
        end, at = place + size, place + 16
        while at + 16 <= end:
            number = int.from_bytes(content[at : at + 2], "little")
            length = int.from_bytes(content[at + 8 : at + 16], "little")
            step = length if number == 0 else 16 + length + -length % 8
            if step < 16 or at + step > min(end, len(content)):
                raise FileError("a heap of texts is damaged")
            at += step
        place = content.find(HEAP, place + 4)


def member(group: Any, name: str) -> Any:
    """The group or data set called `name`, a path below `group`; raises `FileError` where it reaches elsewhere."""
    found = group
    for part in name.split("/"):
        link = found.get(part, getlink=True)
        if link is None:
            raise FileError(f"'{name}' is missing")
        if not isinstance(link, h5py.HardLink):
            raise FileError(f"'{name}' is a {type(link).__name__} to another place, expected data in the file itself")
        found = found[part]
    if isinstance(found, h5py.Dataset):
        check_storage(found, name)
    return found


def check_storage(data: Any, name: str) -> None:
    """Raise `FileError` unless a data set is stored in its own file, by filters of HDF5, with a credible size."""
    properties = data.id.get_create_plist()
    if properties.get_external_count() or properties.get_layout() == h5py.h5d.VIRTUAL:
        raise FileError(f"'{name}' is stored in another file, expected data in the file itself")
    for place in range(properties.get_nfilters()):
        number = int(properties.get_filter(place)[0])
        if number not in FILTERS:
            raise FileError(f"'{name}' is packed by filter {number}, expected one of {', '.join(FILTERS.values())}")
    if data.shape is None or data.dtype.hasobject:
        raise FileError(f"'{name}' is of type {data.dtype}, expected numbers")
    claimed = int(data.size) * data.dtype.itemsize
    stored = int(data.id.get_storage_size())
    if claimed > ALWAYS_READ and claimed > LARGEST_COMPRESSION * stored:
        raise FileError(f"'{name}' claims {claimed} bytes but stores {stored}: it is damaged")
