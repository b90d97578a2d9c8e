"""Reading HDF5 files that may be damaged: every access is checked before memory is spent on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.io.hdf5 import h5py, member, words_for
from signorini.math.sparse import Array, Indices
from signorini.problem.errors import FileError


@contextmanager
def open_checked(path: Path) -> Iterator[CheckedGroup]:
    """The root of the HDF5 file at `path`; whatever HDF5 says inside the block becomes a `FileError`."""
    if not path.exists():
        raise FileError(f"{path}: there is no such file; check the name (`ls {path.parent}`)")
    if path.is_dir():
        raise FileError(f"{path} is a directory, expected an HDF5 file; name a file in it")
    if not path.is_file():
        raise FileError(f"{path} is no ordinary file, expected an HDF5 file")
    size = path.stat().st_size
    try:
        is_hdf5 = h5py.is_hdf5(path)
        with path.open("rb"):  # says "permission denied" in plain words, which HDF5 does not
            pass
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from error
    if not is_hdf5:
        raise FileError(
            f"{path} is not an HDF5 file ({size} bytes without the HDF5 signature), expected FCLIB's .hdf5 format"
        )
    with (
        words_for(path, "is damaged or truncated, fetch or write it again; HDF5 says"),
        h5py.File(path, "r", locking=False) as file,
    ):
        yield CheckedGroup(file, path, "")


@dataclass(frozen=True)
class CheckedGroup:
    """A group of an HDF5 file that knows its place, for messages."""

    group: Any
    path: Path
    place: str
    """Path inside the file, empty for the root."""

    def __contains__(self, name: str) -> bool:
        return name in self.group

    def names(self) -> list[str]:
        """Names of the members."""
        return sorted(self.group)

    def error(self, text: str) -> FileError:
        """A `FileError` that begins with the file and the place."""
        return FileError(f"{self.path}: {self.place or '/'} {text}")

    def child(self, name: str) -> CheckedGroup:
        """The sub-group called `name`."""
        found = self._member(name, "group")
        if not isinstance(found, h5py.Group):
            raise self.error(f"has a data set called '{name}', expected a group")
        return CheckedGroup(found, self.path, f"{self.place}/{name}")

    def integer(self, name: str) -> int:
        """The single integer stored as `name`, of shape () or (1,)."""
        values = self._numbers(name, "iu", "an integer")
        if values.size != 1:
            raise self.error(f"has {values.size} numbers in '{name}', expected one integer")
        return int(np.asarray(values[()]).reshape(-1)[0])

    def vector(self, name: str, length: int | None = None, reason: str = "") -> Array:
        """The numbers stored as `name`, as float64; `length` is checked before anything is read."""
        values = self._numbers(name, "fiu", "numbers")
        if length is not None and values.size != length:
            raise self.error(f"has {values.size} numbers in '{name}', expected {length} because {reason}")
        result = np.asarray(values[()], dtype=np.float64).reshape(-1)
        if not np.all(np.isfinite(result)):
            first = int(np.flatnonzero(~np.isfinite(result))[0])
            raise self.error(f"has {result[first]} in '{name}' at entry {first}, expected finite numbers")
        return result

    def indices(self, name: str, count: int, reason: str) -> Indices:
        """The first `count` integers stored as `name`."""
        values = self._first(name, "iu", "integers", count, reason)
        return np.asarray(values, dtype=np.int64)

    def values(self, name: str, count: int, reason: str) -> Array:
        """The first `count` numbers stored as `name`, finite or not."""
        values = self._first(name, "fiu", "numbers", count, reason)
        return np.asarray(values, dtype=np.float64)

    def _first(self, name: str, kinds: str, wanted: str, count: int, reason: str) -> np.ndarray:
        values = self._numbers(name, kinds, wanted)
        if values.ndim != 1 or values.size < count:
            raise self.error(f"has shape {values.shape} in '{name}', expected at least {count} {wanted}: {reason}")
        return np.asarray(values[:count])

    def _numbers(self, name: str, kinds: str, wanted: str) -> Any:
        found = self._member(name, "data set")
        if not isinstance(found, h5py.Dataset):
            raise self.error(f"has a group called '{name}', expected a data set of {wanted}")
        if found.dtype.kind not in kinds or found.shape is None:
            raise self.error(f"has '{name}' of type {found.dtype}, expected {wanted}")
        return found

    def _member(self, name: str, kind: str) -> Any:
        if name not in self.group:
            held = ", ".join(self.names()[:12]) or "nothing"
            raise self.error(f"has no {kind} '{name}'; it holds {held}")
        try:
            return member(self.group, name)
        except FileError as error:
            raise self.error(f"has data that cannot be read: {error}") from error
