"""A progress line on the terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from signorini.kernels.watch import compilations
from signorini.simulation.summary import few_digits
from signorini.stepping.step import Step

SECONDS_BETWEEN = 0.1
"""The text changes no more often than this [s]."""
BESIDE = 42
"""Letters that bar, percentage and time left take."""


class Progress:
    """Time, contacts, iterations, residual, penetration and real-time factor; silent when stderr is no terminal.

    Names the kernel that is being compiled where a step has to wait for one.
    """

    def __init__(self, wanted: bool, start: float, end: float) -> None:
        self._start, self._end = start, end
        self._bar: Any = None
        self._compilations = compilations(self._wait_for)
        self._last = 0.0
        if wanted and sys.stderr.isatty():
            self._bar = _make_bar()
            self._task = self._bar.add_task("", total=end - start)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
            self._compilations.__enter__()
        self._begin = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._compilations.__exit__(kind, error, trace)
            self._bar.stop()

    def _wait_for(self, kernel: str) -> None:
        self._bar.update(self._task, description=f"compiling {kernel}")

    def show(self, step: Step) -> None:
        """After each step."""
        if self._bar is None:
            return
        now = time.perf_counter()
        done = step.state.time >= self._end
        if now - self._last < SECONDS_BETWEEN and not done:
            return
        self._last = now
        elapsed = step.state.time - self._start
        text = describe(step, elapsed / max(now - self._begin, 1e-9), self._bar.console.width - BESIDE)
        self._bar.update(self._task, completed=min(elapsed, self._end - self._start), description=text)


def describe(step: Step, real_time_factor: float, room: int = 200) -> str:
    """One line about a step: as many whole entries as fit into the width [characters]."""
    parts = [
        f"t = {step.state.time:.3f} s",
        f"{few_digits(real_time_factor)} x real time",
        f"{step.contacts.count} contacts",
        f"{step.iterations} iterations",
        f"residual {step.residual:.0e}",
        f"penetration {1e3 * step.penetration:.1e} mm",
    ]
    while len(parts) > 1 and len(", ".join(parts)) > room:
        parts.pop()
    return ", ".join(parts)


def _make_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        BarColumn(20),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    return RichProgress(*columns, console=Console(stderr=True), transient=True)
