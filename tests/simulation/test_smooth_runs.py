"""Smooth dynamics through Simulation, Run and records: the same face, bit for bit after a resume."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.stepping.heavy_top import heavy_top

import signorini as sg

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs


def ball_on_floor() -> sg.Model:
    model = sg.Model()
    model.add_fixed(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1001), velocity=(0.3, 0, 0), name="ball")
    return model


CASES = {
    "hht": (heavy_top, {"integrator": sg.integrators.HHT(alpha=-0.1)}),
    "newmark": (heavy_top, {"integrator": "newmark", "solver": "minres"}),
    "adaptive": (heavy_top, {"integrator": sg.integrators.HHT(step_size=sg.integrators.StepSize(tolerance=1e-7))}),
    "penalty": (ball_on_floor, {"integrator": "hht", "contact": sg.integrators.Penalty(1e4, "hertz")}),
    "borrowed": (heavy_top, {"integrator": "implicit-euler", "solver": sg.solvers.Linear()}),
}


@pytest.mark.parametrize("name", CASES)
def test_resumed_run_is_the_same_bit_for_bit(name: str, tmp_path: Path) -> None:
    make, options = CASES[name]
    whole = sg.Simulation(make(), step=0.01, **options).run(0.12)  # type: ignore[arg-type]
    path = tmp_path / "run.h5"
    sg.Simulation(make(), step=0.01, **options).run(0.05, record=path)  # type: ignore[arg-type]
    resumed = sg.Simulation.resume(path).run(0.07, record=path)
    assert len(resumed.times) == len(whole.times)
    for part in ("position", "orientation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(resumed, part)(), getattr(whole, part)())
    for column in ("iterations", "residual", "kinetic", "potential", "contacts"):
        assert np.array_equal(resumed.diagnostics[column], whole.diagnostics[column])


def test_summary_has_the_same_keys_as_with_hard_contact() -> None:
    hard = sg.Simulation(heavy_top(), step=0.01).run(0.02).summary()
    smooth = sg.Simulation(heavy_top(), step=0.01, integrator="hht").run(0.02).summary()
    assert smooth.keys() == hard.keys()
    assert smooth["steps"] == 2
    assert smooth["failures"] == 0
    assert smooth["residual_max"] < 1e-7
    assert smooth["solver"] == "direct"


def test_start_from_a_given_state() -> None:
    model = heavy_top()
    first = sg.Simulation(model, step=0.01, integrator="hht")
    first.run(0.05)
    second = sg.Simulation(model, step=0.01, integrator="hht", state=first.state)
    assert second.time == 0.0
    assert np.array_equal(second.state.position, first.state.position)
    assert second.advance().status.ok


def test_the_exact_friction_law_is_for_hard_contact() -> None:
    with pytest.raises(sg.SignoriniError, match="law is 'coulomb', that of hard contact; hht takes contact=Penalty"):
        sg.Simulation(heavy_top(), step=0.01, integrator="hht", law="coulomb")


def test_materials_with_more_than_friction_are_refused_with_penalties() -> None:
    model = ball_on_floor()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(1, 0, 1), material=sg.Material(restitution=0.5))
    with pytest.raises(sg.SignoriniError, match="hht knows of materials their friction alone"):
        sg.Simulation(model, step=0.01, integrator="hht", contact=sg.integrators.Penalty(1e4))
