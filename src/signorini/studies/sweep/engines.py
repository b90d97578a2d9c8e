"""Where runs are executed: a process pool of this machine, or any `concurrent.futures.Executor`."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from signorini.problem.errors import MissingExtraError, StudyError
from signorini.studies.sweep.job import Job, Plan, Row, perform
from signorini.studies.sweep.worker import ONE_THREAD, prepare_worker

T = TypeVar("T")
WINDOW = 4
"""Runs per worker that are handed out ahead."""
FOREIGN_WINDOW = 1024
"""Runs that are handed to somebody else's executor ahead: it may have any number of workers."""
SECONDS_TO_CONNECT = 10
SCHEDULER = re.compile(r"(\w+://)?[^\s/]+:\d+|inproc://\S+")
SAFE_PATH = "PYTHONSAFEPATH"
"""With it Python looks for no modules in the current folder, where a file may be called `numpy.py`."""


class Engine(Protocol):
    """Takes runs and gives rows."""

    window: int
    """How many runs it takes at once."""
    breaks_as_a_whole: bool
    """Whether all runs that were handed out are lost when one worker dies."""

    def submit(self, plan: Plan, job: Job) -> Future[Row]:
        """Hand out a run."""

    def renew(self) -> None:
        """Make it usable again after a worker has died."""

    def close(self, at_once: bool) -> None:
        """Let the workers go; `at_once` without waiting for their runs."""


class LocalPool:
    """Processes of this machine, one thread each."""

    breaks_as_a_whole = True

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise StudyError(f"workers is {workers}, expected 1 or more")
        _check_script()
        self._workers = workers or available_cores()
        self.window = WINDOW * self._workers
        self._environment = {name: os.environ.get(name) for name in (*ONE_THREAD, SAFE_PATH)}
        os.environ.update(dict.fromkeys(self._environment, "1"))
        self._start()

    def _start(self) -> None:
        # Spawned, not forked: a fork copies locks that threads of this process may hold.
        context = multiprocessing.get_context("spawn")
        # A pipe without a writer: it needs no lock that a killed worker could hold.
        lifeline, self._stop = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(self._workers, context, initializer=prepare_worker, initargs=(lifeline,))

    def submit(self, plan: Plan, job: Job) -> Future[Row]:
        """Hand out a run."""
        return self.call(perform, plan, job)

    def call(self, function: Callable[..., T], *args: Any) -> Future[T]:
        """Hand out any call of a function at the top level of a module."""
        return self._pool.submit(function, *args)

    def renew(self) -> None:
        """New workers in place of the old ones."""
        self._end()
        self._start()

    def close(self, at_once: bool) -> None:
        """End the workers; `at_once` in the middle of their runs."""
        if at_once:
            self._end()
        else:
            self._pool.shutdown()
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _end(self) -> None:
        self._stop.close()
        self._pool.shutdown(wait=True, cancel_futures=True)


class Foreign:
    """An executor that the user brought; it outlives the sweep."""

    breaks_as_a_whole = False
    window = FOREIGN_WINDOW

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._handed_out: set[Future[Row]] = set()

    def submit(self, plan: Plan, job: Job) -> Future[Row]:
        """Hand out a run."""
        future = self._executor.submit(perform, plan, job)
        self._handed_out.add(future)
        future.add_done_callback(self._handed_out.discard)
        return future

    def renew(self) -> None:
        """Its owner has to care for its workers."""
        raise StudyError(
            "the executor takes no more runs: a worker died or could not load the functions of the sweep; define them "
            "in a module that workers can import, and pass a new executor"
        )

    def close(self, at_once: bool) -> None:
        """Take back what has not begun."""
        for future in list(self._handed_out):
            future.cancel()


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


@contextmanager
def engine_of(executor: Executor | None, workers: int | None, plan: Plan) -> Iterator[Engine]:
    """The engine of a sweep."""
    engine: Engine
    if executor is None:
        _check_picklable(plan)
        engine = LocalPool(workers)
    else:
        if not isinstance(executor, Executor):
            raise StudyError(f"executor is {type(executor).__name__}, expected a concurrent.futures.Executor")
        engine = Foreign(executor)
    finished = False
    try:
        yield engine
        finished = True
    finally:
        engine.close(at_once=not finished)


def _check_script() -> None:
    """Workers import the script that calls `sweep`: one that was typed into standard input cannot be."""
    main: Any = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    if script is None or getattr(main, "__spec__", None) is not None:
        return
    if not Path(multiprocessing.process.ORIGINAL_DIR or "", script).is_file():  # type: ignore[attr-defined]
        raise StudyError(
            f"worker processes import the script that calls sweep, but {script} is no file; save it as one, or pass "
            "executor=concurrent.futures.ThreadPoolExecutor(1)"
        )


def _check_picklable(plan: Plan) -> None:
    try:
        pickle.dumps(plan)
    except Exception as error:
        raise StudyError(
            f"{plan.source.name} or a measure cannot be sent to another process ({error}); define it with def at the "
            "top level of a module, or pass executor= of a library that can, such as Dask"
        ) from error


@contextmanager
def cluster_executor(address: str) -> Iterator[Executor]:
    """The executor of a Dask cluster whose scheduler listens at `address`, such as tcp://host:8786."""
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("clusters need the extra cluster: pip install 'signorini[cluster]'") from error
    if not SCHEDULER.fullmatch(address):
        raise StudyError(f"the cluster is {address!r}, expected the address of a Dask scheduler: tcp://host:8786")
    try:
        client: Any = Client(  # type: ignore[no-untyped-call]
            address, timeout=SECONDS_TO_CONNECT, set_as_default=False
        )
    except (OSError, ValueError) as error:
        raise StudyError(
            f"no Dask scheduler answers at {address} ({error}); start one with: dask scheduler, and on each machine: "
            "dask worker ADDRESS --nthreads 1"
        ) from error
    with client:
        if not client.scheduler_info()["workers"]:
            raise StudyError(f"the cluster at {address} has no workers; start some: dask worker {address} --nthreads 1")
        with client.get_executor(pure=False, retries=3) as executor:
            yield executor
