"""Servos: gains, limits, targets as arrays."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.functions import Setpoint
from signorini.integrators import HHT
from signorini.problem.errors import ModelError
from signorini.simulation.drivers import DviDriver

INERTIA = 2.0 * (1.0 + 0.05**2) / 12.0 + 2.0 * 0.25
"""Of the bar about its hinge [kg m2]."""


def bar(gravity: float = 0.0, **servo: Any) -> sg.Model:
    """A bar on a horizontal hinge with a servo."""
    model = sg.Model(gravity=(0, 0, -gravity))
    model.add_body(sg.Box((1.0, 0.05, 0.05)), mass=2.0, position=(0.5, 0, 0), name="bar")
    model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model.add_servo("hinge", name="servo", **servo)
    return model


def run(model: sg.Model, steps: int, step: float = 1e-3, **target: float) -> sg.Simulation:
    sim = sg.Simulation(model, step=step)
    if target:
        sim.motors.set([target.get("target", 0.0)], [target.get("rate", 0.0)])
    for _ in range(steps):
        sim.advance()
    return sim


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e9])
def test_stiff_gains_are_stable_and_reach_the_target(stiffness: float) -> None:
    damping = 2.0 * math.sqrt(stiffness * INERTIA)
    sim = run(bar(9.81, stiffness=stiffness, damping=damping), 1500, step=2e-3, target=0.4)
    droop = 2.0 * 9.81 * 0.5 * math.cos(0.4) / stiffness
    assert sim.joints.position[0] == pytest.approx(0.4 + droop, rel=0.02)
    assert abs(sim.joints.velocity[0]) < 1e-6
    assert sim.motor_efforts[0] == pytest.approx(-2.0 * 9.81 * 0.5 * math.cos(sim.joints.position[0]), rel=1e-3)


def test_a_servo_without_stiffness_follows_a_speed() -> None:
    sim = run(bar(stiffness=0.0, damping=50.0), 1000, rate=1.5)
    assert sim.joints.velocity[0] == pytest.approx(1.5, rel=1e-6)


@pytest.mark.parametrize("stiffness", [30.0, 1e4, 1e8])
def test_limits_hold_whatever_the_gains(stiffness: float) -> None:
    """From rest to a far target: the effort is the limit, and the bar speeds up by limit / inertia."""
    model = bar(stiffness=stiffness, damping=stiffness, limit=3.0)
    sim = run(model, 100, target=1.0)
    assert sim.motor_efforts[0] == pytest.approx(3.0)
    assert sim.joints.velocity[0] == pytest.approx(3.0 / INERTIA * 0.1, rel=1e-3)
    for _ in range(5000):
        sim.advance()
        assert abs(sim.motor_efforts[0]) <= 3.0 * (1 + 1e-8)
    assert sim.joints.position[0] == pytest.approx(1.0, abs=0.05), "it settles without chatter"
    assert abs(sim.joints.velocity[0]) < 0.05


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    free = run(bar(9.81, stiffness=100.0, damping=10.0), 50, target=0.3)
    limited = run(bar(9.81, stiffness=100.0, damping=10.0, limit=1e3), 50, target=0.3)
    np.testing.assert_array_equal(free.state.position, limited.state.position)


def test_the_general_and_the_compiled_step_agree() -> None:
    states = []
    for gaps in ("linear", "curved"):
        sim = sg.Simulation(bar(9.81, stiffness=200.0, damping=10.0, limit=15.0), step=1e-3, gaps=gaps)  # type: ignore[arg-type]
        sim.motors.target = [-0.8]
        for _ in range(400):
            sim.advance()
        states.append(sim.joints.position[0])
    assert states[0] == pytest.approx(states[1], abs=2e-3)


def test_general_step_takes_the_same_servo_exactly() -> None:
    compiled = sg.Simulation(bar(9.81, stiffness=200.0, damping=10.0, limit=15.0), step=1e-3)
    general = sg.Simulation(bar(9.81, stiffness=200.0, damping=10.0, limit=15.0), step=1e-3)
    assert isinstance(general._driver, DviDriver)
    general._driver = replace(general._driver, compiled=None)
    for sim in (compiled, general):
        sim.motors.target = [-0.8]
        for _ in range(200):
            sim.advance()
    np.testing.assert_allclose(compiled.joints.position, general.joints.position, atol=1e-9)
    np.testing.assert_allclose(compiled.motor_efforts, general.motor_efforts, atol=1e-6)


def test_smooth_dynamics_take_servos_with_limits() -> None:
    sim = sg.Simulation(bar(stiffness=1e4, damping=500.0, limit=3.0), step=1e-3, integrator=HHT())
    sim.motors.target = [1.0]
    for _ in range(100):
        sim.advance()
    assert sim.joints.velocity[0] == pytest.approx(3.0 / INERTIA * 0.1, rel=1e-2)


def test_targets_of_all_kinds_are_one_array() -> None:
    model = sg.Model(gravity=(0, 0, 0))
    for k in range(4):
        model.add_body(sg.Sphere(0.1), mass=1.0, position=(k, 0, 0), name=f"b{k}")
        model.add_prismatic(None, f"b{k}", axis=(0, 0, 1), name=f"j{k}")
    model.add_servo("j0", stiffness=100.0, damping=20.0, name="servo")
    model.add_motor("j1", position=Setpoint(), name="position")
    model.add_motor("j2", force=Setpoint(), name="force")
    model.add_brake("j3", limit=5.0, speed=Setpoint(), name="clutch")
    sim = sg.Simulation(model, step=1e-3)
    assert sim.motors.names == ("position", "force", "servo", "clutch")
    sim.motors.target = [0.01, 3.0, 0.02, 0.5]
    np.testing.assert_array_equal(sim.motors.target, [0.01, 3.0, 0.02, 0.5])
    sim.advance()
    expected = [0.01 / 1e-3**2, 3.0, 0.02 * 100.0 / (1 + 0.02 + 1e-4), 5.0]
    np.testing.assert_allclose(sim.motor_efforts, expected, rtol=1e-6)
    np.testing.assert_allclose(sim.joints.velocity, np.array(expected)[[2, 0, 1, 3]] * 1e-3, rtol=1e-6)
    with pytest.raises(ModelError, match="shape"):
        sim.motors.target = [1.0]
    with pytest.raises(ModelError, match="'servo' is nan"):
        sim.motors.target = [0.0, 0.0, math.nan, 0.0]
    with pytest.raises(ModelError, match="servo"):
        sim.motors.index("serv")


def test_a_record_with_servos_goes_on_bit_for_bit(tmp_path: Path) -> None:
    whole = sg.Simulation(bar(9.81, stiffness=200.0, damping=10.0, limit=15.0, target=-0.8), step=1e-3)
    part = sg.Simulation(bar(9.81, stiffness=200.0, damping=10.0, limit=15.0, target=-0.8), step=1e-3)
    whole.run(0.2)
    part.run(0.1, record=tmp_path / "run.h5")
    again = sg.Simulation.resume(tmp_path / "run.h5")
    again.run(0.1)
    np.testing.assert_array_equal(whole.state.position, again.state.position)


def test_bad_servos_are_refused() -> None:
    with pytest.raises(ModelError, match="stiffness"):
        bar(stiffness=-1.0)
    with pytest.raises(ModelError, match="limit"):
        bar(stiffness=1.0, limit=-1.0)
