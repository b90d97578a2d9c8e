"""Runs for other programs, as a user asks for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.simulation.step_problem import step_problem


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.h5"
    sg.Simulation(sg.SCENES["balls-in-box"].build(spheres=12), step=0.01).run(0.2, record=path)
    return path


def call(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["export", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def test_every_target_is_written(record: Path, tmp_path: Path) -> None:
    assert "and 20 more beside it" in call(record, tmp_path / "run.pvd", "--every", 2)
    assert len(list(tmp_path.glob("run-*.vtu"))) == 22
    call(record, tmp_path / "run.glb")
    assert (tmp_path / "run.glb").read_bytes()[:4] == b"glTF"
    call(record, tmp_path / "model.xml")
    assert len(sg.load_mjcf(tmp_path / "model.xml", self_collision="all").bodies) >= 13
    call("four-bar", tmp_path / "scene.xml")
    assert (tmp_path / "scene.xml").is_file()


def test_the_problem_of_a_step_as_plain_matrices(record: Path, tmp_path: Path) -> None:
    call(record, tmp_path / "step.npz", "--frame", 7)
    call(record, tmp_path / "step.mtx", "--frame", 7)
    model = sg.SCENES["balls-in-box"].build(spheres=12)
    problem, _ = step_problem(model, sg.Run.load(record), 7)
    with np.load(tmp_path / "step.npz") as arrays:
        for name in ("H", "D", "C", "E"):
            parts = (arrays[f"{name}_data"], arrays[f"{name}_indices"], arrays[f"{name}_indptr"])
            read = sp.csr_array(parts, shape=tuple(arrays[f"{name}_shape"]))
            text = sp.csr_array(scipy.io.mmread(tmp_path / "step" / f"{name}.mtx"))
            expected = getattr(problem, name).toarray()
            np.testing.assert_array_equal(read.toarray(), expected)
            np.testing.assert_allclose(text.toarray(), expected, rtol=1e-15)
        np.testing.assert_array_equal(arrays["friction"], problem.cones.friction)
        np.testing.assert_array_equal(np.loadtxt(tmp_path / "step" / "b_lambda.txt"), problem.b_lambda)
        assert len(arrays["b_lambda"]) > 0


def test_the_problem_of_a_step_is_that_of_the_run(record: Path, tmp_path: Path) -> None:
    call(record, tmp_path / "step.hdf5", "--frame", 7)
    problem = sg.load_problem(tmp_path / "step.hdf5")
    model = sg.SCENES["balls-in-box"].build(spheres=12)
    seen: list[sg.Step] = []
    sg.Simulation(model, step=0.01).run(0.2, callbacks=[seen.append])
    expected = seen[7].problem  # type: ignore[attr-defined]
    assert problem.D.shape == expected.D.shape
    assert abs(problem.D - expected.D).max() == 0.0
    assert np.array_equal(problem.c, expected.c)
    assert np.array_equal(problem.b_lambda, expected.b_lambda)
    solution = sg.Coulomb(tolerance=1e-9).solve(problem)
    assert solution.velocity == pytest.approx(seen[7].solution.velocity, abs=1e-6)  # type: ignore[attr-defined]


def test_laws_remember_what_the_run_recorded() -> None:
    model = sg.Model()
    glue = sg.Material(friction=0.5, static_friction=0.9, cohesion=0.1)
    model.add_fixed_body(sg.HalfSpace(), material=glue)
    model.add_body(sg.Box((0.2, 0.2, 0.2)), density=100, position=(0, 0, 0.1), velocity=(0.5, 0, 0), material=glue)
    seen: list[sg.Step] = []
    run = sg.Simulation(model, step=0.01).run(0.1, callbacks=[seen.append])
    problem, solution = step_problem(model, run, 5)
    expected = seen[5]
    assert np.array_equal(problem.cones.friction, expected.problem.cones.friction)  # type: ignore[attr-defined]
    assert solution.velocity == pytest.approx(expected.solution.velocity, abs=1e-7)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("a.png", (), "expected one of"),
        ("a.glb", ("--frame", "3"), "drop it"),
        ("a.hdf5", ("--frame", "99"), "no frame 99"),
        ("a.pvd", ("--every", "0"), "expected 1 or more"),
    ],
)
def test_wrong_wishes_are_refused(
    record: Path, tmp_path: Path, target: str, options: tuple[str, ...], message: str
) -> None:
    result = CliRunner().invoke(app, ["export", str(record), str(tmp_path / target), *options])
    assert result.exit_code == 2
    assert message in result.output
