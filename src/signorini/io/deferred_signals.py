"""Signals wait while a file is being written."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

WAITING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Signals that Python code would handle (such as Ctrl-C) are handled at the end of the block.

    Blocking them in the main thread would not do: the system hands a signal to any thread of the process, and Python
    then runs its handler in the main one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers: dict[int, Any] = {}

    def remember(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    try:
        for number in WAITING:
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
                signal.signal(number, remember)
        yield
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)
        for name in arrived:
            handlers[name](name, None)
