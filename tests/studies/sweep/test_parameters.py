"""Rows of parameters: what is typed, what is sampled, what is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from signorini.problem.errors import FileError, StudyError
from signorini.studies.sweep.parameters import (
    Interval,
    grid,
    latin_hypercube,
    parse_variation,
    plain_value,
    planned,
    read_rows,
    sobol,
)


def _parse(name: str, text: str) -> int | float | bool | str:
    return plain_value(text)


def _values(text: str) -> list[object]:
    return list(parse_variation(text, _parse).values)


def test_ranges_lists_and_logarithms() -> None:
    assert _values("mu=0.1:0.6:6") == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert _values("mu=1e-4:1e-1:4:log") == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1])
    assert _values("count=10:50:5") == [10, 20, 30, 40, 50]
    assert all(isinstance(v, int) for v in _values("count=10:50:5"))
    assert _values("law=coulomb,convex") == ["coulomb", "convex"]
    assert _values("mu=0.5:2:1") == [0.5]


def test_ends_of_a_range_are_exact() -> None:
    values = Interval(0.1, 0.3).values(7)
    assert (values[0], values[-1]) == (0.1, 0.3)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("mu", "expected NAME="),
        ("mu=", "expected NAME="),
        ("mu=1:0:5", "empty"),
        ("mu=1:1:5", "empty"),
        ("mu=0:1:0", "count is 0"),
        ("mu=0:1:x", "expected NAME="),
        ("mu=0:1:3:4", "expected NAME="),
        ("mu=0:1:3:log", "no logarithm"),
        ("mu=0:inf:3", "empty"),
        ("mu=0:1:100000000", "100000000 runs are asked for, at most"),
    ],
)
def test_bad_variations_say_what_to_type(text: str, word: str) -> None:
    with pytest.raises(StudyError, match=word):
        parse_variation(text, _parse)


def test_grid_has_every_combination_once() -> None:
    rows = grid({"a": [1, 2], "b": ["x", "y", "z"]})
    assert len(rows) == 6
    assert rows[1] == {"a": 1, "b": "y"}
    with pytest.raises(StudyError, match="a has no values"):
        grid({"a": []})
    with pytest.raises(StudyError, match="sample it instead"):
        grid({"a": range(10_000), "b": range(10_000)})


def test_latin_hypercube_has_one_point_in_each_part() -> None:
    rows = latin_hypercube({"a": (0.0, 10.0), "b": Interval(1e-3, 1.0, log=True)}, 10, seed=3)
    assert sorted(int(row["a"]) for row in rows) == list(range(10))
    exponents = sorted((np.log10(row["b"]) + 3) / 3 * 10 for row in rows)
    assert [int(e) for e in exponents] == list(range(10))
    assert rows == latin_hypercube({"a": (0.0, 10.0), "b": Interval(1e-3, 1.0, log=True)}, 10, seed=3)
    assert rows != latin_hypercube({"a": (0.0, 10.0), "b": Interval(1e-3, 1.0, log=True)}, 10, seed=4)


@pytest.mark.parametrize("n", [1, 5, 8])
def test_sobol_points_lie_in_their_interval(n: int) -> None:
    rows = sobol({"a": (2.0, 3.0)}, n)
    assert len({row["a"] for row in rows}) == n
    assert all(2.0 <= row["a"] <= 3.0 for row in rows)


def test_samples_are_combined_with_lists() -> None:
    rows = planned([parse_variation("a=0:1", _parse), parse_variation("b=x,y", _parse)], samples=3)
    assert len(rows) == 6
    assert list(rows[0]) == ["a", "b"]
    assert [row["a"] for row in rows[:3]] == [row["a"] for row in rows[3:]]


def test_contradictions_are_named() -> None:
    with pytest.raises(StudyError, match="add --samples"):
        planned([parse_variation("a=0:1", _parse)], None)
    with pytest.raises(StudyError, match="needs an interval"):
        planned([parse_variation("a=0,1", _parse)], 5)
    with pytest.raises(StudyError, match="at most"):
        planned([parse_variation("a=0:1", _parse)], 10**9)
    with pytest.raises(StudyError, match="varied twice"):
        planned([parse_variation("a=0,1", _parse), parse_variation("a=2,3", _parse)], None)


def test_rows_from_files(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("friction,count,fast\n0.1,5,true\n0.2,6,false\n")
    assert read_rows(table) == [
        {"friction": 0.1, "count": 5, "fast": True},
        {"friction": 0.2, "count": 6, "fast": False},
    ]
    table.write_bytes("\ufeffa;b\r\n1;2\r\n".encode())
    assert read_rows(table) == [{"a": 1, "b": 2}], "as spreadsheets write it"
    table.write_text("a,b\n1\n")
    with pytest.raises(StudyError, match="row 2: 1 cells, expected 2"):
        read_rows(table)
    table.write_text("a,a\n1,2\n")
    with pytest.raises(StudyError, match="each once"):
        read_rows(table)
    table.write_text("a,b\n")
    with pytest.raises(StudyError, match="no rows"):
        read_rows(table)
    with pytest.raises(FileError, match="no such file"):
        read_rows(tmp_path / "none.csv")


def test_rows_from_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra tables)")
    import pyarrow

    path = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.table({"friction": [0.1, 0.2], "count": [5, 6]}), path)
    assert read_rows(path) == [{"friction": 0.1, "count": 5}, {"friction": 0.2, "count": 6}]
    path.write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot be read as Parquet"):
        read_rows(path)
