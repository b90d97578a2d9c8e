"""The table of a sweep: one row per run."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.problem.errors import MissingExtraError, StudyError, suggestion
from signorini.studies.sweep.job import ERROR, LOST, SOLVED, STOPPED, Job, Row

FIRST = ("run",)
LAST = ("repeat", "seed", "status", "reason", "residual_max", "seconds", "version")
"""Columns of every table, after the parameters and the measures."""


@dataclass(frozen=True, eq=False)
class SweepTable:
    """Rows of a sweep in the order of its runs: parameters, measures, and how each run went.

    `table["energy"]` is a column; `table.rows` are plain dicts, so `pandas.DataFrame(table.rows)` works as well.
    """

    rows: list[Row]
    parameters: tuple[str, ...]
    """Names of what was varied."""

    @classmethod
    def of(cls, jobs: Sequence[Job], rows: Mapping[int, Row]) -> SweepTable:
        """The table of rows by the number of their run."""
        names = dict.fromkeys(name for job in jobs for name in job.parameters)
        return cls([rows[job.index] for job in jobs], tuple(names))

    def __repr__(self) -> str:
        return f"SweepTable({len(self)} runs of {', '.join(self.parameters) or 'one point'}; {self.counts_text()})"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column; numbers that a run does not have are NaN."""
        if name not in self.columns:
            raise StudyError(f"the table has no column {name!r}{suggestion(name, self.columns, 'it has')}")
        values = [row.get(name) for row in self.rows]
        if any(isinstance(value, str) for value in values):
            return np.array(["" if value is None else str(value) for value in values])
        return np.array([math.nan if value is None else value for value in values])

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of what was measured."""
        known = {*FIRST, *self.parameters, *LAST}
        return tuple(dict.fromkeys(name for row in self.rows for name in row if name not in known))

    @property
    def columns(self) -> tuple[str, ...]:
        """In the order of the files."""
        return (*FIRST, *self.parameters, *self.measures, *LAST)

    def counts(self) -> dict[str, int]:
        """How many runs ended in which way."""
        statuses = [row["status"] for row in self.rows]
        return {status: statuses.count(status) for status in dict.fromkeys(statuses)}

    def counts_text(self) -> str:
        """`counts` in words."""
        return ", ".join(f"{count} {status}" for status, count in self.counts().items()) or "none done"

    @property
    def failed(self) -> list[Row]:
        """Runs that did not come to their end, or could not be measured."""
        return [row for row in self.rows if row["status"] in (ERROR, LOST, STOPPED)]

    @property
    def all_solved(self) -> bool:
        """Whether every step of every run reached its tolerance."""
        return all(row["status"] == SOLVED for row in self.rows)

    def to_csv(self, path: str | Path) -> None:
        """Write it as CSV; numbers are written so that they are read back to the same bits."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(_cells(row, self.columns) for row in self.rows)

    def to_parquet(self, path: str | Path) -> None:
        """Write it as Parquet (extra `tables`)."""
        try:
            import pyarrow
            import pyarrow.parquet as parquet
        except ImportError as error:
            raise MissingExtraError("Parquet tables need the extra tables: pip install 'signorini[tables]'") from error
        columns = {name: [row.get(name) for row in self.rows] for name in self.columns}
        parquet.write_table(pyarrow.table(columns), path)

    def draw(self, path: str | Path, title: str = "") -> None:
        """Draw the measures: lines over one parameter, maps over a grid of two, parallel coordinates over more."""
        from signorini.view.sweep_picture import draw_sweep

        columns = {name: self[name] for name in (*self.parameters, *self.measures, "run")}
        draw_sweep(columns, self.parameters, self.measures, Path(path), title)

    def reasons(self) -> dict[str, list[int]]:
        """Why runs failed, and the numbers of those runs."""
        found: dict[str, list[int]] = {}
        for row in self.failed:
            found.setdefault(row["reason"], []).append(row["run"])
        return found


def _cells(row: Row, columns: Sequence[str]) -> list[Any]:
    values = (row.get(name) for name in columns)
    return ["" if value is None else repr(value) if isinstance(value, float) else value for value in values]
