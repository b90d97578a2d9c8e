"""The parameters of the runs: grids, lists, Latin hypercubes, Sobol points, rows of a file."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from signorini.problem.errors import FileError, MissingExtraError, StudyError

Value = int | float | bool | str
Design = Literal["latin", "sobol"]
MOST_RUNS = 10_000_000
"""A grid with more runs than this is a slip of the pen."""
HOW_TO_VARY = "expected NAME=LOW:HIGH:COUNT, NAME=LOW:HIGH:COUNT:log, NAME=LOW:HIGH with --samples, or NAME=A,B,C"


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`, to be sampled."""

    low: float
    high: float
    log: bool = False
    """Whether samples are even in the logarithm."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise StudyError(f"the interval from {self.low:g} to {self.high:g} is empty; expected LOW < HIGH")
        if self.log and self.low <= 0:
            raise StudyError(f"the interval from {self.low:g} to {self.high:g} is not above 0, so it has no logarithm")

    def at(self, share: float) -> float:
        """The value at a share of the way between the ends, 0 to 1."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + (self.high - self.low) * share)

    def values(self, count: int) -> list[float]:
        """`count` values with both ends."""
        if count < 1:
            raise StudyError(f"the count is {count}, expected 1 or more values from {self.low:g} to {self.high:g}")
        _check_number(count)
        return [self.low] if count == 1 else [self.at(k / (count - 1)) for k in range(count - 1)] + [self.high]


def _check_number(runs: int) -> None:
    if runs > MOST_RUNS:
        raise StudyError(f"{runs} runs are asked for, at most {MOST_RUNS} are possible")


def grid(values: Mapping[str, Iterable[Value]]) -> list[dict[str, Value]]:
    """Every combination; the last parameter changes fastest."""
    lists = {name: list(items) for name, items in values.items()}
    for name, items in lists.items():
        if not items:
            raise StudyError(f"{name} has no values; give at least one")
    runs = math.prod(len(items) for items in lists.values())
    if runs > MOST_RUNS:
        raise StudyError(f"the grid has {runs} runs, at most {MOST_RUNS} are possible; sample it instead")
    return [dict(zip(lists, point, strict=True)) for point in itertools.product(*lists.values())]


def latin_hypercube(intervals: Mapping[str, Interval | tuple[float, float]], n: int, seed: int = 0) -> list[Any]:
    """`n` points of a Latin hypercube: in each parameter, one point in each of `n` equal parts."""
    return _sampled("latin", intervals, n, seed)


def sobol(intervals: Mapping[str, Interval | tuple[float, float]], n: int, seed: int = 0) -> list[Any]:
    """`n` points of a scrambled Sobol sequence; most even for powers of two."""
    return _sampled("sobol", intervals, n, seed)


def _sampled(
    design: Design, intervals: Mapping[str, Interval | tuple[float, float]], n: int, seed: int
) -> list[dict[str, Value]]:
    from scipy.stats import qmc

    if n < 1:
        raise StudyError(f"the number of samples is {n}, expected 1 or more")
    _check_number(n)
    if not intervals:
        raise StudyError("there is nothing to sample; give intervals such as friction=0.1:0.6")
    spans = [i if isinstance(i, Interval) else Interval(float(i[0]), float(i[1])) for i in intervals.values()]
    random = np.random.default_rng(seed)
    if design == "latin":
        shares = qmc.LatinHypercube(len(spans), rng=random).random(n)
    else:
        # The balance of a Sobol sequence is that of its first powers of two: draw so many and keep the first n.
        shares = qmc.Sobol(len(spans), rng=random).random_base2(max(math.ceil(math.log2(n)), 0))[:n]
    return [
        {name: span.at(float(share)) for name, span, share in zip(intervals, spans, point, strict=True)}
        for point in shares
    ]


@dataclass(frozen=True)
class Variation:
    """What `--vary NAME=...` asks for: values to be combined, or an interval to be sampled."""

    name: str
    values: tuple[Value, ...] = ()
    interval: Interval | None = None


def parse_variation(text: str, parse: Callable[[str, str], Value]) -> Variation:
    """The variation that `text` means; `parse(name, value)` turns one value into the parameter's type."""
    name, equals, right = (part.strip() for part in text.partition("="))
    if not equals or not name or not right:
        raise StudyError(f"--vary got {text!r}, {HOW_TO_VARY}")
    if ":" not in right:
        return Variation(name, tuple(parse(name, item.strip()) for item in right.split(",")))
    low, high, *rest = right.split(":")
    log = bool(rest) and rest[-1].strip() == "log"
    counts = rest[:-1] if log else rest
    try:
        interval = Interval(float(low), float(high), log)
        count = int(counts[0]) if counts else None
    except (ValueError, IndexError) as error:
        reason = f": {error}" if isinstance(error, StudyError) else ""
        raise StudyError(f"--vary got {text!r}, {HOW_TO_VARY}{reason}") from None
    if len(counts) > 1:
        raise StudyError(f"--vary got {text!r}, {HOW_TO_VARY}")
    if count is None:
        return Variation(name, interval=interval)
    return Variation(name, tuple(parse(name, _text(value)) for value in interval.values(count)))


def _text(value: float) -> str:
    """A whole number without a point, so that counts stay integers."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def planned(
    variations: Sequence[Variation], samples: int | None, design: Design = "latin", seed: int = 0
) -> list[dict[str, Value]]:
    """The rows that variations mean: the grid of all values, times the samples of all intervals."""
    if design not in get_args(Design):
        raise StudyError(f"the design is {design!r}, expected one of {', '.join(get_args(Design))}")
    names = [v.name for v in variations]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise StudyError(f"{twice} is varied twice; write one --vary with all its values")
    intervals = {v.name: v.interval for v in variations if v.interval is not None}
    combined = grid({v.name: v.values for v in variations if v.interval is None})
    if not intervals:
        if samples is not None:
            raise StudyError("--samples needs an interval without a count, such as --vary friction=0.1:0.6")
        return combined
    if samples is None:
        name, interval = next(iter(intervals.items()))
        example = f"--vary {name}={interval.low:g}:{interval.high:g}:5"
        raise StudyError(f"{name} is an interval without a count; add --samples N, or write {example}")
    points = _sampled(design, intervals, samples, seed)
    return [{name: {**values, **point}[name] for name in names} for values in combined for point in points]


def read_rows(path: str | Path) -> list[dict[str, Value]]:
    """Parameters from a table with one row per run: CSV with a header, or Parquet (extra `tables`)."""
    path = Path(path)
    if not path.is_file():
        raise FileError(f"{path}: no such file; expected a CSV or Parquet table with one row of parameters per run")
    rows = _parquet_rows(path) if path.suffix == ".parquet" else _csv_rows(path)
    if not rows:
        raise StudyError(f"{path} has no rows; expected a header with the names of parameters and one row per run")
    return rows


def _csv_rows(path: Path) -> list[dict[str, Value]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets begin files with a mark
            first = file.readline()
            delimiter = next((mark for mark in ",;\t" if mark in first), ",")
            lines = list(csv.reader([first, *file], delimiter=delimiter))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} cannot be read as CSV: {error}") from error
    if not lines:
        return []
    header, *body = [[cell.strip() for cell in line] for line in lines if line]
    if len(set(header)) != len(header) or not all(header):
        raise StudyError(f"{path}: the header is {', '.join(header)!r}, expected one name per column, each once")
    for number, line in enumerate(body, start=2):
        if len(line) != len(header):
            raise StudyError(f"{path}, row {number}: {len(line)} cells, expected {len(header)} as in the header")
    return [{name: plain_value(cell) for name, cell in zip(header, line, strict=True)} for line in body]


def _parquet_rows(path: Path) -> list[dict[str, Value]]:
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise MissingExtraError("Parquet tables need the extra tables: pip install 'signorini[tables]'") from error
    try:
        rows: list[dict[str, Value]] = parquet.read_table(path).to_pylist()
    except Exception as error:
        raise FileError(f"{path} cannot be read as Parquet: {error}") from error
    return rows


def plain_value(text: str) -> Value:
    """The number or truth value that `text` means, else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
