"""Files that other files name: found inside given folders only."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from signorini.problem.errors import FileError

LONGEST_NAME = 1000
PACKAGE = "package://"


@dataclass(frozen=True)
class ConfinedFolder:
    """A folder, and further ones, out of which no name leads: not by `..`, not by absolute paths, not by links."""

    root: Path
    """Where names without a package start."""
    packages: tuple[Path, ...] = ()
    """Where `package://name/...` is looked for, besides `root`."""

    @classmethod
    def of(cls, file: Path, folder: str | Path | None = None, packages: tuple[str | Path, ...] = ()) -> ConfinedFolder:
        """The folder of a file, or another one that holds it."""
        root = (file.parent if folder is None else Path(folder)).resolve()
        for place in (root, *map(Path, packages)):
            if not place.is_dir():
                raise FileError(f"{place}: there is no such folder")
        found = cls(root, tuple(Path(place).resolve() for place in packages))
        if not found.holds(file):
            raise FileError(f"{file} is not below the folder {root}: give one that holds it")
        return found

    def holds(self, path: Path) -> bool:
        """Whether a path, links followed, is inside."""
        real = path.resolve()
        return any(real.is_relative_to(place) for place in (self.root, *self.packages))

    def find(self, name: str, base: Path, where: str) -> Path:
        """The file that `name` means in a file of the folder `base`; `where` is for messages."""
        if not name or len(name) > LONGEST_NAME or "\0" in name:
            raise FileError(f"{where}: names the file {name[:60]!r}, expected the path of a file")
        try:
            return self._found(name, base, where)
        except (OSError, ValueError, RuntimeError) as error:  # too long for the system; a ring of links
            if isinstance(error, FileError):
                raise
            raise FileError(f"{where}: names the file {name[:60]!r}, which cannot be looked up: {error}") from None

    def read(self, path: Path, most: int) -> bytes:
        """The bytes of a file, at most `most`; never waits for a pipe or a device."""
        if not self.holds(path):
            raise FileError(f"{path} is outside of {self.root}: only files below it are read")
        return read_bytes(path, most)

    def _found(self, name: str, base: Path, where: str) -> Path:
        plain = name.removeprefix("file://").replace("\\", "/")
        candidates = self._in_packages(plain) if plain.startswith(PACKAGE) else [base / plain, self.root / plain]
        inside = [path for path in candidates if self.holds(path)]
        if not inside:
            more = "" if not plain.startswith(PACKAGE) else "; name the folder of the package with packages=[...]"
            raise FileError(f"{where}: {name!r} leads out of {self.root}: only files below it are read{more}")
        for path in inside:
            if path.is_file():
                return path.resolve()
        advice = "; name the folder of the package with packages=[...]" if plain.startswith(PACKAGE) else ""
        raise FileError(f"{where}: there is no file {name!r} below {self.root}{advice}")

    def _in_packages(self, name: str) -> list[Path]:
        """`package://a/b/c` is `a/b/c`, or `b/c` in a folder that is the package itself."""
        parts = PurePosixPath(name.removeprefix(PACKAGE)).parts
        whole, rest = PurePosixPath(*parts), PurePosixPath(*parts[1:])
        return [place / tail for place in (self.root, *self.packages) for tail in (whole, rest)]


def read_bytes(path: Path, most: int) -> bytes:
    """The bytes of an ordinary file of at most `most` bytes."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be opened: {getattr(error, 'strerror', None) or error}") from None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileError(f"{path}: is not an ordinary file")
        if found.st_size > most:
            raise FileError(f"{path}: has {found.st_size / 2**20:.3g} MiB, expected at most {most / 2**20:.3g} MiB")
        return file.read(most)
