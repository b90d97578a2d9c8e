"""Runs that diverge end with a reason and a good state; turns too large for a step are told."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import signorini as sg
from signorini.problem.solution import Status


@dataclass(frozen=True)
class Explodes:
    """Solves well at first, then gives every velocity twenty times as large, and says that it failed."""

    tolerance: float = 1e-8
    good: int = 5
    factor: float = 20.0
    name: ClassVar[str] = "explodes"
    calls: ClassVar[list[int]] = [0]

    def solve(self, problem: Any, guess: Any = None) -> sg.Solution:
        self.calls[0] += 1
        found = sg.ProjectedSOR(tolerance=1e-8).solve(problem)
        if self.calls[0] <= self.good:
            return found
        return replace(found, velocity=self.factor * np.asarray(found.velocity), status=Status.STALLED)


def balls() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)))
    for k in range(3):
        model.add_body(sg.Sphere(0.1), mass=1.0, position=(0.3 * k, 0, 0.1), velocity=(0.1, 0, 0))
    return model


@pytest.mark.parametrize("record", [False, True])
def test_divergence_ends_the_run(tmp_path: Path, record: bool) -> None:
    Explodes.calls[0] = 0
    sim = sg.Simulation(balls(), step=0.005, solver=Explodes(), law="convex")
    path = tmp_path / "run.h5"
    with pytest.warns(UserWarning, match="diverged"):
        run = sim.run(1.0, record=path if record else None)
    assert 5 <= len(run.diagnostics) <= 15
    assert run.status is Status.DIVERGED
    assert "is good" in run.message
    assert run.summary()["stopped"] == run.message
    assert np.abs(run.velocity()).max() < 1e3
    np.testing.assert_array_equal(sim.state.position, run.state().position)
    with pytest.raises(sg.SignoriniError):
        sim.advance()


@pytest.mark.parametrize(("factor", "steps"), [(1e10, 0), (3.0, 3)])
def test_a_first_step_that_explodes_ends_the_run(factor: float, steps: int) -> None:
    """Before it nothing is known but the start: only a burst beyond doubt counts."""
    Explodes.calls[0] = 0
    sim = sg.Simulation(balls(), step=0.005, solver=Explodes(good=0, factor=factor), law="convex")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = sim.run(0.015 if steps else 1.0)
    assert (run.status is Status.DIVERGED) == (not steps)
    assert len(run.diagnostics) == steps


def test_failed_steps_that_do_not_diverge_go_on() -> None:
    tight = sg.ProjectedSOR(tolerance=1e-15, max_iterations=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = sg.Simulation(sg.SCENES["balls-in-box"].build(spheres=20), step=0.005, solver=tight).run(0.5)
    assert len(run.diagnostics) == 100
    assert run.message == ""


def test_large_turns_are_reported_once() -> None:
    model = sg.Model()
    model.add_body(sg.Box((0.1, 0.2, 0.3)), mass=1.0, angular_velocity=(0, 0, 300.0), name="top")
    with pytest.warns(UserWarning, match="body 'top' turns by 1.5 rad") as seen:
        sg.Simulation(model, step=0.005).run(0.02)
    assert len([one for one in seen if "turns by" in str(one.message)]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.Simulation(model, step=0.001).run(0.01)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": "x"}, "seed is 'x'"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": "x"}, "threads is 'x'"),
        ({"threads": 1.5}, "threads is 1.5"),
        ({"max_recovery_speed": "fast"}, "max_recovery_speed is 'fast'"),
        ({"step": "1"}, "step is '1'"),
    ],
)
def test_odd_settings_are_errors_of_ours(options: dict[str, Any], words: str) -> None:
    with pytest.raises(sg.SignoriniError, match=words):
        sg.Simulation(balls(), **options)


@pytest.mark.parametrize("duration", ["1", None, -1, float("nan"), True])
def test_odd_durations(duration: Any) -> None:
    with pytest.raises(sg.SignoriniError, match="duration is"):
        sg.Simulation(balls()).run(duration)


@pytest.mark.parametrize("size", [1e308, 1e200])
@pytest.mark.parametrize("shape", ["Sphere", "Box", "Capsule", "Cylinder"])
def test_absurd_sizes_are_refused(shape: str, size: float) -> None:
    kinds = {"Sphere": (size,), "Box": ((size, 1, 1),), "Capsule": (size, 1), "Cylinder": (1, size)}
    with pytest.raises(sg.SignoriniError, match="check the units"):
        balls().add_body(getattr(sg, shape)(*kinds[shape]), mass=1.0)


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    f = np.float32
    model = sg.Model(gravity=np.array([0, 0, -9.81], dtype=f), margin=f(0.01))
    material = sg.Material(friction=f(0.25), restitution=f(0.5))
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material)
    model.add_body(sg.Sphere(f(0.125)), density=f(1000), position=np.array([0, 0, 0.125], f), group=np.int16(1))
    sim = sg.Simulation(model, step=f(0.0078125), seed=np.int64(3), threads=np.int32(1), max_recovery_speed=f(2))
    path = tmp_path / "run.h5"
    sim.run(f(0.0625), record=path)
    assert len(sg.Simulation.resume(path).run(0.0625, record=path).times) == 17


def test_group_and_directions_have_limits() -> None:
    with pytest.raises(sg.SignoriniError, match="64 bits"):
        balls().add_body(sg.Sphere(0.1), mass=1.0, group=2**70)
    with pytest.raises(sg.SignoriniError, match="too large or too small"):
        sg.HalfSpace((0, 0, 1e200))
    with pytest.raises(sg.SignoriniError, match="too large or too small"):
        sg.Material(cross_friction=0.1, direction=(1e200, 0, 0))
