"""Hand out runs, collect rows, and do again what died with its worker."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from queue import Empty, SimpleQueue

from signorini.studies.sweep.engines import Engine
from signorini.studies.sweep.job import LOST, Job, Plan, Row

MOST_LOSSES = 5
"""A run whose worker died so often is given up: it is likely that the run itself kills it."""
SECONDS_BETWEEN = 0.2
"""The main thread looks up so often, to see signals."""


Lost = tuple[Job, str]
"""A run whose worker died, and what is known of it."""


class Schedule:
    """Runs that wait, that are handed out, and that died with a worker.

    `first_alone` lets one run compile what the others then load. A pool of processes breaks as a whole when one of them
    dies; the runs that may have killed it are then done one at a time, so that no other run is lost with them.
    """

    def __init__(
        self,
        plan: Plan,
        jobs: Iterable[Job],
        engine: Engine,
        first_alone: bool = False,
        between: Callable[[], None] = lambda: None,
    ) -> None:
        self._between = between
        self._plan, self._engine, self._first_alone = plan, engine, first_alone
        self._waiting, self._suspects = deque(jobs), deque[Job]()
        self._running: dict[Future[Row], Job] = {}
        self._done: SimpleQueue[Future[Row]] = SimpleQueue()
        self._losses: Counter[int] = Counter()

    def rows(self) -> Iterator[tuple[Job, Row]]:
        """The rows of all jobs, as they come."""
        while self._waiting or self._suspects or self._running:
            self._between()
            self._hand_out()
            lost = yield from self._collected(self._next_done())
            if lost and self._engine.breaks_as_a_whole:
                wait(self._running)
                lost += yield from self._collected(list(self._running))
                self._engine.renew()
            for job, reason in lost:
                self._losses[job.index] += 1
                if self._losses[job.index] >= MOST_LOSSES:
                    yield job, job.row(LOST, f"no worker could do it in {MOST_LOSSES} attempts, the last with {reason}")
                else:
                    self._suspects.append(job)

    def _hand_out(self) -> None:
        careful = self._first_alone or (bool(self._suspects) and self._engine.breaks_as_a_whole)
        room = 1 if careful else self._engine.window
        while len(self._running) < room and (self._suspects or self._waiting):
            job = (self._suspects or self._waiting).popleft()
            try:
                future = self._engine.submit(self._plan, job)
            except BrokenExecutor:  # a worker died just now: what it had is collected first
                self._waiting.appendleft(job)
                if not self._running:
                    self._engine.renew()
                return
            self._running[future] = job
            future.add_done_callback(self._done.put)

    def _next_done(self) -> list[Future[Row]]:
        """Futures that are done; none if that takes long."""
        try:
            found = [self._done.get(timeout=SECONDS_BETWEEN)]
            while not self._done.empty():
                found.append(self._done.get())
        except Empty:
            return []
        return [future for future in found if future in self._running]  # a broken pool was cleared as a whole

    def _collected(self, done: list[Future[Row]]) -> Generator[tuple[Job, Row], None, list[Lost]]:
        """Yields the rows of futures that are done; returns the jobs that died, with the reason."""
        lost = []
        for future in done:
            job = self._running.pop(future)
            try:
                row = future.result()
            except (Exception, CancelledError) as error:  # of the worker: a run itself never raises, see `perform`
                lost.append((job, f"{type(error).__name__}: {error}"))
                continue
            self._first_alone = False
            yield job, row
        return lost
