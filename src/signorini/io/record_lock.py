"""One writer per record: an advisory lock on its journal, which the system lifts when the writer dies."""

from __future__ import annotations

import errno
import fcntl
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

from signorini.io.companion import open_companion
from signorini.io.journal import PAGE, first_page, journal_path, read_overlay, write_all
from signorini.problem.errors import FileError

NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)


@dataclass(frozen=True)
class RecordLock:
    """The locked journal of a record."""

    path: Path
    """Of the record."""
    file: int
    """Descriptor of the journal."""

    @classmethod
    def take(cls, path: Path) -> RecordLock:
        """Lock a record, existing or not; raises `FileError` where another process writes it."""
        place = journal_path(path)
        while True:
            file = open_companion(place, os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    os.close(file)
                    raise FileError(
                        f"{path} is being written by another process, which has locked {place.name}; "
                        "wait until it has ended, or choose another file"
                    ) from error
                warnings.warn(f"{path}: this file system has no locks; let no other run write it", stacklevel=2)
            if _is_same(file, place):  # its last owner may have removed it meanwhile
                return cls(path, file)
            os.close(file)

    def release(self, remove: bool) -> None:
        """Let go of the record; a journal that is not needed any more is removed."""
        if remove:
            journal_path(self.path).unlink(missing_ok=True)
        os.close(self.file)

    def recover(self) -> None:
        """Copy what the journal of a killed writer holds into the record, so that the journal is free."""
        if not self.path.is_file():
            return
        found = read_overlay(self.path)
        if not found.commits:
            return
        file = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            os.fsync(self.file)
            write_all(file, first_page(found.name, found.generation), 0)
            for number, page in found.pages.items():
                write_all(file, page, number * PAGE)
            os.ftruncate(file, found.size)
            os.fsync(file)
            write_all(file, first_page(found.name, 0), 0)
            os.fsync(file)
        finally:
            os.close(file)
        os.ftruncate(self.file, 0)


def _is_same(file: int, place: Path) -> bool:
    try:
        there = os.stat(place)
    except FileNotFoundError:
        return False
    here = os.fstat(file)
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)
