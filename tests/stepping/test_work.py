"""Work of contacts, friction, motors and forces: closed forms, and the balance of the energy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.integrators import Penalty
from signorini.io.diagnostics import WORKS
from signorini.scenes import SCENES

GRAVITY, H = 9.81, 1e-3
UP = (0.0, 0.0, 1.0)


def run(model: sg.Model, time: float, compiled: bool = True, step: float = H) -> dict[str, Any]:
    sim = sg.Simulation(model, step=step)
    if not compiled:
        sim._driver = replace(sim._driver, compiled=None)  # type: ignore[type-var]
    return sim.run(time).summary()


def others(summary: dict[str, Any], *names: str) -> float:
    return float(sum(abs(summary[f"work_{name}"]) for name in WORKS if name not in names))


def block(friction: float, velocity: tuple[float, float, float], height: float = 0.1) -> sg.Model:
    model, rough = sg.Model(), sg.Material(friction=friction)
    model.add_fixed_body(sg.HalfSpace(), material=rough)
    model.add_body(sg.Box((0.4, 0.4, 0.2)), mass=2.0, position=(0, 0, height), velocity=velocity, material=rough)
    return model


def lift(**motor: Any) -> sg.Model:
    """3 kg on a vertical slide with a motor."""
    model = sg.Model()
    model.add_body(sg.Sphere(0.05), mass=3.0, name="load")
    slide = model.add_prismatic(None, "load", position=(0, 0, 0), axis=UP, name="slide")
    if "stiffness" in motor:
        model.add_servo(slide, **motor)
    else:
        model.add_motor(slide, **motor)
    return model


@pytest.mark.parametrize("compiled", [True, False])
def test_friction_takes_all_of_a_slide(compiled: bool) -> None:
    model, speed, mu = block(0.3, (1.0, 0.0, 0.0)), 1.0, 0.3
    sim = sg.Simulation(model, step=H)
    if not compiled:
        sim._driver = replace(sim._driver, compiled=None)  # type: ignore[type-var]
    done = sim.run(0.5)
    found, way = done.summary(), float(done.position(1)[-1, 0])
    assert found["work_friction"] == pytest.approx(-0.5 * 2.0 * speed**2, rel=1e-6)
    # The path is of first order in the step.
    assert found["work_friction"] == pytest.approx(-mu * 2.0 * GRAVITY * way, rel=4.0 * H * mu * GRAVITY / speed)
    assert others(found, "friction") < 1e-9
    assert abs(found["work_remainder"]) < 1e-9


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "motor", [{"speed": 0.5}, {"force": 3.0 * (GRAVITY + 0.5)}, {"stiffness": 0.0, "damping": 4e4}]
)
def test_motors_lift_a_weight(compiled: bool, motor: dict[str, Any]) -> None:
    if "stiffness" in motor:
        motor = {**motor, "target": lambda time: 0.5 * time}
    sim = sg.Simulation(lift(**motor), step=H)
    if not compiled:
        sim._driver = replace(sim._driver, compiled=None)  # type: ignore[type-var]
    done = sim.run(1.0)
    found, height, speed = done.summary(), float(done.position("load")[-1, 2]), float(done.velocity("load")[-1, 2])
    lifted = 3.0 * GRAVITY * (height - 0.5 * H * speed) + 0.5 * 3.0 * speed**2
    assert height > 0.2
    assert found["work_motors"] == pytest.approx(lifted, rel=1e-9)
    assert others(found, "motors") < 1e-9
    assert abs(found["work_remainder"]) < 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_bounce_loses_what_restitution_says(restitution: float) -> None:
    model, material = sg.Model(), sg.Material(friction=0.0, restitution=restitution)
    model.add_fixed_body(sg.HalfSpace(), material=material)
    model.add_body(sg.Sphere(0.1), mass=2.0, position=(0, 0, 0.6), material=material)
    found = run(model, 0.4)
    fall = 2.0 * GRAVITY * 0.5
    assert found["work_contacts"] == pytest.approx(-(1.0 - restitution**2) * fall, rel=0.02, abs=0.02 * fall)
    assert others(found, "contacts") < 1e-9
    assert abs(found["work_remainder"]) < 0.02 * fall


@pytest.mark.parametrize("compiled", [True, False])
def test_dampers_lose_and_springs_do_not(compiled: bool) -> None:
    ends = {}
    for damping in (0.0, 2.0):
        model = sg.Model(gravity=(0, 0, 0))
        model.add_body(sg.Sphere(0.05), mass=1.0, position=(0.6, 0, 0), name="load")
        model.add_prismatic(None, "load", position=(0.6, 0, 0), axis=(1, 0, 0))
        model.add_spring(None, "load", (0, 0, 0), (0.6, 0, 0), stiffness=100.0, damping=damping, length=0.5)
        found = run(model, 2.0, compiled)
        ends[damping] = found
        assert others(found, "forces") < 1e-9
        assert abs(found["work_remainder"]) < 1e-9
        assert found["energy"] - found["energy_start"] == pytest.approx(found["work_forces"], abs=1e-9)
    assert abs(ends[0.0]["work_forces"]) < 1e-4 * 0.5
    # x'' + 2 x' + 100 x = 0: the energy falls as exp(-2 t), up to its ripple.
    assert ends[2.0]["work_forces"] == pytest.approx(-0.5 * (1.0 - np.exp(-4.0)), rel=0.01)


def test_a_body_with_a_motion_does_work_by_contact() -> None:
    model, rough = sg.Model(), sg.Material(friction=0.5)
    model.add_body(
        sg.Box((1, 1, 0.2)), position=(0, 0, -0.1), material=rough,
        motion=lambda time: ((0.0, 0.0, -0.1 + 0.5 * 0.4 * time**2), (1.0, 0.0, 0.0, 0.0)),
    )  # fmt: skip
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=2.0, position=(0, 0, 0.1), material=rough, name="load")
    found = run(model, 1.0)
    assert found["work_contacts"] == pytest.approx(2.0 * (GRAVITY * 0.2 + 0.5 * 0.4**2), rel=5e-3)
    assert others(found, "contacts") < 1e-6
    assert abs(found["work_remainder"]) < 1e-2 * found["work_contacts"]


def test_applied_forces_and_brakes() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.05), mass=2.0, name="load")
    slide = model.add_prismatic(None, "load", position=(0, 0, 0), axis=(1, 0, 0))
    model.add_brake(slide, 3.0)
    model.add_force("load", (5.0, 0.0, 0.0))
    sim = sg.Simulation(model, step=H)
    done = sim.run(1.0)
    found, way, speed = done.summary(), float(done.position("load")[-1, 0]), float(done.velocity("load")[-1, 0])
    middle = way - 0.5 * H * speed
    assert found["work_forces"] == pytest.approx(5.0 * middle, rel=1e-9)
    assert found["work_brakes"] == pytest.approx(-3.0 * middle, rel=1e-6)
    assert 0.5 * 2.0 * speed**2 == pytest.approx(2.0 * middle, rel=1e-6)


@pytest.mark.parametrize("scene", ["walker", "gripper", "four-bar", "domino"])
def test_compiled_and_general_steps_agree(scene: str) -> None:
    found = []
    for compiled in (True, False):
        sim = sg.Simulation(SCENES[scene].build(), step=SCENES[scene].step)
        if not compiled:
            sim._driver = replace(sim._driver, compiled=None)  # type: ignore[type-var]
        found.append(sim.run(40 * SCENES[scene].step).summary())
    size = max(abs(found[0][f"work_{name}"]) for name in WORKS)
    for name in (*WORKS, "remainder"):
        assert found[0][f"work_{name}"] == pytest.approx(found[1][f"work_{name}"], abs=1e-4 * size + 1e-12)


def test_what_is_not_known_is_not_reported() -> None:
    sim = sg.Simulation(block(0.3, (1.0, 0.0, 0.0)), step=H, integrator="hht", contact=Penalty())
    found = sim.run(0.01).summary()
    assert found["work_friction"] is None
    assert found["work_remainder"] is None
    assert "work" not in str(found)
