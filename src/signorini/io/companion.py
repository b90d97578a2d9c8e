"""Files that lie beside a record under names of our own choice: never somebody else's under that name."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from signorini.problem.errors import FileError


def open_companion(path: Path, flags: int) -> int:
    """A descriptor of an ordinary file; what is opened for writing may be no link either.

    A folder that came from elsewhere may hold a link, which would lead writes to another file, or a pipe, which would
    let readers wait forever.
    """
    writes = flags & (os.O_WRONLY | os.O_RDWR)
    try:
        file = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_NOFOLLOW if writes else 0), 0o666)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise
        raise _strange(path) from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise _strange(path)
    return file


def _strange(path: Path) -> FileError:
    return FileError(f"{path} is a link or no ordinary file, but a record needs that name for itself; remove it")
