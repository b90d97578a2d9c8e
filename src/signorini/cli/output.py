"""What the commands share: consoles, errors in one line, numbers in tables, progress, strict JSON."""

from __future__ import annotations

import errno
import functools
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from signorini.studies.attempt import Attempt

P = ParamSpec("P")
FAILED = 1
BAD_INPUT = 2
PIPE_WIDTH = 240
"""Columns of a table that does not go to a terminal: enough for one line per row."""


def console(*, stderr: bool = False) -> Console:
    """The console of results, or of remarks."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else PIPE_WIDTH, soft_wrap=False, highlight=False)


def plain_table() -> Table:
    """An empty table with one line under its headings."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))


def say_error(error: object) -> None:
    """One clear line on stderr."""
    typer.echo(f"error: {error}", err=True)


def renamed(old: float | None, new: float | None, old_name: str, new_name: str) -> float | None:
    """The value of an option that has a new name; the old one works for one release, with a word of warning."""
    if old is not None:
        typer.echo(f"warning: --{old_name} is now --{new_name}; the old name goes with the next release", err=True)
    return old if new is None else new


def reports_errors(command: Callable[P, int]) -> Callable[P, None]:
    """Turn the exit code that `command` returns, or the error it raises, into the end of the process.

    Python's warnings become remarks of one line.
    """

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        from signorini.problem.errors import SignoriniError

        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: typer.echo(f"warning: {message}", err=True)
            try:
                code = command(*args, **kwargs)
            except SignoriniError as error:
                say_error(error)
                raise typer.Exit(BAD_INPUT) from error
            except OSError as error:
                if error.errno != errno.ENOSPC or error.filename is not None:
                    raise
                say_error(f"what is printed cannot be written: {error.strerror}")
                raise typer.Exit(FAILED) from error
        raise typer.Exit(code)

    return wrapper


def print_json(value: Any) -> None:
    """Strict JSON on stdout: what is not a number becomes null."""
    typer.echo(json.dumps(_strict(value), indent=2, allow_nan=False))


def _strict(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    return value


@contextmanager
def compiling(what: str) -> Iterator[Callable[[str], None]]:
    """Print at a terminal what is being done; yields a callback for names of functions being compiled."""
    remarks = console(stderr=True)
    if not remarks.is_terminal:
        yield lambda function: None
        return
    with remarks.status(what) as status:
        yield lambda function: status.update(f"{what}: compiling {function}")


def with_progress(attempts: Iterable[Attempt], total: int) -> Iterator[Attempt]:
    """Pass `attempts` on, with a progress bar on stderr at a terminal when there is more than one."""
    remarks = console(stderr=True)
    if not remarks.is_terminal or total < 2:
        yield from attempts
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=remarks, transient=True) as progress:
        task = progress.add_task("", total=total)
        for attempt in attempts:
            progress.update(task, advance=1, description=f"{attempt.problem.name}, {attempt.solver}")
            yield attempt


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left on stderr at a terminal; called with what is done and the total."""
    remarks = console(stderr=True)
    if not remarks.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=remarks, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def seconds_text(seconds: float | None) -> str:
    """A time in a unit that fits, three digits."""
    if seconds is None or math.isnan(seconds):
        return "-"
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} us"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def error_text(value: float | None) -> str:
    """An error with two digits."""
    return "-" if value is None or not math.isfinite(value) else f"{value:.1e}"
