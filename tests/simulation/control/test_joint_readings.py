"""What a controller reads and sets between steps."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.functions import Setpoint
from signorini.problem.errors import ModelError


def arm(**motor: Setpoint) -> sg.Model:
    """A bar on a hinge and a sleigh on it, the hinge driven."""
    model = sg.Model()
    model.add_body(sg.Box((1.0, 0.05, 0.05)), mass=2.0, position=(0.5, 0, 0), name="bar", mask=0)
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=0.5, position=(0.5, 0, 0), name="sleigh", mask=0)
    model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model.add_prismatic("bar", "sleigh", axis=(1, 0, 0), name="slide")
    model.add_motor("hinge", **motor)
    return model


def test_positions_and_velocities_are_those_of_the_bodies() -> None:
    sim = sg.Simulation(arm(torque=Setpoint(3.0)), step=0.002)
    assert sim.joints.names == ("hinge", "slide")
    np.testing.assert_array_equal(sim.joints.position, 0.0)
    before = sim.joints.position
    for _ in range(50):
        before = sim.joints.position
        sim.advance()
    angle, place = sim.joints.position
    bar, sleigh = sim.state.position
    # A hinge opens by O(h^2 w^2) within a step.
    np.testing.assert_allclose(bar, [0.5 * np.cos(angle), 0.0, -0.5 * np.sin(angle)], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(sleigh), 0.5 + place, atol=1e-5)
    np.testing.assert_allclose(sim.joints.velocity, (sim.joints.position - before) / 0.002, rtol=1e-2, atol=1e-6)


def test_a_proportional_controller_holds_the_arm() -> None:
    torque = Setpoint()
    sim = sg.Simulation(arm(torque=torque), step=0.001)
    hinge = sim.joints.index("hinge")
    for _ in range(1500):
        angle, rate = sim.joints.position[hinge], sim.joints.velocity[hinge]
        torque.set(400.0 * (-0.2 - angle) - 40.0 * rate)
        sim.advance()
    assert sim.joints.position[hinge] == pytest.approx(-0.2, abs=0.06)


def test_a_target_is_reached_in_one_step_and_may_move_on() -> None:
    target = Setpoint()
    sim = sg.Simulation(arm(angle=target), step=0.001)
    target.set(0.01)
    sim.advance()
    assert sim.joints.position[0] == pytest.approx(0.01, abs=1e-5)
    target.set(0.01, slope=2.0)
    sim.advance()
    assert sim.joints.position[0] == pytest.approx(0.012, abs=1e-5)


def test_mistakes_are_named() -> None:
    sim = sg.Simulation(arm(torque=Setpoint()), step=0.001)
    with pytest.raises(ModelError, match="hinge"):
        sim.joints.index("hing")
    with pytest.raises(ModelError, match="finite"):
        Setpoint().set(float("nan"))
    with pytest.raises(ModelError, match="speed"):
        sg.Simulation(arm(speed=Setpoint()), step=0.001).advance()
