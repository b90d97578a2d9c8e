"""Energy that comes from nothing is told once; motors and falls may give as much as they like."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.simulation.energy_watch import is_driven


def told(model: sg.Model, duration: float = 0.1, **options: object) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        sg.Simulation(model, step=0.005, **options).run(duration)  # type: ignore[arg-type]
    for one in found:
        if "energy has grown" not in str(one.message):
            warnings.warn(one.message, stacklevel=2)
    return [str(one.message) for one in found if "energy has grown" in str(one.message)]


def balls(gap: float) -> sg.Model:
    model = sg.Model(gravity=(0, 0, 0))
    for k in range(2):
        model.add_body(sg.Sphere(0.1), mass=1.0, position=((0.2 + gap) * k, 0, 0), velocity=(0.01, 0, 0))
    return model


def test_overlaps_that_are_pushed_apart_are_reported() -> None:
    found = told(balls(-0.02), gaps="linear", max_recovery_speed=math.inf)
    assert len(found) == 1
    assert "overlaps" in found[0]
    with pytest.warns(UserWarning, match="overlap by 20 mm at the start"):
        assert told(balls(-0.02), gaps="linear") == [], "overlaps at the start are told of once"
    assert told(balls(0.02), gaps="linear") == []
    assert told(balls(-0.02), gaps="linear", max_recovery_speed=1e-4) == []


def test_falling_bouncing_and_sliding_bodies_are_not_reported() -> None:
    model = sg.Model()
    material = sg.Material(0.3, restitution=1.0)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material)
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.2), velocity=(1, 0, 0), material=material)
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=1.0, position=(1, 0, 0.05), velocity=(0, 1, 0))
    assert told(model, 1.0) == []


def test_what_drives_a_model() -> None:
    model = sg.Model()
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=1.0, name="box")
    hinge = model.add_revolute(None, "box", (0, 0, 0), (0, 0, 1), friction=0.1)
    assert not is_driven(model)
    model.add_brake(hinge, 1.0)
    assert not is_driven(model)
    model.add_motor(hinge, speed=10.0)
    assert is_driven(model)
    assert told(model, 0.05) == []

    belt = sg.Model()
    belt.add_fixed_body(sg.HalfSpace((0, 0, 1)), surface_velocity=(1, 0, 0))
    belt.add_body(sg.Box((0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 0.05))
    assert is_driven(belt)


def test_a_model_that_is_driven_by_a_force() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=1.0, name="ball")
    model.add_force("ball", (1, 0, 0))
    assert is_driven(model)
    assert told(model) == []


@pytest.mark.parametrize("spin", [2.0])
def test_tops_that_spin_freely_are_not_reported(spin: float) -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Box((0.1, 0.2, 0.3)), mass=1.0, angular_velocity=spin * np.array([1.0, 2.0, 0.5]))
    assert told(model, 1.0) == []


def test_wrenches_and_states_that_are_put_back() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=1.0, velocity=(1, 0, 0), name="ball")
    sim = sg.Simulation(model, step=0.005)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = sim.snapshot()
        sim.apply_force("ball", (500, 0, 0))
        sim.advance()
        sim.apply_force("ball", (-690, 0, 0))
        sim.advance()
        sim.advance()
        sim.restore(kept)
        sim.advance()
        sim.reset()
        sim.advance()


def linkage() -> sg.Model:
    """A light link between a body that turns by 5 rad in a step and a heavy one: solved steps gain energy."""
    model = sg.Model(gravity=(0, 0, 0))
    size = (1.0, 0.7, 0.5)
    spin, velocity = (-50.0, 300.0, -210.0), (30.0, -50.0, 20.0)
    model.add_body(sg.Box(size), mass=1.0, velocity=velocity, angular_velocity=spin, name="a")
    model.add_body(sg.Box(size), mass=1e-3, position=(1.0, 0, 0), name="b")
    model.add_body(sg.Box(size), mass=1e3, position=(2.0, 0.3, 0), name="c")
    model.add_spherical("a", "b", position=(0.5, 0.2, 0.1))
    model.add_revolute("b", "c", position=(1.5, 0.1, 0.2), axis=(0, 0.6, 0.8))
    return model


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("recorded", [False, True])
def test_solved_steps_whose_energy_bursts_end_the_run(tmp_path: Path, recorded: bool) -> None:
    sim = sg.Simulation(linkage(), step=0.02)
    run = sim.run(2.0, record=tmp_path / "run.h5" if recorded else None)
    assert re.search(r"diverged: it was solved, but energy has grown from .* J", run.message)
    assert sim.failed
    assert sim.number == len(run.times) - 1 < 60
    kinetic = run.diagnostics["kinetic_energy"]
    assert kinetic[-1] < 2.1e3 * kinetic[0], "the last good state"
    with pytest.raises(sg.SignoriniError, match="energy has grown"):
        sim.advance()
    sim.reset()
    assert not sim.failed


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_such_a_world_of_a_batch_stands_still() -> None:
    batch = sg.Batch(linkage(), 2, step=0.02, threads=1)
    calm = batch.worlds[1].state.copy()
    calm.velocity[:] = calm.angular_velocity[:] = 0.0
    batch.reset([1], [calm])
    for _ in range(10):
        batch.step(steps=10)
    assert batch.failed.tolist() == [True, False]
    assert batch.worlds[0].number < 100 == batch.worlds[1].number
    assert not batch.reset([0]).ok.sum() < 2


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_somebody_adds_after_the_warning_ends_nothing() -> None:
    sim = sg.Simulation(linkage(), step=0.02)
    while sim.last_step is None or sim.number < 2:
        sim.advance()
    fast = sim.state.copy()
    sim.apply_force("c", (1e9, 0.0, 0.0))
    sim.advance()
    assert not sim.failed
    assert np.linalg.norm(sim.state.velocity - fast.velocity) > 1e3
