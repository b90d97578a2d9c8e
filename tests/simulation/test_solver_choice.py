"""Which solver is picked, and that it is told why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.simulation.solver_choice import GRADIENTS, MANY, SWEEPS, choose_solver
from signorini.solvers import Auto, Direct
from signorini.stepping.integrators import make_integrator


def balls(count: int) -> sg.Model:
    model = sg.Model()
    model.add_bodies(sg.Sphere(0.1), np.arange(3.0 * count).reshape(-1, 3), density=1000.0)
    return model


def linkage() -> sg.Model:
    model = balls(MANY + 1)
    model.add_revolute(None, model.bodies[0].name, position=(0, 0, 1), axis=(1, 0, 0))
    return model


def test_few_bodies_take_the_interior_point() -> None:
    choice = choose_solver("auto", balls(MANY), "cpu", None, "coulomb")
    assert choice.solver == sg.InteriorPoint()
    assert choice.why == f"auto: {MANY} movable bodies are few enough to factorise (up to {MANY})"


def test_many_bodies_take_sweeps_unless_more_is_asked_than_sweeps_can_do() -> None:
    model = balls(MANY + 1)
    assert choose_solver("auto", model, "cpu", None, "coulomb").solver == SWEEPS
    loose = choose_solver(Auto(tolerance=1e-3, max_iterations=7), model, "cpu", None, "coulomb").solver
    assert (loose.name, loose.tolerance, loose.max_iterations) == ("projected-sor", 1e-3, 7)
    assert choose_solver("auto", model, "cpu", None, "convex").solver == GRADIENTS
    tight = choose_solver(Auto(tolerance=1e-8), model, "cpu", None, "coulomb")
    assert tight.solver == sg.InteriorPoint(tolerance=1e-8)
    assert "out of reach" in tight.why


def test_joints_take_the_interior_point() -> None:
    choice = choose_solver(None, linkage(), "cpu", None, "coulomb")
    assert choice.solver == sg.InteriorPoint()
    assert "joints" in choice.why


def test_device_and_smooth_dynamics_have_their_own() -> None:
    model = balls(1)
    assert choose_solver("auto", model, "cuda", None, "coulomb").solver.name == "projected-sor"
    assert choose_solver("auto", model, "cpu", make_integrator("hht"), "coulomb").solver == Direct()
    with pytest.raises(sg.SignoriniError, match="contact problems"):
        choose_solver(Auto(tolerance=1e-3), model, "cpu", make_integrator("hht"), "coulomb")


def test_what_the_user_names_is_taken() -> None:
    choice = choose_solver("apgd", balls(1), "cpu", None, "coulomb")
    assert (choice.solver, choice.why) == ("apgd", "named by the user")


@pytest.mark.parametrize("settings", [{"tolerance": 0.0}, {"tolerance": float("nan")}, {"max_iterations": 0}])
def test_settings_are_checked(settings: dict[str, float]) -> None:
    with pytest.raises(sg.SignoriniError, match="expected"):
        Auto(**settings)  # type: ignore[arg-type]


def test_runs_and_records_tell_what_was_picked(tmp_path: Path) -> None:
    """Also after a record is resumed, where the solver is given as an object."""
    run = sg.Simulation(balls(2), step=0.01).run(0.02, record=tmp_path / "run.h5")
    assert run.summary()["solver_choice"].startswith("auto: 2 movable bodies")
    assert "picked" in str(run.summary())
    again = sg.Simulation.resume(tmp_path / "run.h5")
    assert again.settings() == run.settings
    named = sg.Simulation(balls(2), step=0.01, solver="projected-sor").run(0.02).summary()
    assert named["solver_choice"] == "named by the user"
    assert "picked" not in str(named)


def test_the_answer_is_that_of_the_solver_picked() -> None:
    auto, named = (sg.Simulation(balls(3), step=0.01, **choice) for choice in ({}, {"solver": sg.InteriorPoint()}))
    assert auto.solver == named.solver
    for sim in (auto, named):
        sim.run(0.05)
    np.testing.assert_array_equal(auto.state.position, named.state.position)
