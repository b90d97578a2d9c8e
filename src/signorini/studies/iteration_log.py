"""Every iteration of solves as rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from signorini.problem.errors import FileError
from signorini.problem.solution import History
from signorini.studies.attempt import Attempt

FIRST = ("iteration", "residual", "seconds")
Value = str | float


def rows_of(history: History) -> Iterator[dict[str, float]]:
    """One row per record: iteration, residual, seconds, then what the solver has logged."""
    columns = {"iteration": history.iteration, "residual": history.residual, "seconds": history.seconds, **history.log}
    for k in range(len(history.iteration)):
        yield {name: float(values[k]) for name, values in columns.items()}


def write_iterations(attempts: Iterable[Attempt], path: Path) -> None:
    """A CSV file with problem, solver and the rows of every solve."""
    rows: list[dict[str, Value]] = []
    for attempt in attempts:
        if attempt.solution is not None:
            named: dict[str, Value] = {"problem": attempt.problem.name, "solver": attempt.solver}
            rows += [{**named, **row} for row in rows_of(attempt.solution.history)]
    columns = dict.fromkeys(name for row in rows for name in row)
    try:
        with path.open("w", newline="") as file:
            table = csv.DictWriter(file, list(columns) or ["problem", "solver", *FIRST], restval="")
            table.writeheader()
            table.writerows(rows)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}") from error
