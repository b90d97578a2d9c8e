"""One run of a sweep: what a worker gets, and the row that it gives back."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signorini import __version__
from signorini.problem.errors import SignoriniError
from signorini.simulation.run import Run
from signorini.studies.sweep.measures import Measure
from signorini.studies.sweep.parameters import Value
from signorini.studies.sweep.source import Source

SOLVED, INACCURATE, STOPPED, ERROR, LOST = "solved", "inaccurate", "stopped", "error", "lost"
"""How a run can end: all steps solved; some missed the tolerance; it ended early; it could not be run or measured; its
worker died again and again."""
STATUSES = (SOLVED, INACCURATE, STOPPED, ERROR, LOST)
Row = dict[str, Any]
"""One row of the table: parameters, measures, and how the run went."""


@dataclass(frozen=True)
class Plan:
    """What all runs of a sweep share."""

    source: Source
    measures: tuple[Measure, ...]
    records: Path | None = None
    """Folder of the records, None without any."""


@dataclass(frozen=True)
class Job:
    """One run."""

    index: int
    parameters: Mapping[str, Value]
    repeat: int
    seed: int

    def row(self, status: str, reason: str = "") -> Row:
        """The row of this run, without measures."""
        return {
            "run": self.index,
            **self.parameters,
            "repeat": self.repeat,
            "seed": self.seed,
            "status": status,
            "reason": reason,
        }


def perform(plan: Plan, job: Job) -> Row:
    """Run it and measure it; whatever goes wrong is told in the row."""
    begin = time.perf_counter()
    record = None if plan.records is None else plan.records / f"run-{job.index:06d}.h5"
    row = job.row(SOLVED)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the row says how many steps missed the tolerance
            run = plan.source.run(job.parameters, job.seed, record)
        row |= _outcome(run)
        for measure in plan.measures:
            row |= _measured(measure, run)
    except Exception as error:  # a sweep goes on whatever one of its runs does
        row |= {"status": ERROR, "reason": error_line(error)}
    return {**row, "seconds": time.perf_counter() - begin, "version": __version__}


def _outcome(run: Run) -> Row:
    summary = run.summary()
    certificate = {"residual_max": summary["residual_max"]}
    if run.message:
        return certificate | {"status": STOPPED, "reason": run.message}
    if summary["failures"]:
        reason = f"{summary['failures']} of {summary['steps']} steps missed the tolerance"
        return certificate | {"status": INACCURATE, "reason": reason}
    return certificate


def _measured(measure: Measure, run: Run) -> Row:
    try:
        return measure.numbers(run)
    except Exception as error:  # told in the row, as above
        return {measure.name: None, "status": ERROR, "reason": f"measure {measure.name}: {error_line(error)}"}


def error_line(error: Exception) -> str:
    """An error in one line; with its kind and place where it is not one of our own."""
    text = " ".join(str(error).split())
    if isinstance(error, SignoriniError):
        return text
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {text}{place}"
