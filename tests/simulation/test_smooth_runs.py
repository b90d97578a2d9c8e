"""Smooth dynamics through Simulation, Run and records: the same face, bit for bit after a resume."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.stepping.heavy_top import heavy_top

import signorini as sg

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs


def ball_on_floor() -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
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


def pendulum_that_breaks() -> sg.Model:
    """Undamped rules do not settle joints: at 20 ms the multipliers of this one grow until no step can be solved."""
    model = sg.Model()
    model.add_body(sg.Box((1, 0.05, 0.05)), mass=1.0, position=(0.5, 0, 0), name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), name="hinge")
    return model


@pytest.mark.parametrize("kind", ["memory", "record"])
def test_run_stops_where_steps_fail_and_keeps_the_last_good_state(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.h5" if kind == "record" else None
    sim = sg.Simulation(pendulum_that_breaks(), step=0.02, integrator=sg.integrators.HHT(alpha=0.0))
    with pytest.warns(UserWarning, match="hht stopped at t = 4"):
        run = sim.run(8.0, record=path)
    assert run.status is sg.Status.ITERATION_LIMIT
    assert "take a smaller step, more damping" in run.message
    summary = run.summary()
    assert summary["stopped"] == run.message
    assert summary["failures"] == 1
    assert summary["time"] < 8.0
    assert run.state().time == pytest.approx(0.02 * summary["steps"])
    assert run.state().time == sim.time == pytest.approx(summary["time"])
    assert all(status.ok for status in run.statuses)
    assert np.isfinite(run.position()).all()
    with pytest.raises(sg.SignoriniError, match="hht stopped at t = 4"):
        sim.advance()
    assert list(sim) == []
    whole = sg.Simulation(pendulum_that_breaks(), step=0.02, integrator=sg.integrators.HHT(alpha=-0.05)).run(8.0)
    assert whole.status.ok
    assert not whole.message
    assert whole.summary()["stopped"] is None


def test_run_that_may_raise_keeps_its_last_good_state_in_the_record(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    sim = sg.Simulation(pendulum_that_breaks(), step=0.02, integrator=sg.integrators.HHT(alpha=0.0), on_failure="raise")
    with pytest.raises(sg.SignoriniError, match="hht stopped at t = 4"):
        sim.run(8.0, record=path)
    assert sg.Run.load(path).state().time == pytest.approx(sim.time)


def test_forces_out_of_range_in_an_iteration_are_no_mistake_of_the_model() -> None:
    """Where a long step first looks, the force is not finite; parts of the step do not look there."""

    def wall(time: float, state: Any) -> tuple[float, float, float]:
        left = 1.2 - state.position[0, 2]
        return (0, 0, 100.0 / 16 - 1.0 / left**2 if left > 0 else math.nan)

    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=0.1, position=(0, 0, 0.8), velocity=(0, 0, 2.0), name="ball")
    model.add_prismatic(None, "ball", (0, 0, 1), name="rail")
    model.add_spring(None, "ball", (0, 0, 0), (0, 0, 0.8), stiffness=1.0, length=1.0)
    model.add_force("ball", wall)
    step = sg.Simulation(model, step=0.2, integrator="hht").advance()
    assert step.status.ok
    assert step.substeps > 1  # type: ignore[attr-defined]


def test_start_from_a_given_state() -> None:
    model = heavy_top()
    first = sg.Simulation(model, step=0.01, integrator="hht")
    first.run(0.05)
    second = sg.Simulation(model, step=0.01, integrator="hht", state=first.state)
    assert second.time == 0.0
    assert np.array_equal(second.state.position, first.state.position)
    assert second.advance().status.ok


def test_the_relaxed_friction_law_is_for_hard_contact() -> None:
    with pytest.raises(sg.SignoriniError, match="law is 'convex', one of hard contact; hht takes contact=Penalty"):
        sg.Simulation(heavy_top(), step=0.01, integrator="hht", law="convex")


@pytest.mark.parametrize(
    ("law", "told"),
    [
        ({"yield_force": 10.0}, "yield_force, which penalty contacts do not know"),
        ({"rolling_friction": 0.01}, "rolling_friction, which"),
        ({"cohesion": 1.0}, "give cohesion_range > 0"),
        ({"cohesion": 1.0, "cohesion_range": 1e-3, "heals": False}, "heals=True"),
    ],
)
def test_materials_that_penalties_do_not_know_are_refused(law: dict[str, float], told: str) -> None:
    model = ball_on_floor()
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(1, 0, 1), material=sg.Material(**law))
    with pytest.raises(sg.SignoriniError, match=told):
        sg.Simulation(model, step=0.01, integrator="hht", contact=sg.integrators.Penalty(1e4))
    with pytest.raises(sg.SignoriniError, match=told):
        sg.analyses.static_equilibrium(model, contact=sg.integrators.Penalty(1e4))
