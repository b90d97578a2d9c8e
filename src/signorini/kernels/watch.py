"""Reports which kernels are being compiled, so that a user who waits can be told."""

from __future__ import annotations

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


@contextmanager
def compilations(tell: Callable[[str], None]) -> Iterator[None]:
    """Tell the name of each function that begins to be compiled, such as `step.prepare.prepare`.

    What is loaded from disk is not told.
    """
    with event.install_listener("numba:compile", _Listener(tell)):
        yield
