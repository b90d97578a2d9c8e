"""`signorini modes` as a user types it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app


def test_table_and_json_agree() -> None:
    answer = CliRunner().invoke(app, ["modes", "double-pendulum", "--settle", "--json"])
    assert answer.exit_code == 0
    found = json.loads(answer.stdout)
    assert found["settled"] is True
    assert found["stable"] is True
    assert len(found["frequency"]) == 2
    assert found["acceleration"] == pytest.approx(0.0, abs=1e-6)
    text = CliRunner().invoke(app, ["modes", "double-pendulum", "--settle"]).stdout
    assert f"{found['frequency'][0]:.6g}" in text
    assert "not at rest" not in text


def test_scene_that_moves_tells_so() -> None:
    text = CliRunner().invoke(app, ["modes", "double-pendulum", "-n", "1"]).stdout
    assert "not at rest" in text
    assert "unstable" in text


def test_bad_input() -> None:
    assert CliRunner().invoke(app, ["modes", "double-pendulums"]).exit_code == 2
    assert CliRunner().invoke(app, ["modes", "double-pendulum", "-n", "0"]).exit_code == 2
