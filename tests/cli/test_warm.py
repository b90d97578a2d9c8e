"""`signorini warm` as a user types it, and what it tells."""

from __future__ import annotations

import io

import numba
import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.kernels.watch import compilations
from signorini.scenes import SCENES
from signorini.simulation import progress
from signorini.solvers import SOLVERS
from signorini.studies.warm_up_scenes import tasks, warm


def test_a_scene_is_warmed_and_reported() -> None:
    result = CliRunner().invoke(app, ["warm", "pendulum"])
    assert result.exit_code == 0
    assert result.stdout.startswith("pendulum: ")
    assert "compiled" in result.stdout


def test_an_unknown_scene_is_refused_before_anything_is_compiled() -> None:
    result = CliRunner().invoke(app, ["warm", "pendulum", "no-such-scene"])
    assert result.exit_code == 2
    assert "no-such-scene" in result.stderr
    assert "pendulum:" not in result.stdout


def test_without_a_name_every_scene_and_solver_is_asked() -> None:
    names = set(tasks(()))
    assert set(SCENES) <= names
    assert {f"solver {name}" for name in (*SOLVERS, "coulomb")} <= names
    assert list(tasks(("pendulum",))) == ["pendulum"]


def test_new_kernels_are_reported_once_with_those_that_they_call() -> None:
    inner = numba.njit(lambda x: x + 1.0)
    outer = numba.njit(lambda x: inner(x) * 2.0)
    heard: list[str] = []
    warmed = warm("a kernel", lambda: outer(1.0), heard.append)
    assert warmed.compiled == len(heard) == 2
    with compilations(heard.append):
        assert outer(2.0) == 6.0
    assert len(heard) == 2


def test_the_bar_of_a_run_names_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)
    with progress.Progress(True, 0.0, 1.0) as bar:
        numba.njit(lambda x: x - 1.0)(1.0)
        assert bar._bar.tasks[0].description.startswith("compiling ")
