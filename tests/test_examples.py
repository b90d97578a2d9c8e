"""Every example runs and gives a right answer; the example in CONTRIBUTING.md too."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.problem.library import library

ROOT = Path(__file__).resolve().parent.parent


def load(path: Path) -> ModuleType:
    """An example as a module that processes of a pool can import, too."""
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem)


@pytest.mark.slow
def test_pile(tmp_path: Path) -> None:
    picture = tmp_path / "convergence.png"
    solutions = load(ROOT / "examples" / "pile.py").main(["--spheres", "60", "--picture", str(picture)])
    assert [s.status.ok for s in solutions] == [True] * 4
    assert picture.stat().st_size > 1000
    first = solutions[0].velocity
    for other in solutions[1:]:
        np.testing.assert_allclose(other.velocity, first, atol=1e-4)


def test_robot_from_urdf(tmp_path: Path) -> None:
    model, run = load(ROOT / "examples" / "robot_from_urdf.py").main(["--out", str(tmp_path / "robot.glb")])
    assert (tmp_path / "robot.glb").stat().st_size > 10_000
    assert {remark.what.split()[0] for remark in model.report.unsupported} <= {"joint", "friction"}
    assert run.summary()["penetration_max"] < 1e-5
    trunk = run.position("trunk")[:, 2] - model.bodies[-1].position[2]
    assert 0.04 < trunk[-1] < trunk[0], "it crouches, and does not fall through the ground"


def test_gripper_from_mjcf(tmp_path: Path) -> None:
    model, run = load(ROOT / "examples" / "gripper_from_mjcf.py").main(["--out", str(tmp_path / "gripper.glb")])
    assert not model.report.unsupported
    assert run.position("box")[-1, 2] > 0.6, "the box is lifted"
    left, right = (run.position(name)[-1, 1] for name in ("left", "right"))
    assert (left, right) == pytest.approx((0.025, -0.025), abs=1e-4), "the fingers hold its sides"


def test_computed_torque_arm() -> None:
    errors = load(ROOT / "examples" / "computed_torque_arm.py").main()
    assert errors[0] > 0.1, "it starts away from the circle"
    assert errors[len(errors) // 2 :].max() < 2e-4


def test_gripper_lifts_box() -> None:
    sim, forces = load(ROOT / "examples" / "gripper_lifts_box.py").main()
    assert sim.state.position[1, 2] == pytest.approx(0.05 + 0.2, abs=1e-3), "the box is lifted"
    np.testing.assert_allclose(forces[-1000:], -12.0, atol=1e-3)
    np.testing.assert_allclose(sim.contact_force("box"), [0, 0, 0.5 * 9.81], atol=0.05)
    np.testing.assert_allclose(sim.contact_force("box", "floor"), 0.0)


@pytest.mark.slow
def test_learn_to_reach(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("gymnasium")
    history = load(ROOT / "examples" / "learn_to_reach.py").main(["--iterations", "4"])
    assert history[-1] > history[0] + 0.1, "nearer to its goals by 10 cm"
    start, end = re.findall(r"[\d.]+(?= m )", capsys.readouterr().out.splitlines()[-1])
    assert float(end) < 0.7 * float(start)


def test_files_out(tmp_path: Path) -> None:
    files = load(ROOT / "examples" / "files_out.py").main(["--out", str(tmp_path)])
    assert all(file.stat().st_size > 500 for file in files)
    assert sum(file.suffix == ".vtu" for file in files) == 22
    assert sg.load_problem(tmp_path / "step.hdf5").contacts > 4


def test_solver_of_the_contributing_guide(tmp_path: Path) -> None:
    """The worked example is complete: pasted into a file, it solves the library's frictional problems."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (source,) = re.findall(r"```python\n(# src/signorini/solvers/.*?)```", text, flags=re.DOTALL)
    (tmp_path / "projected_gradient.py").write_text(source)
    solver = load(tmp_path / "projected_gradient.py").ProjectedGradient(tolerance=1e-6)
    tried = 0
    for case in library():
        p = case.problem
        if p.contacts and not p.joint_rows and case.feasible and "ratio 10" not in case.name:
            solution = solver.solve(p)
            assert solution.status.ok, (case.name, solution)
            np.testing.assert_allclose(solution.velocity, case.velocity, atol=1e-4)
            tried += 1
    assert tried > 20


def test_examples_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a reader would run them, in an empty folder, one after the other."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert len(blocks) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        for block in blocks:
            exec(compile(block, "README.md", "exec"), names)
    summary = names["run"].summary()
    assert summary["steps"] == 400
    assert summary["failures"] == 0
    assert names["run"].position()[-1, -1, 2] == pytest.approx(0.035, abs=1e-6), "the ball lies on the floor"
    assert (tmp_path / "run.h5").exists()
    knocked = sg.Simulation(names["build"](), step=0.005).run(1.0)
    assert knocked.summary()["failures"] == 0
    assert knocked.position("box")[-1, 0] < -0.11, "the links knock the box away"
    solution, h, mass = names["solution"], names["h"], names["mass"]
    assert solution.status.ok
    # It slides, and the friction mu m g h brakes it; by the convex law it lifts by mu |slip|.
    friction = np.linalg.norm(solution.contact_impulse[1:])
    assert friction == pytest.approx(0.3 * solution.contact_impulse[0], rel=1e-6)
    assert mass * (1.0 - solution.velocity[0]) == pytest.approx(friction, rel=1e-6)
    assert solution.velocity[2] == pytest.approx(0.3 * solution.velocity[0], rel=1e-6)
    assert h == 0.01


@pytest.mark.slow
def test_fit_friction() -> None:
    module = load(ROOT / "examples" / "fit_friction.py")
    assert module.main([]) == pytest.approx(module.TRUE, abs=2e-3)


@pytest.mark.slow
def test_design_hopper() -> None:
    best = load(ROOT / "examples" / "design_hopper.py").main(["--generations", "1"])
    assert best["cost"] < 0.9 * best["first"], "the design is better than the first guess"
