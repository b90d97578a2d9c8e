"""Ctrl-C during a run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import typer

REMARK = "interrupting after this step; press Ctrl-C again to stop at once"


@contextmanager
def after_the_step() -> Iterator[Callable[[], None]]:
    """Within, the first Ctrl-C is remembered until the function that is yielded is called, which raises it.

    Kernels that are being loaded or compiled can lose a `KeyboardInterrupt`, or turn it into an error of their own. A
    second Ctrl-C is raised where it comes. Whoever ignores interruptions, or treats them in another way, goes on to.
    """
    asked: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        typer.echo(REMARK, err=True)

    def check() -> None:
        if asked:
            raise KeyboardInterrupt

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():  # signals are not for other threads
        yield check
        return
    signal.signal(signal.SIGINT, remember)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
