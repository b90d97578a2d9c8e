"""Ctrl-C, SIGTERM and SIGHUP during a run."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import typer

REMARK = "interrupting after this step; press Ctrl-C again to stop at once"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE = 1.0
"""Seconds that Python code has to act on the second signal, before the process is ended from outside."""


class Interruption:
    """Which signal asked for the end of the run, if any did."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._raised = False
        """Whether the run is ending: another exception would end the closing of its record half-way."""

    def check(self) -> None:
        """Raise `KeyboardInterrupt` if a signal has come."""
        if self.number is not None:
            self._raised = True
            raise KeyboardInterrupt

    @property
    def exit_code(self) -> int:
        """That shells expect of a process that a signal ended."""
        return 128 + (self.number or signal.SIGINT)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Remember the first signal, act on the second where it comes, unless the run is ending already."""
        if self._raised:
            return
        if self.number is not None:
            self._raised = True
            raise KeyboardInterrupt
        self.number = number
        typer.echo(REMARK, err=True)


@contextmanager
def after_the_step(save: Callable[[], None] = lambda: None) -> Iterator[Interruption]:
    """Within, the first signal is remembered until `Interruption.check` is called, which raises it.

    Kernels that are being loaded or compiled can lose a `KeyboardInterrupt`, turn it into an error of their own, or let
    no Python code run for many seconds. A second signal is raised where it comes; where that has no effect, `save` is
    called from another thread and the process ends. Signals that are ignored, or treated in another way, stay so.
    """
    asked = Interruption()
    usual = {number: signal.getsignal(number) for number in SIGNALS}
    ours = [number for number, handler in usual.items() if handler in (signal.default_int_handler, signal.SIG_DFL)]
    if not ours or threading.current_thread() is not threading.main_thread():  # signals are not for other threads
        yield asked
        return
    with _watched(asked, ours, save):
        for number in ours:
            signal.signal(number, asked.handle)
        try:
            yield asked
        finally:
            for number in ours:
                signal.signal(number, usual[number])


@contextmanager
def _watched(asked: Interruption, ours: list[Any], save: Callable[[], None]) -> Iterator[None]:
    """Within, a thread sees signals even while the main thread runs no Python code."""
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    done = threading.Event()

    def watch() -> None:
        seen = 0
        while seen < 2:
            data = reader.recv(64)
            if not data:
                return
            seen += sum(byte in ours for byte in data)
        if not done.wait(GRACE):
            save()
            os._exit(asked.exit_code)

    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    thread = threading.Thread(target=watch, name="signals", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        writer.close()
        thread.join()
        reader.close()
