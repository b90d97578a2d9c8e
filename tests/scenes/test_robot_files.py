"""Robots as scenes of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.problem.errors import SignoriniError
from signorini.scenes import find_scene

BRICK = """<robot name="brick"><link name="brick">
  <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link></robot>"""
BALL = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("name", "text"), [("brick.urdf", BRICK), ("ball.xml", BALL), ("ball.mjcf", BALL)])
def test_robots_run_on_the_ground(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    result = CliRunner().invoke(app, ["run", str(tmp_path / name), "--ground", "--duration", "0.05", "--json"])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout[result.stdout.index("{") :])
    assert summary["penetration_max"] < 1e-8
    assert summary["contacts_max"] >= 1


def test_a_recorded_robot_is_resumed(tmp_path: Path) -> None:
    (tmp_path / "brick.urdf").write_text(BRICK)
    record = str(tmp_path / "run.h5")
    arguments = ["run", str(tmp_path / "brick.urdf"), "--ground", "--duration", "0.05", "--record", record]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    result = CliRunner().invoke(app, ["run", "--resume", record, "--duration", "0.1"])
    assert result.exit_code == 0, result.output


def test_parameters_are_checked(tmp_path: Path) -> None:
    (tmp_path / "brick.urdf").write_text(BRICK)
    scene = find_scene(str(tmp_path / "brick.urdf"))
    assert not scene.build(base="fixed").bodies[0].movable
    with pytest.raises(SignoriniError, match="expected one of auto, fixed, free"):
        scene.build(base="glued")
    with pytest.raises(SignoriniError, match="no such file"):
        find_scene(str(tmp_path / "other.urdf"))
