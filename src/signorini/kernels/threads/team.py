"""The threads of a process that share its loops, and how many of them are used."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.compile import largest_threads
from signorini.kernels.threads.parts import LINE, SOLO, STOP, TAKEN, THREADS, WAITS, serve

SMALL = 2048
"""Loops over fewer items are done by one thread."""
NAP, LOOK, LONGEST_PAUSE, MOST_WAITING = 1e-4, 0.02, 2.0, 0.3
"""Length of a nap, how long one watches for them, for how long a team rests at most when the machine is busy [s], and
the share of the time that may be spent in them."""

Numbers = NDArray[np.int64]


class Team:
    """Threads that wait for jobs (see `parts`); after a while without any they sleep until they are woken."""

    def __init__(self, threads: int) -> None:
        size = TAKEN + LINE * threads
        room = np.zeros(size + LINE, dtype=np.int64)
        first = -room.ctypes.data % (8 * LINE) // 8
        self.numbers: Numbers = room[first : first + size]
        self.numbers[THREADS] = threads
        others = threads - 1
        self._bells = [threading.Semaphore(0) for _ in range(others)]
        self._asleep = [True] * others
        self._sleepers = others
        self._lock = threading.Lock()
        self._waits, self._last_look, self._solo_until, self._pause = 0, time.perf_counter(), 0.0, LOOK
        self._threads: list[threading.Thread] = []

    def wake(self, patient: bool = False) -> Numbers:
        """The numbers of the team, with all of its threads looking for work.

        Those of one while the machine is busy, unless the caller is patient.
        """
        if not patient and self._is_waiting():
            return SOLO
        if self._sleepers:
            with self._lock:
                self._threads = self._threads or self._started()
                for k, asleep in enumerate(self._asleep):
                    if asleep:
                        self._asleep[k] = False
                        self._sleepers -= 1
                        self._bells[k].release()
        return self.numbers

    def _is_waiting(self) -> bool:
        """Whether the caller has recently waited for threads without a core: then it is faster alone."""
        now = time.perf_counter()
        if now < self._solo_until:
            return True
        elapsed = now - self._last_look
        if elapsed > LOOK:
            waits = int(self.numbers[WAITS])
            waited, self._waits, self._last_look = (waits - self._waits) * NAP, waits, now
            self._pause = min(2.0 * self._pause, LONGEST_PAUSE) if waited > MOST_WAITING * elapsed else LOOK
            self._solo_until = now + self._pause if waited > MOST_WAITING * elapsed else 0.0
        return now < self._solo_until

    def stop(self) -> None:
        """End the threads."""
        self.numbers[STOP] = 1
        for bell in self._bells:
            bell.release()
        for thread in self._threads:
            thread.join(1.0)

    def _started(self) -> list[threading.Thread]:
        threads = [
            threading.Thread(target=self._serve, args=(k,), name=f"signorini-{k + 1}", daemon=True)
            for k in range(len(self._bells))
        ]
        for thread in threads:
            thread.start()
        return threads

    def _serve(self, k: int) -> None:
        while True:
            self._bells[k].acquire()
            if serve(self.numbers, k + 1):
                return
            with self._lock:
                self._asleep[k] = True
                self._sleepers += 1


class _Chosen(threading.local):
    """How many threads the loops of this Python thread use."""

    count = 1


_chosen = _Chosen()
_teams: dict[int, Team] = {}
_lock = threading.Lock()


def team(items: int) -> Numbers:
    """The team for a loop over so many items, awake; the team of one where that is faster."""
    count = _chosen.count
    if count == 1 or items < SMALL:
        return SOLO
    return _team_of(count).wake()


def _team_of(count: int) -> Team:
    found = _teams.get(count)
    if found is None:
        with _lock:
            found = _teams.setdefault(count, Team(count))
    return found


def whole_team(count: int) -> Numbers:
    """A team of so many threads, as many as there are at most, awake even if it has lately waited for cores.

    For a few long parts: at the end of those a team always waits.
    """
    count = min(count, largest_threads())
    return SOLO if count < 2 else _team_of(count).wake(patient=True)


def threads_in_use() -> int:
    """How many threads the loops of this Python thread use."""
    return _chosen.count


def use_threads(count: int) -> int:
    """From now on loops of this Python thread use so many threads, as many as there are at most; how many before."""
    before = _chosen.count
    _chosen.count = max(1, min(count, largest_threads()))
    return before


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Within, loops of this Python thread use so many threads; then as before."""
    before = use_threads(count)
    try:
        yield
    finally:
        use_threads(before)


def _stop_all() -> None:
    """Threads must not run compiled code while it is being unloaded."""
    for each in _teams.values():
        each.stop()
    _teams.clear()


atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_teams.clear)  # a forked child has none of the threads
