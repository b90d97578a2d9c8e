"""Limits and friction of joints in smooth dynamics: forces at rest, distances of stopping, creep, derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.assembly.dynamics import Dynamics
from signorini.stepping.smooth.regularised_joints import CREEP, STEPS_PER_PERIOD, RegularisedJoints

G = 9.81


def rod(limits: tuple[float, float], **more: Any) -> sg.Model:
    """1 kg, 1 m, hinged at the origin, horizontal at angle 0."""
    model = sg.Model()
    model.add_body(sg.Sphere(0.01), mass=1.0, inertia=np.eye(3) / 12.0, position=(0.5, 0, 0), name="rod", **more)
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), limits=limits, name="hinge")
    return model


def simulation(model: sg.Model, **settings: Any) -> sg.Simulation:
    with pytest.warns(UserWarning, match="no set-valued forces"):
        return sg.Simulation(model, **settings)


@pytest.mark.parametrize("integrator", ["hht", "implicit-euler"])
def test_a_rod_rests_on_its_limit(integrator: str) -> None:
    """It falls by half a radian; then the limit carries m g cos(angle) / 2 and has given way by that over k."""
    model, h = rod((-3.0, 0.5)), 2e-3
    sim = simulation(model, step=h, integrator=integrator)
    sim.run(3.0)
    joints = RegularisedJoints.of(Dynamics(model), h)
    w = 2 * math.pi / (STEPS_PER_PERIOD * h)
    assert joints.stiffness[0][-1] == pytest.approx(w * w / 12.0, rel=1e-9)
    torque = 0.0
    for _ in range(20):
        torque = 0.5 * G * math.cos(0.5 + torque * 12.0 / (w * w))
    limits, _ = joints.forces(sim.state)
    assert limits[-1] == pytest.approx(torque, rel=1e-6)
    assert np.abs(sim.state.angular_velocity[0]).max() < 1e-6


def test_a_slider_stops_where_the_brake_stops_it() -> None:
    """v^2 m / (2 L) = 0.25 m, then creep alone."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=2.0, velocity=(1, 0, 0), name="slider")
    model.add_prismatic(None, "slider", (1, 0, 0), name="rail")
    model.add_brake("rail", limit=4.0, name="brake")
    sim = simulation(model, step=2e-3, integrator="trapezoidal")
    sim.run(1.0)
    assert sim.state.position[0, 0] == pytest.approx(0.25, rel=5e-3)
    assert abs(sim.state.velocity[0, 0]) < 1e-6


def test_a_brake_that_holds_a_weight_creeps() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=1.0, name="lift")
    model.add_prismatic(None, "lift", (0, 0, 1), name="rail")
    model.add_brake("rail", limit=20.0, name="brake")
    sim = simulation(model, step=1e-3, integrator="hht")
    step = sim.advance()
    sim.run(0.5)
    assert sim.state.velocity[0, 2] == pytest.approx(-CREEP * G / math.sqrt(400.0 - G * G), rel=1e-4)
    assert sim.advance().friction_impulse("brake")[0] == pytest.approx(1e-3 * G, rel=1e-4)
    assert step.friction_impulse("brake").shape == (1,)


def test_a_ball_hangs_on_its_rope() -> None:
    model = sg.Model()
    model.add_body(sg.Sphere(0.1), mass=3.0, name="ball")
    model.add_rope(None, "ball", (0, 0, 1), (0, 0, 0), name="rope")
    sim = simulation(model, step=1e-3, integrator="hht", contact="none")
    sim.run(1.0)
    assert sim.advance().limit_impulse("rope")[0] == pytest.approx(1e-3 * 3.0 * G, rel=1e-3)


def test_derivatives_are_those_of_the_forces() -> None:
    model = rod((0.01, 2.0), angular_velocity=(0, 0.3, 0), velocity=(0, 0, -0.15))
    model.add_brake("hinge", limit=2.0, name="brake")
    joints, state = RegularisedJoints.of(Dynamics(model), 1e-2), model.initial_state()
    for k, term in enumerate(joints.terms(state)):
        for column in range(len(term.columns)):
            moved = []
            for sign in (1.0, -1.0):
                v = state.velocities.copy()
                v[term.columns[column]] += sign * 1e-7
                v = v.reshape(-1, 6)
                other = state.__class__(
                    state.time, state.position, state.orientation, v[:, :3].copy(), v[:, 3:].copy(),
                    state.node_position, state.node_velocity,
                )  # fmt: skip
                moved.append(joints.terms(other)[k].force)
            np.testing.assert_allclose(
                (moved[0] - moved[1]) / 2e-7, term.dv[:, column], atol=1e-4 * np.abs(term.dv).max()
            )
