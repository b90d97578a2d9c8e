"""Many runs, one table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from signorini.problem.errors import StudyError
from signorini.studies.sweep.engines import engine_of
from signorini.studies.sweep.job import ERROR, LOST, STOPPED, Job, Plan, Row
from signorini.studies.sweep.ledger import RECORDS, Identity, Ledger, key_of
from signorini.studies.sweep.measures import MeasureChoice, measures_of
from signorini.studies.sweep.parameters import Value, grid
from signorini.studies.sweep.schedule import Schedule
from signorini.studies.sweep.source import source_of
from signorini.studies.sweep.table import LAST, SweepTable

Parameters = Mapping[str, Iterable[Value]] | Iterable[Mapping[str, Value]]


def sweep(
    build: str | Path | Callable[..., Any],
    parameters: Parameters,
    measure: MeasureChoice = None,
    *,
    duration: float | None = None,
    step: float | None = None,
    settings: Mapping[str, Any] | None = None,
    repeat: int = 1,
    seed: int = 0,
    out: str | Path | None = None,
    records: bool = False,
    restart: bool = False,
    accept_changes: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool = False,
    between: Callable[[], None] = lambda: None,
) -> SweepTable:
    """Run a scene once for each row of parameters, measure each run, and collect one table.

    >>> table = sg.sweep("pendulum", {"angle": [10, 20, 30]}, measure="last(position(bar).z)", duration=1.0)

    In a script, call it under `if __name__ == "__main__":`, since worker processes import the script.

    - `build`: a scene by name or file, or a function of the parameters (and of `seed`, if it takes one) that returns a
      `Model` or a `Simulation`. `duration` and `step` [s] are the scene's if None; `settings` do not vary.
    - `parameters`: lists of values by name, for all combinations; or one dict per run (see `signorini.sweeps`).
    - `measure`: names (`energy`, `peak_contact_force`, `pose(BODY)`, ...), expressions (`max(speed(box))`), functions
      of a `Run`; a list of them, or a dict by column.
    - `repeat`, `seed`: each point is run with `seed`, `seed + 1`, ...: all points see the same chance.
    - `out`: folder for the rows; started again with it, a sweep does what is missing. `records` go there, too;
      `restart` throws old rows away, `accept_changes` keeps them although the scene or the version has changed.
    - `executor`: any `concurrent.futures.Executor`; None: `workers` processes of this machine (None: one per core).
    - `progress`: a line on the terminal. `between` is called a few times a second; what it raises ends the sweep.
    """
    folder = _folder(out, records, restart, accept_changes)
    source = source_of(build, duration, step, settings or {})
    jobs = _jobs([source.check(row) for row in _rows(parameters)], repeat, seed)
    plan = Plan(source, measures_of(measure), folder / RECORDS if folder and records else None)
    _check_names(plan, jobs)
    with _ledger(folder, plan, jobs, restart, accept_changes) as (done, add):
        rows = {job.index: {**done[key_of(job)], "run": job.index} for job in jobs if key_of(job) in done}
        missing = [job for job in jobs if job.index not in rows]
        with _progress(progress, len(jobs), len(rows)) as show:
            for job, row in _computed(plan, missing, executor, workers, between):
                add(job, row)
                rows[job.index] = row
                show(row)
    return SweepTable.of(jobs, rows)


def _computed(
    plan: Plan, jobs: list[Job], executor: Executor | None, workers: int | None, between: Callable[[], None]
) -> Iterator[tuple[Job, Row]]:
    """The rows of `jobs`, as they come."""
    if not jobs:
        return
    if plan.records is not None:
        plan.records.mkdir(exist_ok=True)
    with engine_of(executor, workers, plan) as engine:
        yield from Schedule(plan, jobs, engine, _first_alone(executor, len(jobs)), between).rows()


def _folder(out: str | Path | None, *needing: bool) -> Path | None:
    if out is None and any(needing):
        raise StudyError("records, restart and accept_changes need a folder; name one (--out, out=)")
    return None if out is None else Path(out)


def _rows(parameters: Parameters) -> list[dict[str, Value]]:
    if isinstance(parameters, Mapping):
        for name, values in parameters.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise StudyError(f"{name} is {values!r}, expected a list of values such as [{values!r}]")
        return [{n: _plain(n, v) for n, v in row.items()} for row in grid(parameters)]
    rows = [{str(n): _plain(n, v) for n, v in row.items()} for row in parameters]
    if not rows:
        raise StudyError("there are no parameters to run with; give at least one row")
    return rows


def _plain(name: str, value: Any) -> Value:
    """Numbers of numpy as Python's, so that tables and files hold one kind."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) else value
    if not isinstance(plain, int | float | bool | str):
        raise StudyError(f"{name} is {value!r}, expected a number, a truth value or a text")
    return plain


def _jobs(rows: Sequence[Mapping[str, Value]], repeat: int, seed: int) -> list[Job]:
    if not isinstance(repeat, int) or repeat < 1:
        raise StudyError(f"repeat is {repeat!r}, expected an integer, 1 or more")
    if not isinstance(seed, int) or seed < 0:
        raise StudyError(f"seed is {seed!r}, expected an integer >= 0")
    points = [(row, number) for row in rows for number in range(repeat)]
    return [Job(index, row, number, seed + number) for index, (row, number) in enumerate(points)]


def _check_names(plan: Plan, jobs: Sequence[Job]) -> None:
    """Columns of parameters, measures and of every table must not have one name."""
    taken = {"run": "every table", **dict.fromkeys(LAST, "every table")}
    names = dict.fromkeys(name for job in jobs for name in job.parameters)
    for name in (*names, *(m.name for m in plan.measures)):
        if name in taken:
            raise StudyError(
                f"{name!r} is a column of {taken[name]} already; name the measure apart, as in other={name}"
            )
        taken[name] = "the parameters"


@contextmanager
def _ledger(
    folder: Path | None, plan: Plan, jobs: list[Job], restart: bool, accept_changes: bool
) -> Iterator[tuple[dict[str, Row], Callable[[Job, Row], None]]]:
    if folder is None:
        yield {}, lambda job, row: None
        return
    ledger = Ledger(folder, Identity.of(plan, jobs))
    with ledger.opened(restart, accept_changes) as done:
        yield done, ledger.add


def _first_alone(executor: Executor | None, runs: int) -> bool:
    """Whether the kernels have to be compiled first: done once, then shared by the cache."""
    from signorini.kernels.compile import is_cached
    from signorini.kernels.interior import dense_path, dense_solve

    small_problems = (dense_solve.solve, dense_path.interior_step)  # exact law, convex law
    return executor is None and runs > 1 and not any(map(is_cached, small_problems))


@contextmanager
def _progress(wanted: bool, total: int, done: int) -> Iterator[Callable[[Row], None]]:
    if not wanted or not sys.stderr.isatty():
        yield lambda row: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    failed = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting the workers", total=total, completed=done)

        def show(row: Row) -> None:
            nonlocal failed
            failed += row["status"] in (ERROR, LOST, STOPPED)
            rate = bar.tasks[0].speed
            bar.update(task, advance=1, description=f"{f'{rate:.3g} runs/s, ' if rate else ''}{failed} failed")

        yield show
