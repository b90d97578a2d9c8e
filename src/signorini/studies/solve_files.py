"""Solve the problems in many files with many solvers."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from signorini.io.problem_file import load_problem
from signorini.problem.certificate import Law
from signorini.problem.errors import FileError, MissingExtraError, SignoriniError, SolverError
from signorini.solvers import SOLVERS, solver_class, with_law
from signorini.solvers.base import Solver
from signorini.studies.attempt import COLUMNS, Attempt, attempt, row
from signorini.studies.warm_up import warm_up_problems

ALL = "all"
SUFFIXES = (".hdf5", ".h5")


@dataclass(frozen=True)
class Limits:
    """When to stop, for every solver alike; None leaves a solver its own default."""

    tolerance: float = 1e-8
    """Largest `Certificate.error` of a solved problem [-]."""
    max_iterations: int | None = None
    time_budget: float | None = None
    """[s] per solve."""
    log: bool = False
    """Whether solvers that can keep a log of their iterations do so."""
    law: Law = "convex"
    """`coulomb`: the exact law around each solver, with these limits for the outer loop and for each convex solve."""


def problem_files(paths: Iterable[Path]) -> list[Path]:
    """The files named by `paths`; a directory stands for the FCLIB files in it."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(p for p in path.iterdir() if p.suffix in SUFFIXES and p.is_file())
            if not found:
                raise FileError(f"{path} holds no FCLIB files, expected names that end in {' or '.join(SUFFIXES)}")
            files.extend(found)
        elif path.exists():
            files.append(path)
        else:
            raise FileError(f"{path}: there is no such file or directory; check the name (`ls {path.parent}`)")
    if not files:
        raise FileError("there is no file to solve; name FCLIB files or directories that hold them")
    return files


def choose_solvers(names: str, limits: Limits) -> dict[str, Solver]:
    """Solvers by name, separated by commas, or `all` that are installed; set up and compiled.

    Asking for a solver by name whose optional dependency is missing raises; `all` leaves it out.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise SolverError(f"no solver is named; choose of {', '.join(SOLVERS)}, or say all")
    everything = ALL in wanted
    ready: dict[str, Solver] = {}
    for name in SOLVERS if everything else dict.fromkeys(wanted):
        try:
            solver = _make(name, limits)
            _compile(name, limits.law)
        except MissingExtraError:
            if not everything:
                raise
        else:
            ready[name] = solver
    return ready


def _make(name: str, limits: Limits) -> Solver:
    found = solver_class(name)
    settings = {
        "tolerance": limits.tolerance,
        "max_iterations": limits.max_iterations,
        "time_budget": limits.time_budget,
        "log": limits.log or None,
    }
    known = inspect.signature(found).parameters
    given = {key: value for key, value in settings.items() if value is not None}
    return with_law(found(**{key: value for key, value in given.items() if key in known}), limits.law, **given)


def _compile(name: str, law: Law) -> None:
    """Solve small problems of all kinds, so that no later time includes the compilation of loops."""
    # With its own limits: a short time budget would end before the last loop is reached.
    solver = _make(name, Limits(law=law))
    for problem in warm_up_problems():
        attempt(problem, name, solver)


def solve_files(
    files: Iterable[Path], solvers: dict[str, Solver], unreadable: list[SignoriniError], repeat: int = 1
) -> Iterator[Attempt]:
    """Every solver on every file, one attempt at a time; errors of files are added to `unreadable`."""
    for file in files:
        try:
            problem = load_problem(file)
        except SignoriniError as error:
            unreadable.append(error)
            continue
        for name, solver in solvers.items():
            yield attempt(problem, name, solver, repeat)


def collect(attempts: Iterable[Attempt], table: Path | None) -> list[Attempt]:
    """All `attempts`, written to the CSV file `table` as they come."""
    if table is None:
        return list(attempts)
    collected = []
    with CsvTable(table) as file:
        for one in attempts:
            file.add(one)
            collected.append(one)
    return collected


@dataclass(frozen=True)
class Description:
    """What a user should know of a solver before choosing it."""

    name: str
    text: str
    """What it is, or what to install first."""
    settings: dict[str, str]
    """Name -> default, as Python writes it; empty if it is not installed."""


def describe_solvers() -> list[Description]:
    """All solvers, installed or not."""
    return [_describe(name) for name in SOLVERS]


def _describe(name: str) -> Description:
    try:
        found = solver_class(name)
        text = (inspect.getdoc(found) or "").partition("\n")[0].rstrip(":")
        return Description(name, text, {k: repr(p.default) for k, p in inspect.signature(found).parameters.items()})
    except MissingExtraError as error:
        return Description(name, f"not installed: {error}", {})


class CsvTable:
    """A CSV file of attempts, written row by row so that an interrupted study keeps what it has."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("w", newline="")
        except OSError as error:
            raise FileError(
                f"{path} cannot be written: {error.strerror}; name a file in a directory that exists"
            ) from error
        self._writer = csv.DictWriter(self._file, COLUMNS)
        self._writer.writeheader()

    def add(self, attempt: Attempt) -> None:
        """Write one row."""
        self._writer.writerow(row(attempt))
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
