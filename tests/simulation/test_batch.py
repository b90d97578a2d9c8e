"""Many worlds of one model: each as if it were alone."""

from __future__ import annotations

import math
import sys
import warnings

import numpy as np
import pytest

import signorini as sg
from signorini.functions import Ramp, Setpoint
from signorini.problem.errors import ModelError, SignoriniError, SimulationError
from signorini.simulation.seats import NOT_COMPILED
from signorini.stepping.compiled import worlds as flat
from signorini.stepping.dvi import Gaps


def slider(friction: float = 0.3, mass: float = 1.0) -> sg.Model:
    """A box on a floor, and an arm over it that a servo turns and that may strike it."""
    model = box_and_arm(friction, mass)
    model.add_servo("hinge", stiffness=50.0, damping=2.0, limit=20.0, name="servo")
    return model


def crank(friction: float = 0.3, mass: float = 1.0, speed: float = 0.0) -> sg.Model:
    """The same with a motor that holds an angle, and a second arm that turns steadily."""
    model = box_and_arm(friction, mass)
    model.add_motor("hinge", angle=Setpoint(), name="motor")
    model.add_body(sg.Capsule(0.02, 0.3), mass=0.5, position=(0, 1, 0.8), name="fan")
    model.add_revolute(None, "fan", position=(0, 1, 0.8), axis=(0, 1, 0), name="shaft")
    model.add_motor("shaft", angle=Ramp(speed), name="turn")
    return model


def box_and_arm(friction: float, mass: float) -> sg.Model:
    model = sg.Model()
    rough = sg.Material(friction=friction)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=rough, name="floor")
    model.add_body(sg.Box((0.1, 0.1, 0.2)), mass=mass, position=(0.2, 0, 0.1), material=rough, name="box")
    model.add_body(sg.Capsule(0.02, 0.3), mass=0.5, position=(0, 0, 0.25), name="arm")
    model.add_revolute(None, "arm", position=(0, 0, 0.4), axis=(0, 1, 0), name="hinge")
    return model


TARGETS = np.array([[-0.6], [-1.2], [-1.4], [0.5], [-1.0]])


def alone(k: int, steps: int, model: sg.Model) -> sg.Simulation:
    sim = sg.Simulation(model, step=0.004, seed=k)
    for _ in range(steps):
        sim.motors.target = TARGETS[k]
        sim.advance()
    return sim


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_world_is_as_if_it_were_alone(threads: int) -> None:
    batch = sg.Batch(slider(), 5, step=0.004, threads=threads)
    assert (batch.motors, batch.joints) == (("servo",), ("hinge",))
    for _ in range(10):
        worlds = batch.step(TARGETS, steps=12)
    batch.close()
    assert worlds.ok.all()
    assert (worlds.residual < 1e-7).all()
    moved = 0
    for k in range(5):
        sim = alone(k, 120, slider())
        np.testing.assert_array_equal(worlds.position[k], sim.state.position)
        np.testing.assert_array_equal(worlds.angular_velocity[k], sim.state.angular_velocity)
        np.testing.assert_array_equal(worlds.joint_position[k], sim.joints.position)
        np.testing.assert_allclose(worlds.joint_velocity[k], sim.joints.velocity, rtol=1e-12)
        np.testing.assert_array_equal(worlds.contact_force[k], sim.contact_force())
        moved += sim.state.position[1, 0] > 0.201
    assert 0 < moved < 5, "some boxes are pushed, others not"
    np.testing.assert_allclose(worlds.time, 0.48)


def test_parameters_differ_from_world_to_world() -> None:
    friction = np.array([0.0, 0.2, 0.6])
    batch = sg.Batch(slider, 3, parameters={"friction": friction}, step=0.004, threads=1)
    for sim in batch.worlds:
        sim.wrenches["box"] = (4.0, 0, 0, 0, 0, 0)
    worlds = batch.step(steps=50)
    speeds = worlds.velocity[:, 1, 0]
    np.testing.assert_allclose(speeds, [0.2 * 4.0, 0.2 * (4.0 - 0.2 * 9.81), 0.0], atol=1e-3)


def test_single_worlds_are_reset() -> None:
    batch = sg.Batch(slider(), 3, step=0.004, threads=2)
    first = batch.step(TARGETS[:3], steps=30)
    there = batch.worlds[0].model.initial_state()
    there.position[1, 0] = 1.0
    again = batch.reset([1, 2], [there, there])
    np.testing.assert_array_equal(again.position[0], first.position[0])
    np.testing.assert_array_equal(again.position[1:, 1, 0], 1.0)
    np.testing.assert_array_equal(again.time, [0.12, 0.0, 0.0])
    assert repr(again).startswith("Worlds(3 of 3 bodies, t = 0 to 0.12 s, 3 solved, error ")
    np.testing.assert_array_equal(batch.worlds[1].motors.target, 0.0)
    batch.reset()
    np.testing.assert_array_equal(batch.step(TARGETS[:3], steps=30).position, first.position)


def test_a_world_that_fails_waits_for_its_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = sg.Batch(slider(), 3, step=0.004, threads=1)
    batch.step(TARGETS[:3])
    bad = batch.worlds[1]
    failure = type("Failure", (), {"message": "it burst"})()
    monkeypatch.setattr(bad, "_failure", failure)
    monkeypatch.setattr(bad, "advance", lambda: None)
    worlds = batch.step(TARGETS[:3], steps=5)
    np.testing.assert_array_equal(worlds.ok, [True, False, True])
    assert batch.step(TARGETS[:3]).ok.tolist() == [True, False, True], "it is not stepped"
    monkeypatch.undo()
    assert batch.reset([1]).ok.all()
    assert batch.step(TARGETS[:3]).ok.all()


def test_bad_input_says_what_was_expected() -> None:
    batch = sg.Batch(slider(), 2, step=0.004, threads=1)
    cases = [
        (lambda: batch.step(np.zeros((3, 1))), r"\(2, 1\)"),
        (lambda: batch.step(np.full((2, 1), math.nan)), "finite"),
        (lambda: batch.step("x"), "no array of numbers"),  # type: ignore[arg-type]
        (lambda: batch.step(steps=0), "steps is 0, expected 1"),
        (lambda: batch.step(steps=1.5), "steps is 1.5, expected 1"),  # type: ignore[arg-type]
        (lambda: batch.reset([2]), "from 0 to 1"),
        (lambda: batch.reset([0.5]), "no world 0.5"),  # type: ignore[list-item]
        (lambda: batch.reset("a"), "no world 'a'"),  # type: ignore[arg-type]
        (lambda: sg.Batch(slider(), 2, seed="x"), "seed is 'x'"),
        (lambda: batch.reset([0], []), "0 states"),
        (lambda: sg.Batch(slider(), 0), "1 or more"),
        (lambda: sg.Batch(slider(), 2, threads=0), "1 or more"),
        (lambda: sg.Batch(slider(), 2, parameters={"friction": [1, 2]}), "function that builds"),
        (lambda: sg.Batch(slider, 2, parameters={"friction": [1.0]}), "one for each of 2"),
        (lambda: sg.Batch(slider, 2, parameters={"frction": [1, 2]}), "did you mean 'friction'"),
        (lambda: sg.Batch("walker", 2), "expected a Model"),  # type: ignore[arg-type]
    ]
    for call, words in cases:
        with pytest.raises(SignoriniError, match=words):
            call()
    closure = slider()
    closure.add_motor("hinge", torque=lambda time: time)
    with pytest.raises(SimulationError, match="top of a module"):
        sg.Batch(closure, 2)

    def uneven(k: int) -> sg.Model:
        model = slider()
        if k:
            model.add_motor("hinge", torque=Setpoint(), name="more")
        return model

    with pytest.raises(ModelError, match="other motors"):
        sg.Batch(uneven, 2, parameters={"k": [0, 1]})


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("steps", [1, 12])
@pytest.mark.parametrize("gaps", ["linear", "curved"])
def test_worlds_in_one_call_are_as_if_they_were_alone(threads: int, steps: int, gaps: Gaps) -> None:
    speeds = [0.0, 1.0, 2.0, 3.0, -1.0]
    batch = sg.Batch(crank, 5, parameters={"speed": speeds}, step=0.004, threads=threads, gaps=gaps)
    batch.worlds[2].wrenches["box"] = (1.5, 0, 0, 0, 0, 0)  # this one needs Python
    goals = np.zeros((5, 1))
    for k in range(120 // steps):
        goals = np.maximum(TARGETS, -0.1 * (k + 1) * steps / 12)
        worlds = batch.step(goals, np.zeros((5, 1)), steps=steps)
    batch.close()
    assert worlds.ok.all()
    assert (worlds.residual < 1e-7).all()
    left = batch.left_to_python
    assert left.pop(NOT_COMPILED) == 120, "of the world with a wrench"
    assert sum(left.values()) < 20
    moved = 0
    for k in range(5):
        sim = sg.Simulation(crank(speed=speeds[k]), step=0.004, seed=k, gaps=gaps)
        if k == 2:
            sim.wrenches["box"] = (1.5, 0, 0, 0, 0, 0)
        for i in range(120):
            sim.motors.target = np.maximum(TARGETS[k], -0.1 * (i // steps + 1) * steps / 12)
            sim.advance()
        np.testing.assert_array_equal(worlds.position[k], sim.state.position)
        np.testing.assert_array_equal(worlds.angular_velocity[k], sim.state.angular_velocity)
        np.testing.assert_array_equal(worlds.contact_force[k], sim.contact_force())
        assert batch.worlds[k].number == sim.number == 120
        assert batch.worlds[k].last_step is not None
        np.testing.assert_array_equal(batch.worlds[k].last_step.problem.b_lambda, sim.last_step.problem.b_lambda)
        moved += sim.state.position[1, 0] > 0.201
    assert 0 < moved < 5, "some boxes are pushed, others not"


def python_calls(worlds: int, model: sg.Model) -> int:
    """Of Python functions in a step of all worlds with their targets."""
    batch = sg.Batch(model, worlds, step=0.004, threads=2)
    targets, calls = np.zeros((worlds, len(batch.motors))), 0
    batch.step(targets, steps=5)

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    found = []
    for _ in range(3):  # what is loaded once, or collected in between, is in one of them at most
        calls = 0
        sys.setprofile(count)
        try:
            batch.step(targets)
        finally:
            sys.setprofile(None)
        found.append(calls)
    assert not batch.left_to_python
    return min(found)


@pytest.mark.parametrize("kind", ["servo", "motor", "torque"])
def test_a_step_calls_python_as_often_for_any_number_of_worlds(kind: str) -> None:
    model = box_and_arm(0.3, 1.0)
    if kind == "servo":
        model.add_servo("hinge", stiffness=50.0, damping=2.0, limit=20.0)
    elif kind == "motor":
        model.add_motor("hinge", angle=Setpoint())
    else:
        model.add_motor("hinge", torque=Setpoint())
    assert python_calls(3, model) == python_calls(12, model) < 200


def test_worlds_may_be_read_and_set_at_any_time() -> None:
    """Simulations that somebody holds are as far as their batch, and the batch goes on from where they are put."""
    batch, sims = sg.Batch(crank(), 3, step=0.004, threads=2), [sg.Simulation(crank(), step=0.004) for _ in range(3)]
    held, goals = list(batch.worlds), np.full((3, 1), -0.2)
    batch.step(goals, steps=4)
    for sim in sims:
        sim.motors.target = [-0.2]
        for _ in range(4):
            sim.advance()
    for mine, his in zip(held, sims, strict=True):
        assert (mine.number, mine.time) == (his.number, his.time)
        np.testing.assert_array_equal(mine.motors.target, his.motors.target)
        np.testing.assert_array_equal(mine.contact_force(), his.contact_force())
        np.testing.assert_array_equal(mine.state.orientation, his.state.orientation)
    for world in (held[1], sims[1]):
        world.motors.target = [-0.3]  # by itself, not by the batch
    kept = held[2].snapshot(), sims[2].snapshot()
    for world in (held[0], sims[0]):
        world.advance()
    batch.step()
    for world in sims:
        world.advance()
    held[2].restore(kept[0])
    sims[2].restore(kept[1])
    found = batch.step(steps=3)
    for k, sim in enumerate(sims):
        for _ in range(3):
            sim.advance()
        assert found.time[k] == sim.time == held[k].time
        np.testing.assert_array_equal(found.velocity[k], sim.state.velocity)
        np.testing.assert_array_equal(found.contact_force[k], sim.contact_force())


def test_rows_that_are_too_short_are_made_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = sg.Batch(slider(), 3, step=0.004, threads=2).step(TARGETS[:3], steps=30)
    monkeypatch.setattr(flat, "ROOM", (64, 32))
    batch = sg.Batch(slider(), 3, step=0.004, threads=2)
    np.testing.assert_array_equal(batch.step(TARGETS[:3], steps=30).position, usual.position)
    assert sum(batch.left_to_python.values()) < 5


def test_warnings_of_worlds_are_those_of_the_simulation() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), density=1000, angular_velocity=(0, 0, 400.0), name="top")
    batch = sg.Batch(model, 2, step=0.004, threads=1)
    with pytest.warns(UserWarning, match="'top' turns by 1.6 rad") as told:
        batch.step(steps=3)
    assert len(told) == 2, "each world once"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch.step(steps=3)
    assert batch.read().time.tolist() == [0.024, 0.024]
