"""Where a record is to be written, and what may not be replaced there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from signorini.io.hdf5 import h5py, text_attribute
from signorini.io.journal import WORD
from signorini.io.record_layout import FORMAT
from signorini.problem.errors import FileError


@dataclass(frozen=True)
class RecordTarget:
    """The file that a record becomes."""

    name: Path
    """As the user wrote it, for messages."""
    path: Path
    """Without symbolic links: a link to a record stays a link."""

    @classmethod
    def of(cls, name: Path) -> RecordTarget:
        """Raises `FileError` where no file can be written."""
        try:
            is_folder, path = name.is_dir(), name.resolve()
        except (OSError, RuntimeError, ValueError) as error:  # too long, links in a circle, no name at all
            raise FileError(f"{str(name)!r} cannot be the name of a record: {error}") from error
        if is_folder:
            raise FileError(f"{name} is a directory, expected the name of a file such as {name / 'run.h5'}")
        if not path.parent.is_dir():
            raise FileError(f"{name} cannot be written: there is no directory {path.parent}; make it first")
        if path.exists() and not path.is_file():
            raise FileError(f"{name} is no ordinary file, expected the name of a file such as run.h5")
        return cls(name, path)

    @property
    def scratch(self) -> Path:
        """Where the record is written until its first step is done."""
        return self.path.with_name(f".{self.path.name}.new")

    def check_new(self, overwrite: bool) -> None:
        """Raise `FileError` where a file would be lost."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            return
        if not is_record(self.path):
            raise FileError(f"{self.name} exists and is no record of a run: it is not replaced; choose another name")
        if not overwrite:
            raise FileError(
                f"{self.name} exists already; add --force to replace it, or go on with it: "
                f"signorini run --resume {self.name}"
            )


def is_record(path: Path) -> bool:
    """Whether a file was made by a `Recorder`, whole or damaged."""
    try:
        with path.open("rb") as file:
            if file.read(len(WORD)) == WORD:
                return True
        with h5py.File(path, "r", locking=False) as file:
            return text_attribute(file, "format", True) == FORMAT
    except Exception:  # whatever HDF5 says about a file of another kind
        return False
