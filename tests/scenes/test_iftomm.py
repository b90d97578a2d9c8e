"""The IFToMM benchmarks against references of their own; the full durations are in benchmarks/mechanisms.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.scenes import iftomm

import signorini as sg
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.scenes import SCENES
from signorini.scenes.andrews import angles, relative
from signorini.stepping.smooth.stepper import SmoothDynamicsStep

JOINTS = 1e-9
"""Largest error of a joint [m, rad]."""


def simulated(name: str, duration: float, h: float, alpha: float = -0.05, **parameters: object) -> sg.Simulation:
    sim = sg.Simulation(SCENES[name].build(**parameters), step=h, integrator=sg.integrators.HHT(alpha=alpha))  # type: ignore[arg-type]
    for _ in range(round(duration / h)):
        step = sim.advance()
        assert isinstance(step, SmoothDynamicsStep)
        assert step.status.ok, step.detail
        assert step.joint_error < JOINTS
    return sim


def second_order(errors: list[float]) -> bool:
    return math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.slow
def test_simple_pendulum() -> None:
    errors = []
    for h in (0.01, 0.005):
        state = simulated("simple-pendulum", 1.0, h).state
        errors.append(float(np.abs(state.position[0, [0, 2]] - iftomm.pendulum(1.0)).max()))
    assert errors[1] < 2e-4
    assert second_order(errors)


@pytest.mark.slow
def test_four_bars_pass_through_the_singular_position() -> None:
    """At t = 0.715 s all bars lie flat and the rank of the joints drops by N."""
    theta, _ = iftomm.four_bar(2, 0.8)
    assert theta > math.pi / 2
    state = simulated("n-four-bar", 0.8, 0.005).state
    tops = state.position[:3] * (2.0, 1.0, 2.0) - [(k, 0, 0) for k in range(3)]
    for k in range(3):
        expected = (math.sin(theta), 0.0, math.cos(theta))
        assert tops[k] - (k, 0, 0) == pytest.approx(expected, abs=2e-4)


def test_published_values_of_andrews_mechanism_hold() -> None:
    """The fourteen digits of the test set, integrated again in its own seven angles."""
    y = iftomm.andrews(0.03)
    assert y == pytest.approx(iftomm.ANDREWS, rel=2e-7)


@pytest.mark.slow
def test_andrews_mechanism() -> None:
    """At 2 ms against the other integration; the error at the end is in the docs."""
    reference = iftomm.andrews(0.002)
    errors = []
    for h in (4e-5, 2e-5):
        state = simulated("andrews", 0.002, h).state
        q = angles(state.orientation) - reference[:7]
        errors.append(float(np.abs(np.remainder(q + np.pi, 2 * np.pi) - np.pi).max()))
        w = relative(state.angular_velocity[:, 2])
    assert w == pytest.approx(reference[7:], rel=1e-3, abs=0.05)
    assert errors[1] < 2e-5
    assert second_order(errors)


def point(sim: sg.Simulation, body: int, place: Array) -> Array:
    """Where the point of a body is that was at `place` at the start."""
    start = sim.model.bodies[body]
    local = matrix(start.orientation).T @ (place - start.position)
    return np.asarray(sim.state.position[body] + matrix(sim.state.orientation[body]) @ local)


@pytest.mark.slow
def test_bricard() -> None:
    reference = iftomm.bricard_point(0.5)
    errors = []
    for h in (0.01, 0.005):
        sim = simulated("bricard", 0.5, h)
        errors.append(float(np.abs(point(sim, 2, np.array([1.0, -1.0, 1.0])) - reference).max()))
    assert errors[1] < 1e-5
    assert second_order(errors)


@pytest.mark.slow
def test_governor() -> None:
    reference = iftomm.governor_height(0.3)
    assert abs(reference - 0.5) > 0.05
    state = simulated("governor", 0.3, 0.0025, alpha=-0.1).state
    assert state.position[1, 2] == pytest.approx(reference, abs=2e-5)
