"""The commands as a user types them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from signorini import __version__
from signorini.cli.main import app
from signorini.io.fclib import save_problem
from signorini.studies.warm_up import ball_towers, dual_only

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    folder = tmp_path / "problems"
    folder.mkdir()
    for k, problem in enumerate([ball_towers(1), dual_only(ball_towers(1))]):
        save_problem(problem, folder / f"balls{k}.hdf5")
    return folder


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def strict_json(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


# --- with the plain solvers of conftest.py ------------------------------------------------------------


@pytest.mark.usefixtures("plain_solvers")
class TestSolve:
    def test_table(self, directory: Path) -> None:
        result = run("solve", directory, "--solver", "plain-gradient")
        assert result.exit_code == 0, result.output
        for word in ("problem", "contacts", "iterations", "scaled", "Coulomb", "worst"):
            assert word in result.stdout
        assert "balls0" in result.stdout
        assert "2 of 2 solved" in result.stdout
        assert result.stderr == ""

    def test_json_is_strict_and_alone_on_stdout(self, directory: Path) -> None:
        result = run("solve", directory, "--solver", "plain-gradient,crashes", "--json")
        document = strict_json(result.stdout)
        assert document["signorini"] == __version__
        assert document["solved"] == 2
        assert [r["status"] for r in document["results"]] == ["solved", "crashed"] * 2
        assert document["results"][0]["scaled"] <= 1e-8
        assert document["results"][1]["scaled"] is None
        assert result.exit_code == 1

    def test_failed_solve_is_exit_code_1(self, directory: Path) -> None:
        result = run("solve", directory, "--solver", "plain-gradient", "--max-iterations", 2)
        assert result.exit_code == 1
        assert "iteration limit" in result.stdout

    def test_refusal_counts_only_when_asked_by_name(self, directory: Path, plain_solvers: dict[str, Any]) -> None:
        del plain_solvers["crashes"]
        everything = run("solve", directory, "--solver", "all")
        assert everything.exit_code == 0, everything.output
        assert "refused" in everything.stdout
        assert "no-contacts refused 2 problems, the first: no-contacts solves" in everything.stdout
        assert run("solve", directory, "--solver", "no-contacts").exit_code == 1

    def test_unreadable_file_is_named_and_the_rest_solved(self, directory: Path) -> None:
        (directory / "balls0.hdf5").write_bytes(b"\x89HDF\r\n\x1a\n and no more")
        result = run("solve", directory, "--solver", "plain-gradient")
        assert result.exit_code == 2
        assert "1 of 1 solved" in result.stdout
        (line,) = result.stderr.strip().splitlines()
        assert line.startswith("error: ")
        assert "balls0.hdf5" in line

    def test_every_iteration(self, directory: Path, tmp_path: Path) -> None:
        table = tmp_path / "iterations.csv"
        result = run("solve", directory, "--solver", "plain-gradient", "--verbose", "--history", table)
        assert result.exit_code == 0, result.output
        assert "residual" in result.output
        lines = table.read_text().splitlines()
        assert lines[0] == "problem,solver,iteration,residual,seconds"
        assert len(lines) > 5

    def test_picture_and_csv(self, directory: Path, tmp_path: Path) -> None:
        picture, table = tmp_path / "a.png", tmp_path / "a.csv"
        result = run("solve", directory, "--solver", "plain-gradient", "--plot", picture, "--csv", table)
        assert result.exit_code == 0, result.output
        assert picture.stat().st_size > 10_000
        with table.open() as file:
            assert [line["problem"] for line in csv.DictReader(file)] == ["balls0", "balls1"]

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["absent.hdf5"], "no such file"),
            (["{d}", "--solver", "newton"], "there is no solver called 'newton'; choose one of"),
            (["{d}", "--solver", "not-installed"], "pip install"),
            (["{d}", "--solver", "plain-gradient", "--tolerance", "0"], "tolerance is 0.0, expected"),
            (["{d}", "--solver", "plain-gradient", "--tolerance", "nan"], "tolerance is nan, expected"),
            (["{d}", "--solver", "plain-gradient", "--plot", "a.gif"], "expected a picture"),
            (["{d}", "--solver", "plain-gradient", "--csv", "/absent/a.csv"], "cannot be written"),
        ],
    )
    def test_bad_input_is_one_line_and_exit_code_2(self, directory: Path, arguments: list[str], words: str) -> None:
        result = run("solve", *(a.replace("{d}", str(directory)) for a in arguments))
        assert result.exit_code == 2
        assert words in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1
        assert result.stdout == ""


@pytest.mark.usefixtures("plain_solvers")
class TestCompare:
    def test_tables_csv_and_picture(self, directory: Path, tmp_path: Path) -> None:
        picture, table = tmp_path / "profile.png", tmp_path / "table.csv"
        result = run("compare", directory, "--repeat", 2, "--csv", table, "--plot", picture)
        assert result.exit_code == 0, result.output
        for word in ("1e-04", "1e-06", "1e-08", "fastest", "10x", "at all", "plain-gradient", "100%"):
            assert word in result.stdout
        assert "crashes crashed 2 problems" in result.stdout
        assert picture.stat().st_size > 10_000
        with table.open() as file:
            lines = list(csv.DictReader(file))
        assert len(lines) == 6
        for column in (
            "coulomb_scaled",
            "coulomb_abh",
            "stationarity_relative",
            "joint_error_relative",
            "objective_dual",
        ):
            assert float(lines[0][column]) == pytest.approx(float(lines[0][column]))

    def test_json(self, directory: Path) -> None:
        document = strict_json(run("compare", directory, "--json", "--solvers", "plain-gradient").stdout)
        assert document["solvers"][0]["shares"] == [1.0, 1.0, 1.0]
        assert document["levels"] == [1e-4, 1e-6, 1e-8]
        assert document["profile"][0] == {"solver": "plain-gradient", "factor": 1.0, "share": 1.0}
        assert len(document["results"]) == 2

    def test_bad_input(self, tmp_path: Path) -> None:
        result = run("compare", tmp_path)
        assert result.exit_code == 2
        assert "holds no FCLIB files" in result.stderr


@pytest.mark.usefixtures("plain_solvers")
def test_solvers_are_listed() -> None:
    result = run("solvers")
    assert result.exit_code == 0
    assert "Projected gradient with a fixed step" in result.stdout
    assert "max_iterations=20000" in run("solvers", "--settings").stdout
    assert strict_json(run("solvers", "--json").stdout)[0]["name"] == "plain-gradient"


# --- as a process ------------------------------------------------------------


def process(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "signorini", *(str(a) for a in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_version_and_help() -> None:
    assert process("--version").stdout.strip() == f"signorini {__version__}"
    help_text = process("--help").stdout
    for command in ("solve", "compare", "solvers"):
        assert command in help_text


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, signorini.cli.main; print([m for m in ('numpy','numba','h5py','matplotlib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_error_is_one_line_without_traceback(tmp_path: Path) -> None:
    (tmp_path / "a.hdf5").write_text("nothing")
    result = process("solve", tmp_path / "a.hdf5", "--solver", "clarabel")
    assert result.returncode == 2
    assert "not an HDF5 file" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout.strip() == ""


def test_real_problem_with_a_real_solver(fclib: Path) -> None:
    pytest.importorskip("signorini.solvers.interior_point", reason="the interior point is not there")
    result = process("solve", fclib / "Rover1039.hdf5", fclib / "GFC3D_OneContact.hdf5", "--json")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert [r["status"] for r in strict_json(result.stdout)["results"]] == ["solved", "solved"]


def test_help_shows_units() -> None:
    """They stand in brackets, which markup of help texts would take for styles."""
    said = CliRunner().invoke(app, ["run", "--help"]).output
    assert "Time step [s]." in said
