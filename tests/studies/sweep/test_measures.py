"""Measures by name, as expressions and as functions, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.problem.errors import SignoriniError, StudyError
from signorini.simulation.run import Run
from signorini.studies.sweep.expressions import Expression
from signorini.studies.sweep.measures import measures_of


@pytest.fixture(scope="module")
def run() -> Run:
    """A box of 2 kg rests on a fixed floor, a ball falls freely beside it for 0.1 s."""
    model = sg.Model()
    model.add_fixed_body(sg.Box((4.0, 4.0, 0.2)), position=(0, 0, -0.1), name="floor")
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=2.0, position=(0, 0, 0.1), name="box")
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(1, 0, 5.0), name="ball")
    return sg.Simulation(model, step=0.002, solver=sg.InteriorPoint(tolerance=1e-10)).run(0.1)


def test_contact_force_is_the_weight(run: Run) -> None:
    weight = 2.0 * 9.81
    assert Expression("last(force(box))")(run) == pytest.approx(weight, rel=1e-6)
    assert Expression("last(force(box, floor))")(run) == pytest.approx(weight, rel=1e-6)
    assert Expression("last(force(floor, box)) / 9.81")(run) == pytest.approx(2.0, rel=1e-6)
    assert Expression("max(force(ball))")(run) == 0.0
    assert Expression("max(force(box, ball))")(run) == 0.0


def test_expressions_agree_with_the_arrays_of_the_run(run: Run) -> None:
    height = run.position("ball")[:, 2]
    assert Expression("last(position(ball).z)")(run) == height[-1]
    assert Expression("first(position('ball').z) - min(position(ball).z)")(run) == height[0] - height.min()
    assert Expression("max(speed(ball))")(run) == pytest.approx(np.abs(run.velocity("ball")[:, 2]).max())
    assert Expression("rms(velocity(ball).z)")(run) == pytest.approx(np.sqrt(np.mean(run.velocity("ball")[:, 2] ** 2)))
    assert Expression("-2 * mean(kinetic) ** 0.5")(run) == pytest.approx(-2 * run.diagnostics["kinetic"].mean() ** 0.5)
    assert Expression("max(norm(velocity(ball)))")(run) == Expression("max(speed(ball))")(run)


def test_settling_time_is_when_a_channel_stays_near_its_end(run: Run) -> None:
    # The ball's speed grows evenly: it is within 1 % of its end in the last hundredth of the time.
    assert Expression("settling_time(speed(ball))")(run) == pytest.approx(0.1, abs=0.004)
    assert Expression("settling_time(position(box).x)")(run) <= 0.1


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("max(", "no expression"),
        ("__import__('os').system('true')", "not understood"),
        ("max(speed(box)", "no expression"),
        ("open('x')", "'open' in"),
        ("max(sped(box))", "did you mean 'speed'"),
        ("kinetics", "did you mean 'kinetic'"),
        ("(lambda: 1)()", "not understood"),
        ("position(box).real", "not understood"),
        ("max(speed(1))", "needs the name"),
        ("max(speed(box), 2)", "one argument"),
        ("[1, 2]", "not understood"),
        ("'text'", "not understood"),
        ("True if 1 else 2", "not understood"),
    ],
)
def test_nothing_but_arithmetic_is_understood(text: str, word: str) -> None:
    with pytest.raises(StudyError, match=word):
        Expression(text)


def test_names_with_hyphens_are_read_as_they_stand() -> None:
    model = sg.Model()
    for name in ("ball-3", "left-arm-2"):
        model.add_body(sg.Sphere(0.1), density=1000.0, position=(0, 0, len(name)), name=name)
    run = sg.Simulation(model, step=0.01).run(0.01)
    text = "first(position(left-arm-2).z) - first(position(ball-3).z)"
    assert Expression(text)(run) == pytest.approx(len("left-arm-2") - len("ball-3"))
    with pytest.raises(StudyError, match=r"such as force\(box\) or force\('ball 3'\)"):
        Expression("max(force(ball / 3))")


def test_an_array_is_no_measure(run: Run) -> None:
    with pytest.raises(StudyError, match="take a component"):
        Expression("position(box)")(run)
    with pytest.raises(SignoriniError, match="no body 'bax'"):
        Expression("max(force(bax))")(run)


def test_measures_in_all_forms(run: Run) -> None:
    def height(run: Run) -> float:
        return float(run.position("box")[-1, 2])

    found = measures_of(["energy", "top=max(position(ball).z)", height, "pose(box)", "peak_contact_force"])
    numbers = {key: value for measure in found for key, value in measure.numbers(run).items()}
    assert numbers["energy"] == run.summary()["energy"]
    assert numbers["top"] == 5.0
    assert numbers["height"] == numbers["box_z"] == pytest.approx(0.1, abs=1e-6)
    assert numbers["box_qw"] == pytest.approx(1.0, abs=1e-6)
    assert 2.0 * 9.81 / 4 <= float(numbers["peak_contact_force"] or 0) <= 2.0 * 9.81 * 1.001
    assert [m.name for m in measures_of({"a": "energy", "b": height})] == ["a", "b"]
    assert measures_of(None)


def test_bad_measures_say_what_to_type(run: Run) -> None:
    with pytest.raises(StudyError, match="there is no measure 'energi'"):
        measures_of("energi")
    with pytest.raises(StudyError, match="two measures are called 'energy'"):
        measures_of(["energy", "energy"])
    with pytest.raises(StudyError, match="expected a name"):
        measures_of([3])  # type: ignore[list-item]
    with pytest.raises(StudyError, match="gave str, expected a number"):
        measures_of({"a": lambda run: "text"})[0].numbers(run)  # type: ignore[arg-type,return-value]


def test_joints_can_be_measured() -> None:
    run = sg.Simulation(sg.SCENES["pendulum"].build(angle=60.0), step=0.002).run(0.02)
    assert Expression("max(abs(rate(hinge)))")(run) == pytest.approx(np.abs(run.joint_rate("hinge")).max())
    assert Expression("last(angle(hinge)) - first(angle(hinge))")(run) == pytest.approx(
        run.joint_coordinate("hinge")[-1] - run.joint_coordinate("hinge")[0]
    )
    assert Expression("max(joint_force(hinge))")(run) > 0.0
