"""Energy that comes from nothing is told once; motors and falls may give as much as they like."""

from __future__ import annotations

import math
import warnings

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
