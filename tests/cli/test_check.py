"""`signorini check` as a user types it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.studies.check_scene import modes_of, springs_of

OPEN = """
import signorini as sg

def build(length: float = 1.2):
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1, position=(1, 0, 0), name="ball")
    model.add_distance(None, "ball", (0, 0, 0), (1, 0, 0), length=length, name="rod")
    return model
"""
CONTRADICTION = """
import signorini as sg

def build():
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1, name="ball")
    model.add_distance(None, "ball", (-2, 0, 0), (0, 0, 0), length=1.0, name="left")
    model.add_distance(None, "ball", (2, 0, 0), (0, 0, 0), length=1.0, name="right")
    return model
"""


def test_redundant_joints_are_named() -> None:
    answer = CliRunner().invoke(app, ["check", "n-four-bar", "--set", "loops=1", "--json"])
    assert answer.exit_code == 0
    found = json.loads(answer.stdout)
    assert found["degrees_of_freedom"] == 1
    assert (found["constraint_rows"], found["rank"]) == (20, 17)
    assert found["redundant_joints"] == {"right-0": 3}
    assert found["ok"]
    text = CliRunner().invoke(app, ["check", "n-four-bar", "--set", "loops=1"]).stdout
    assert "right-0 (3 rows)" in text
    assert "1 degrees of freedom of 18 velocities" in text


def test_open_joints_are_closed_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "open.py"
    file.write_text(OPEN)
    answer = CliRunner().invoke(app, ["check", str(file), "--json"])
    assert answer.exit_code == 0
    found = json.loads(answer.stdout)
    assert abs(found["open_joints"]["rod"] - 0.2) < 1e-12
    assert found["assembly"]["possible"]
    assert abs(found["assembly"]["moved"]["ball"]["metres"] - 0.2) < 1e-9
    assert "closes by moving 1 bodies" in CliRunner().invoke(app, ["check", str(file)]).stdout


def test_impossible_joints_end_with_code_1(tmp_path: Path) -> None:
    file = tmp_path / "never.py"
    file.write_text(CONTRADICTION)
    answer = CliRunner().invoke(app, ["check", str(file)])
    assert answer.exit_code == 1
    assert "cannot be closed: joint" in answer.stdout
    assert CliRunner().invoke(app, ["check", "n-four-bars"]).exit_code == 2


def test_run_takes_an_integrator() -> None:
    command = ["run", "simple-pendulum", "--duration", "0.02", "--json"]
    for extra, solver in (((), "direct"), (("--integrator", "newmark", "--solver", "minres"), "minres")):
        answer = CliRunner().invoke(app, [*command, *extra])
        assert answer.exit_code == 0, answer.output
        found = json.loads(answer.stdout)
        assert found["solver"] == solver
        assert found["failures"] == 0
    answer = CliRunner().invoke(app, [*command, "--integrator", "rk4"])
    assert answer.exit_code == 2


def test_numerical_damping_of_springs() -> None:
    """A mass of 1 kg on 40 N/m turns at sqrt(40) rad/s: not damped at 10 ms, by omega h / 2 at 0.2 s."""
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(1, 0, 0), name="mass")
    model.add_spring(None, "mass", (0, 0, 0), (1, 0, 0), stiffness=40.0, length=1.0)
    (found,) = springs_of(model, 0.01)
    assert found.frequency == pytest.approx(math.sqrt(40.0) / (2 * math.pi))
    assert found.damping == 0.0
    assert springs_of(model, 0.2)[0].damping == pytest.approx(0.1 * math.sqrt(40.0))
    assert modes_of(model, 0.01)[0].frequency == pytest.approx(found.frequency)
    assert springs_of(sg.Model(), 0.01) == modes_of(sg.Model(), 0.01) == ()


def test_springs_of_many_joints_are_damped_as_their_step_damps_them() -> None:
    for links in (2, 40):
        model = sg.Model()
        for k in range(links):
            model.add_body(sg.Sphere(0.01), mass=0.1, position=(k, 0, 0), name=f"link-{k}")
            model.add_spherical(f"link-{k - 1}" if k else None, f"link-{k}", (k - 0.5, 0, 0))
        model.add_body(sg.Sphere(0.01), mass=1.0, position=(0, 5, 0), name="mass")
        model.add_spring(None, "mass", (0, 4, 0), (0, 5, 0), stiffness=100.0)
        assert springs_of(model, 1e-3)[0].damping == 0.0
