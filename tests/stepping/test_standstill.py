"""Brakes that hold leave exactly no velocity; brakes that slide leave the motion alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import signorini as sg


def arm(friction: float, speed: float | None, others: bool) -> sg.Model:
    """A light arm on a hinge with a brake, which a motor may turn; a ball keeps the step from being compiled."""
    model = sg.Model()
    model.add_body(sg.Box((0.01, 0.002, 0.002)), mass=0.3, position=(0.005, 0, 0), name="arm")
    model.add_revolute(None, "arm", (0, 0, 0), (0.3, 0.2, 1.0), friction=friction, name="hinge")
    if speed is not None:
        model.add_motor("hinge", speed=speed)
    if others:
        model.add_body(sg.Sphere(0.1), mass=1.0, position=(5, 0, 0), material=sg.Material(0.3, cohesion=1.0))
        model.add_fixed_body(sg.HalfSpace((0, 0, 1)), position=(0, 0, -9), material=sg.Material(0.3, cohesion=1.0))
    return model


@pytest.mark.parametrize("others", [False, True])
def test_a_motor_turns_a_shaft_against_a_brake_of_any_strength(others: bool) -> None:
    """Brake and motor cancel in terms of 1e11 times the velocity, which was taken for round-off: joints parted."""
    model, h = arm(1e6, 1.0, others), 0.001
    sim = sg.Simulation(model, step=h, solver=sg.InteriorPoint(tolerance=1e-8))
    for _ in range(20):
        assert sim.advance().status.ok
    state = sim.state
    axis = np.array([0.3, 0.2, 1.0]) / np.linalg.norm([0.3, 0.2, 1.0])
    # In a step bodies turn freely after the impulses of joints: w' = -I^-1 (w x I w), across the hinge.
    inertia = np.diag(model.bodies[0].inertia)
    free = -np.cross(axis, inertia * axis) / inertia
    np.testing.assert_allclose(state.angular_velocity[0], axis + h * free, atol=1e-6)
    np.testing.assert_allclose(axis @ state.angular_velocity[0], 1.0, atol=1e-6)
    hinge = state.position[0] + np.cross(state.angular_velocity[0], state.velocity[0])  # |w| = 1: to the axis
    assert np.linalg.norm(np.cross(hinge, axis)) < 1e-5
    np.testing.assert_allclose(2.0 * np.arccos(abs(state.orientation[0, 0])), 0.02, rtol=1e-3)


@pytest.mark.parametrize("others", [False, True])
def test_a_brake_that_holds_leaves_no_velocity(others: bool) -> None:
    sim = sg.Simulation(arm(10.0, None, others), step=0.001)
    start = sim.state
    for _ in range(20):
        assert sim.advance().status.ok
    np.testing.assert_array_equal(sim.state.angular_velocity[0], np.zeros(3))
    np.testing.assert_array_equal(sim.state.orientation[0], start.orientation[0])


def test_a_brake_that_holds_counts_as_solved_with_first_order_solvers() -> None:
    model = sg.Model()
    model.add_body(sg.Box((1.0, 0.1, 0.1)), mass=1.0, position=(0.5, 0, 0), name="arm")
    model.add_revolute(None, "arm", (0, 0, 0), (0, 1, 0), friction=1e3)
    sim = sg.Simulation(model, step=0.005, solver=sg.ProjectedSOR(tolerance=1e-6))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        steps = [sim.advance() for _ in range(20)]
    weight = 1.0 * 9.81 * 0.5 * 0.005 / (1.01 / 12.0 + 0.25)  # what gravity turns it by in a step without the brake
    assert np.abs(sim.state.angular_velocity).max() < 1e-6 * weight, "a tolerance of 1e-6 leaves no more"
    assert all(step.status.ok for step in steps)
