"""What a user is told: names, places, numbers and what to do."""

from __future__ import annotations

import math
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import FileError, ModelError, SimulationError, SolverError, UserCodeError
from signorini.problem.solution import Status
from signorini.simulation.failure_policy import worst_place
from signorini.simulation.step_watch import StepWatch


def two_boxes(overlap: float, **body: Any) -> sg.Model:
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(), name="floor")
    model.add_body(sg.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 0, 0.05), name="lower")
    model.add_body(sg.Box((0.1, 0.1, 0.1)), density=1000, position=(0, 0, 0.15 - overlap), name="upper", **body)
    return model


def test_overlap_at_the_start_is_reported_with_names_and_pushed_apart_slowly() -> None:
    sim = sg.Simulation(two_boxes(0.05), step=0.005, gaps="linear")
    with pytest.warns(UserWarning, match=r"'upper' and 'lower' overlap by 50 mm|'lower' and 'upper' overlap by 50 mm"):
        run = sim.run(0.5)
    fastest = math.sqrt(2 * 9.81 * 0.05)
    assert np.abs(run.velocity("upper")).max() <= fastest * (1 + 1e-9)
    assert run.position("upper")[-1, 2] == pytest.approx(0.15, abs=1e-3)
    assert run.settings["max_recovery_speed"] == pytest.approx(fastest)


def test_the_speed_of_recovery_is_recorded_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with pytest.warns(UserWarning, match="overlap by"):
        whole = sg.Simulation(two_boxes(0.05), step=0.005, gaps="linear").run(0.1)
    with pytest.warns(UserWarning, match="overlap by"):
        sg.Simulation(two_boxes(0.05), step=0.005, gaps="linear").run(0.05, record=path)
    rest = sg.Simulation.resume(path).run(0.05, record=path)
    assert np.array_equal(rest.position("upper")[-1], whole.position("upper")[-1])


def test_a_speed_that_is_chosen_counts() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="energy has grown")
        run = sg.Simulation(two_boxes(0.05), step=0.005, gaps="linear", max_recovery_speed=math.inf).run(0.01)
    assert np.abs(run.velocity("upper")).max() > 5.0


def test_bodies_that_touch_are_not_reported() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = sg.Simulation(two_boxes(1e-5), step=0.005).run(0.05)
    assert run.settings["max_recovery_speed"] is None


def test_pieces_of_a_mesh_that_fill_a_clearance_are_reported() -> None:
    model = two_boxes(2e-4)
    model.protrusions["upper"] = 1e-3
    with pytest.warns(UserWarning, match=r"pieces of 'upper' stand out of its mesh by up to 1 mm"):
        sg.Simulation(model).run(0.01)


def test_meshes_that_move_tell_how_far_their_pieces_stand_out() -> None:
    angle = np.linspace(0.0, 1.5 * np.pi, 24)
    outline = [
        *np.column_stack((np.cos(angle), np.sin(angle))),
        *np.column_stack((np.cos(angle), np.sin(angle)))[::-1] * 0.6,
    ]
    model = sg.Model()
    model.add_body(sg.shapes.extrude(outline, 0.2), density=1000, name="ring")
    model.add_body(sg.Sphere(0.1), density=1000, name="ball")
    assert set(model.protrusions) <= {"ring"}
    assert sg.shapes.extrude(outline, 0.2).protrusion() == model.protrusions.get("ring", 0.0)


def test_an_empty_model_and_one_where_nothing_moves_are_noticed() -> None:
    with pytest.warns(UserWarning, match="the model has no bodies"):
        sg.Simulation(sg.Model())
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace())
    with pytest.warns(UserWarning, match="no body that moves freely"):
        sg.Simulation(model)


@pytest.mark.parametrize("integrator", ["dvi", "hht"])
def test_a_class_in_the_place_of_a_solver_is_refused(integrator: str) -> None:
    with pytest.raises(SolverError, match=r"the class InteriorPoint, expected one of it: InteriorPoint\(\)"):
        sg.Simulation(two_boxes(0.0), solver=sg.InteriorPoint, integrator=integrator)  # type: ignore[arg-type]


def test_a_joint_far_from_its_bodies_is_noticed() -> None:
    model = two_boxes(0.0)
    with pytest.warns(UserWarning, match="joint 'hinge' is 1000 m away from body 'upper'"):
        model.add_revolute(None, "upper", (0, 0, 1000.15), (0, 1, 0), name="hinge")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.add_revolute(None, "lower", (0, 0, 10), (0, 1, 0))


def test_an_error_in_a_motion_names_the_users_line() -> None:
    def motion(t: float) -> Any:
        if t > 0.05:
            raise KeyError("speed of the belt")
        return (0, 0, 5), (1, 0, 0, 0)

    model = two_boxes(0.0)
    model.add_body(sg.Sphere(0.1), motion=motion, name="moved")
    with pytest.raises(
        UserCodeError, match=r"motion of 'moved' at t = .*KeyError.*test_messages.py, line \d+: raise"
    ) as told:
        sg.Simulation(model).run(0.1)
    assert isinstance(told.value.__cause__, KeyError)
    assert "\n" not in str(told.value)


def test_an_error_in_a_force_names_the_users_line() -> None:
    model = two_boxes(0.0)
    model.add_force("upper", lambda t, state: np.ones(3) @ np.ones(4))
    with pytest.raises(UserCodeError, match=r"force on 'upper'.*test_messages.py, line"):
        sg.Simulation(model).run(0.01)


def test_a_model_error_in_a_function_stays_what_it_is() -> None:
    model = two_boxes(0.0)
    with pytest.raises(ModelError, match="expected"):
        model.add_body(sg.Sphere(0.1), motion=lambda t: 1.0, name="moved")  # type: ignore[arg-type,return-value]


def test_the_worst_contact_is_reported_by_names_and_place() -> None:
    model = two_boxes(0.0)
    solver = sg.ProjectedSOR(tolerance=1e-14, max_iterations=1)
    with pytest.warns(UserWarning, match=r"worst between '\w+' and '\w+' at \(.*\) m"):
        sg.Simulation(model, solver=solver).run(0.02)
    step = sg.Simulation(model).advance()
    assert worst_place(model, step, -1) == worst_place(model, step, 99) == ""  # type: ignore[arg-type]


def test_runs_of_few_sweeps_tell_their_accuracy() -> None:
    with pytest.warns(UserWarning, match="iteration limit"):
        run = sg.Simulation(two_boxes(0.0), solver=sg.ProjectedSOR(tolerance=1e-15, max_iterations=2)).run(0.1)
    summary = run.summary()
    assert summary["iteration_limits"] == summary["failures"] > 0
    assert summary["residual_median"] <= summary["residual_max"]
    assert "ended at the iteration limit, errors" in str(summary)
    assert "missed the tolerance" not in str(summary)


class Stuck:
    """Says that it stalled, whatever the answer."""

    name = "stuck"
    tolerance = 1e-8

    def solve(self, problem: sg.ContactProblem, guess: Any = None) -> sg.Solution:
        import dataclasses

        found = sg.ProjectedSOR(max_iterations=1).solve(problem, guess)
        return dataclasses.replace(found, status=Status.STALLED)


def test_a_run_ends_after_many_failed_steps_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signorini.simulation.step_watch.GROSS", 0.0)
    sim = sg.Simulation(two_boxes(0.0), solver=Stuck(), max_failures=7)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="7 steps in a row"):
        run = sim.run(1.0)
    assert len(run.diagnostics) == 6
    assert not run.status.ok
    assert "max_failures" in run.message
    with pytest.raises(SimulationError, match="in a row"):
        sim.advance()


def test_steps_of_good_accuracy_end_no_run() -> None:
    sim = sg.Simulation(two_boxes(0.0), max_failures=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not sim.run(0.05).message
    assert StepWatch(sim.model, 0.01, None).check(sim.state, sim.advance()) is None
    with pytest.raises(ModelError, match="max_failures is 0"):
        sg.Simulation(two_boxes(0.0), max_failures=0)


def test_energies_have_one_name_everywhere() -> None:
    sim = sg.Simulation(two_boxes(0.0, velocity=(1.0, 0.0, 0.0)))
    run = sim.run(0.02)
    last = sim.advance()
    assert run.diagnostics["kinetic_energy"][-1] == run.summary()["kinetic_energy"] == run.channel("kinetic_energy")[-1]
    assert np.array_equal(run.diagnostics["potential_energy"], run.diagnostics["potential"])
    assert last.kinetic_energy + last.potential_energy == last.energy


def test_the_old_name_of_the_step_is_reported() -> None:
    sim = sg.Simulation(two_boxes(0.0), step=0.004)
    with pytest.warns(DeprecationWarning, match=r"now \.step"):
        assert sim.step_size == sim.step == 0.004


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ({}, "curved"),
        ({"law": "coulomb"}, "curved"),
        ({"law": "convex"}, "linear"),
        ({"law": "convex", "gaps": "curved"}, "curved"),
        ({"gaps": "linear"}, "linear"),
    ],
)
def test_gaps_that_are_taken_are_reported(asked: dict[str, Any], taken: str) -> None:
    assert sg.Simulation(two_boxes(-0.05), step=0.005, **asked).run(0.005).settings["gaps"] == taken


@pytest.mark.parametrize("links", [2, 40])
def test_gaps_are_curved_for_any_number_of_joints(links: int) -> None:
    model = sg.Model()
    for k in range(links):
        model.add_body(sg.Sphere(0.01), mass=0.1, position=(k, 0, 0), name=f"link-{k}")
        model.add_spherical(f"link-{k - 1}" if k else None, f"link-{k}", (k - 0.5, 0, 0))
    assert sg.Simulation(model, step=0.005).settings()["gaps"] == "curved"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"record": 3}, "record is 3, expected the name of a file"),
        ({"record": True}, "record is True"),
        ({"callbacks": print}, "expected a list of functions"),
        ({"callbacks": 3}, "expected a list of functions"),
        ({"callbacks": [3]}, "callbacks contain 3"),
        ({"stop": 3}, "stop is 3, expected a function"),
        ({"duration": 1e300}, "more than 1e\\+12 steps"),
    ],
)
def test_wrong_arguments_of_a_run_are_named(given: dict[str, Any], said: str) -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), density=1000, name="ball")
    with pytest.raises(ModelError, match=said):
        sg.Simulation(model, step=0.01).run(**{"duration": 0.1, **given})


def test_help_of_a_material_tells_every_parameter() -> None:
    told = sg.Material.__doc__ or ""
    assert all(f"    {field.name}\n" in told for field in fields(sg.Material))
    assert "[m/N]" in told


def test_states_and_records_of_other_kinds() -> None:
    model, other = sg.Model(), sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0)
    with pytest.raises(ModelError, match="state is 3, expected one such as"):
        sg.Simulation(model, state=3)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="state has 0 bodies, expected 1"):
        sg.Simulation(model, state=other.initial_state())
    with pytest.raises(FileError, match="the record is None, expected the name of a file"):
        sg.Run.load(None)  # type: ignore[arg-type]
