"""Sweeps as a script calls them, on an executor that works at once."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import ModelError, StudyError
from signorini.studies.sweep.ledger import ROWS
from signorini.sweeps import SweepTable, latin_hypercube


class AtOnce(Executor):
    """Works in this process, when a run is handed in; counts the runs."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.count, self.stop_after = 0, stop_after

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.count == self.stop_after:
            raise KeyboardInterrupt
        self.count += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class BreaksAfterTwo(AtOnce):
    """An executor whose workers die."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.count == 2:
            raise BrokenExecutor
        return super().submit(fn, *args, **kwargs)


def fall(height: float = 1.0, drag: float = 0.0) -> sg.Model:
    """A ball that falls freely."""
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, height), name="ball")
    if height > 100:
        raise ValueError("too high")
    return model


def z(run: sg.Run) -> float:
    return float(run.position("ball")[-1, 2])


def _sweep(parameters: Any, **more: Any) -> SweepTable:
    options = {"measure": z, "duration": 0.02, "step": 0.01, "executor": AtOnce()} | more
    table: SweepTable = sg.sweep(fall, parameters, **options)
    return table


def test_rows_are_in_order_and_right() -> None:
    table = _sweep({"height": [1.0, 2.0, 5.0]})
    fallen = 9.81 * 0.01**2 * (1 + 2)  # implicit Euler
    assert np.allclose(table["z"], np.array([1.0, 2.0, 5.0]) - fallen, atol=1e-12)
    assert table["status"].tolist() == ["solved"] * 3
    assert table.columns[:3] == ("run", "height", "z")
    assert table.all_solved
    assert "3 solved" in repr(table)
    with pytest.raises(StudyError, match="did you mean 'height'"):
        table["hight"]


def test_scenes_and_settings_can_both_vary() -> None:
    table = sg.sweep("pendulum", {"angle": [10, 20], "step": [0.01, 0.005]}, duration=0.02, executor=AtOnce())
    assert len(table) == 4
    assert table.all_solved
    assert len(set(table["energy"].tolist())) == 4


def test_rows_of_numpy_and_samples() -> None:
    rows = latin_hypercube({"height": (1.0, 2.0)}, 3)
    assert len(_sweep(rows)) == 3
    assert _sweep({"height": np.linspace(1, 2, 3)})["height"].tolist() == [1.0, 1.5, 2.0]


def test_repeats_have_seeds_that_all_points_share() -> None:
    options: dict[str, Any] = {"duration": 0.005, "settings": {"spheres": 2}, "executor": AtOnce()}
    table = sg.sweep("balls-in-box", {"friction": [0.2, 0.4]}, "energy", repeat=2, seed=7, **options)
    assert table["seed"].tolist() == [7, 8, 7, 8]
    energy = table["energy"]
    assert energy[0] == energy[2] != energy[1]  # balls that have not touched know nothing of friction


def test_what_fails_is_a_row_with_its_reason() -> None:
    table = _sweep({"height": [1.0, 200.0]}, measure={"z": z, "bad": lambda run: 1 / 0})
    assert table["status"].tolist() == ["error", "error"]
    assert "ZeroDivisionError: division by zero (test_many_runs.py, line" in table.rows[0]["reason"]
    assert table.rows[0]["z"] is not None
    assert table.rows[1]["reason"].startswith("ValueError: too high (test_many_runs.py, line")
    assert np.isnan(table["z"][1])
    assert len(table.failed) == 2


@pytest.mark.parametrize(
    ("parameters", "options", "word"),
    [
        ({"hight": [1.0]}, {}, "did you mean 'height'"),
        ({"height": []}, {}, "height has no values"),
        ({"height": 1.0}, {}, "expected a list"),
        ([], {}, "at least one row"),
        ({"height": [None]}, {}, "height is None, expected a number"),
        ({"height": [1.0]}, {"repeat": 0}, "repeat is 0"),
        ({"height": [1.0]}, {"seed": -1}, "seed is -1"),
        ({"height": [1.0]}, {"records": True}, "need a folder; name one"),
        ({"height": [1.0]}, {"executor": object()}, "concurrent.futures.Executor"),
        ({"height": [1.0]}, {"duration": None}, "pass duration="),
        ({"height": [1.0]}, {"measure": {"height": z}}, "a column of the parameters already"),
        ({"height": [1.0]}, {"measure": {"status": z}}, "a column of every table already"),
    ],
)
def test_bad_input_is_named_before_anything_runs(parameters: Any, options: Any, word: str) -> None:
    with pytest.raises((StudyError, ModelError), match=word):
        _sweep(parameters, **options)


def test_functions_that_no_process_can_load_are_named() -> None:
    with pytest.raises(StudyError, match="top level of a module"):
        _sweep({"height": [1.0]}, measure=lambda run: 1.0, executor=None)


def test_an_interrupted_sweep_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    heights = {"height": [1.0, 2.0, 3.0, 4.0]}
    whole = _sweep(heights)
    with pytest.raises(KeyboardInterrupt):
        _sweep(heights, out=tmp_path / "study", executor=AtOnce(stop_after=2))
    rest = AtOnce()
    table = _sweep(heights, out=tmp_path / "study", executor=rest)
    assert rest.count <= 2 + 2  # those handed out and not collected are done again
    assert _without_seconds(table) == _without_seconds(whole)
    again = AtOnce()
    assert _without_seconds(_sweep(heights, out=tmp_path / "study", executor=again)) == _without_seconds(whole)
    assert again.count == 0


def _without_seconds(table: SweepTable) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in table.rows]


def test_a_sweep_grows_in_its_folder(tmp_path: Path) -> None:
    _sweep({"height": [1.0, 3.0]}, out=tmp_path / "study")
    more = AtOnce()
    table = _sweep({"height": [1.0, 2.0, 3.0]}, out=tmp_path / "study", executor=more)
    assert more.count == 1
    assert table["run"].tolist() == [0, 1, 2]
    assert table["height"].tolist() == [1.0, 2.0, 3.0]


def test_torn_and_damaged_rows_are_done_again(tmp_path: Path) -> None:
    heights = {"height": [1.0, 2.0, 3.0]}
    whole = _sweep(heights, out=tmp_path / "study")
    path = tmp_path / "study" / ROWS
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"solved", b"solvad") + lines[2][: len(lines[2]) // 2])
    again = AtOnce()
    table = _sweep(heights, out=tmp_path / "study", executor=again)
    assert again.count == 2
    assert _without_seconds(table) == _without_seconds(whole)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"duration": 0.03}, "settings are"),
        ({"measure": {"height_now": z}}, "measures are"),
        ({"step": 0.005}, "settings are"),
    ],
)
def test_a_folder_of_another_sweep_is_not_touched(tmp_path: Path, options: Any, word: str) -> None:
    _sweep({"height": [1.0]}, out=tmp_path)
    before = (tmp_path / ROWS).read_bytes()
    with pytest.raises(StudyError, match=f"holds another sweep: its {word}"):
        _sweep({"height": [1.0]}, out=tmp_path, **options)
    assert (tmp_path / ROWS).read_bytes() == before
    assert len(_sweep({"height": [1.0]}, out=tmp_path, restart=True, **options)) == 1


def test_another_sweep_is_told_in_the_words_that_were_typed(tmp_path: Path) -> None:
    _sweep({"height": [1.0]}, out=tmp_path, measure=["energy", "pose(ball)", "settling_time"])
    with pytest.raises(StudyError) as told:
        _sweep({"height": [1.0]}, out=tmp_path, measure="top=max(position(ball).z)")
    for words in (
        "its measures are energy, pose(ball), settling_time, now top=max(position(ball).z);",
        "name another folder (--out, out=), or throw its rows away (--restart, restart=True)",
    ):
        assert words in str(told.value)


def test_a_strange_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(StudyError, match=r"other files \(thesis.txt\)"):
        _sweep({"height": [1.0]}, out=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot be made a folder"):
        _sweep({"height": [1.0]}, out=tmp_path / "file")


@pytest.mark.parametrize("name", ["rows.jsonl", "table.csv", "records", "sweep.json"])
def test_links_in_a_folder_are_not_followed(tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    study = tmp_path / "study"
    _sweep({"height": [1.0]}, out=study)
    (study / name).unlink(missing_ok=True)
    (study / name).symlink_to(precious)
    with pytest.raises(StudyError, match="is a link or no ordinary file"):
        _sweep({"height": [1.0, 2.0]}, out=study)
    assert precious.read_text() == "precious"


def test_changed_code_is_noticed(tmp_path: Path) -> None:
    study = tmp_path / "study"
    _sweep({"height": [1.0, 200.0]}, out=study)
    manifest = json.loads((study / "sweep.json").read_text())
    (study / "sweep.json").write_text(json.dumps(manifest | {"digest": "another"}))
    with pytest.raises(StudyError, match="the scene changed since"):
        _sweep({"height": [1.0, 200.0]}, out=study)
    again = AtOnce()
    _sweep({"height": [1.0, 200.0]}, out=study, accept_changes=True, executor=again)
    assert again.count == 1  # the run that failed gets another chance
    (study / "sweep.json").write_text(json.dumps(manifest | {"version": "0.0.1"}))
    with pytest.raises(StudyError, match="the version changed since"):
        _sweep({"height": [1.0, 200.0]}, out=study)


def test_two_sweeps_do_not_write_to_one_folder(tmp_path: Path) -> None:
    def inner(run: sg.Run) -> float:
        with pytest.raises(StudyError, match="another sweep is writing"):
            _sweep({"height": [1.0]}, out=tmp_path)
        return 1.0

    assert _sweep({"height": [1.0]}, out=tmp_path, measure=inner).all_solved


def test_records_and_tables(tmp_path: Path) -> None:
    table = _sweep({"height": [1.0, 2.0]}, out=tmp_path / "study", records=True)
    records = sorted((tmp_path / "study" / "records").iterdir())
    assert [sg.Run.load(path).position("ball")[0, 2] for path in records] == [1.0, 2.0]
    table.to_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open() as file:
        read = list(csv.DictReader(file))
    assert [float(row["z"]) for row in read] == table["z"].tolist()
    table.draw(tmp_path / "picture.png", "two heights")
    assert (tmp_path / "picture.png").stat().st_size > 1000
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra tables)")
    table.to_parquet(tmp_path / "table.parquet")
    assert parquet.read_table(tmp_path / "table.parquet").to_pylist() == [
        {name: row.get(name) for name in table.columns} for row in table.rows
    ]


def test_a_broken_executor_says_what_to_do_and_keeps_its_rows(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="pass a new executor"):
        _sweep({"height": [1.0, 2.0, 5.0]}, executor=BreaksAfterTwo(), out=tmp_path / "study")
    again = AtOnce()
    table = _sweep({"height": [1.0, 2.0, 5.0]}, executor=again, out=tmp_path / "study")
    assert table["status"].tolist() == ["solved"] * 3
    assert again.count == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"repeat": 1.5}, "repeat is 1.5, expected an integer"),
        ({"repeat": "2"}, "repeat is '2', expected an integer"),
        ({"seed": "x"}, "seed is 'x', expected an integer"),
        ({"measure": 3}, "measure is 3, expected names"),
        ({"duration": "1"}, "duration is '1', expected a number of seconds"),
        ({"duration": -1}, "duration is -1, expected a number of seconds > 0"),
        ({"step": float("nan")}, "step is nan, expected a number of seconds > 0"),
        ({"step": True}, "step is True, expected a number of seconds"),
    ],
)
def test_arguments_of_other_types(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(StudyError, match=told):
        _sweep({"height": [1.0]}, **wrong)
    with pytest.raises(StudyError, match=told):
        sg.sweep("pendulum", {"angle": [1.0]}, executor=AtOnce(), **wrong)


def test_a_script_that_is_no_file_is_told() -> None:
    """Worker processes would die while they import it, again and again."""
    script = "import signorini as sg\nsg.sweep('pendulum', {'angle': [1.0]}, duration=0.01)\n"
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, check=False, timeout=60)
    assert "StudyError: worker processes import the script that calls sweep, but <stdin> is no file" in done.stderr
