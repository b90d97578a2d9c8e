"""Reports which kernels are being compiled, so that a user who waits can be told, and how long that took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


class _Listener(event.Listener):
    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell

    def on_start(self, event: Any) -> None:
        """A kernel, or a function of numpy that one needs, begins to be compiled."""
        function = event.data["dispatcher"].py_func
        room, found, name = function.__module__.partition("signorini.kernels.")
        self.tell(f"{name if found else room}.{function.__name__}")

    def on_end(self, event: Any) -> None:
        """Nothing to tell."""


class _Clock(event.Listener):
    """Adds up the time of compilations; one that calls for another is counted once."""

    def __init__(self) -> None:
        self.seconds = self._begin = 0.0
        self._depth = 0

    def on_start(self, event: Any) -> None:
        """A function begins to be compiled."""
        if self._depth == 0:
            self._begin = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """It is done."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._begin


_CLOCK = _Clock()
event.register("numba:compile", _CLOCK)


def seconds_compiled() -> float:
    """Wall time that this process has spent on compiling since the package was loaded [s]."""
    return _CLOCK.seconds


@contextmanager
def compilations(tell: Callable[[str], None]) -> Iterator[None]:
    """Tell the name of each function that begins to be compiled, such as `step.prepare.prepare`.

    What is loaded from disk is not told.
    """
    with event.install_listener("numba:compile", _Listener(tell)):
        yield
