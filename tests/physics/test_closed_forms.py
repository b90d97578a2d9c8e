"""Answers that are known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.math.rotations import about, rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.simulation import Simulation

pytestmark = pytest.mark.slow  # whole simulations, pictures or programs

G = 9.81


def floor(friction: float = 0.4) -> Model:
    model = Model()
    model.add_fixed_body(HalfSpace((0, 0, 1)), name="floor", material=Material(friction))
    return model


def test_free_flight_is_that_of_the_scheme() -> None:
    """v_n = v_0 + n h g and x_n = x_0 + n h v_0 + n (n + 1) h^2 g / 2."""
    model = Model()
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 10), velocity=(3, -1, 4), name="ball")
    run = Simulation(model, step=0.01).run(1.0)
    n = np.arange(101)
    np.testing.assert_allclose(run.times, 0.01 * n, atol=1e-15)
    np.testing.assert_allclose(run.velocity("ball")[:, 2], 4 - G * 0.01 * n, atol=1e-12)
    np.testing.assert_allclose(run.position("ball")[:, 0], 0.03 * n, atol=1e-12)
    np.testing.assert_allclose(run.position("ball")[:, 2], 10 + 0.04 * n - G * 5e-5 * n * (n + 1), atol=1e-11)


def test_spin_about_a_principal_axis_turns_by_its_angle() -> None:
    model = Model()
    model.add_body(Box((1, 2, 3)), density=1, angular_velocity=(0, 0, 2.0), name="box")
    run = Simulation(model, step=0.01).run(1.0)
    np.testing.assert_allclose(run.orientation("box")[-1], about((0, 0, 1), 2.0), atol=1e-13)


@pytest.mark.parametrize(
    ("shape", "height"), [(Sphere(0.3), 0.3), (Box((0.4, 0.5, 0.6)), 0.3), (Cylinder(0.2, 0.6), 0.3)]
)
def test_body_at_rest_pushes_with_its_weight(shape: object, height: float) -> None:
    model, h = floor(), 0.01
    body = model.add_body(shape, density=1000, position=(0, 0, height), name="body")
    run = Simulation(model, step=h).run(0.5)
    total = -run.contacts().world_impulse.sum(axis=0)  # on body b, which is the later one
    np.testing.assert_allclose(total, [0, 0, body.mass * G * h], rtol=1e-10, atol=1e-10 * body.mass * G * h)
    # Round faces share their load by a compliance: they sink by some 1e-7 m (see assembly.round_faces).
    assert np.abs(run.position("body") - [0, 0, height]).max() < (2e-7 if isinstance(shape, Cylinder) else 1e-9)
    assert run.summary()["failures"] == 0


def block_on_slope(angle: float, friction: float, duration: float) -> np.ndarray:
    """How far a block slides down a slope, per frame [m]."""
    model = Model()
    tilt = about((0, 1, 0), angle)
    model.add_fixed_body(HalfSpace((0, 0, 1)), orientation=tilt, material=Material(friction))
    centre = rotate(tilt, np.array([0, 0, 0.1]))
    model.add_body(
        Box((0.4, 0.4, 0.2)), density=1000, position=centre, orientation=tilt, name="block", material=Material(1.0)
    )
    run = Simulation(model, step=0.005).run(duration)
    assert run.summary()["failures"] == 0
    return np.asarray((run.position("block") - centre) @ rotate(tilt, np.array([1.0, 0, 0])))


def test_block_sticks_below_the_friction_angle() -> None:
    slid = block_on_slope(math.radians(20), 0.4, 1.0)
    assert np.abs(slid).max() < 1e-10


def test_block_slides_above_it_with_the_right_acceleration() -> None:
    angle, friction = math.radians(30), 0.3
    slid = block_on_slope(angle, friction, 1.0)
    times = 0.005 * np.arange(len(slid))
    acceleration = 2 * np.polyfit(times, slid, 2)[0]
    assert acceleration == pytest.approx(G * (math.sin(angle) - friction * math.cos(angle)), rel=2e-3)


def test_sliding_ball_ends_rolling_at_five_sevenths() -> None:
    model = floor(0.3)
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 0.1), velocity=(2.0, 0, 0), name="ball")
    run = Simulation(model, step=0.002).run(1.0)
    assert run.velocity("ball")[-1, 0] == pytest.approx(2.0 * 5 / 7, rel=1e-6)
    spin = rotate(run.orientation("ball")[-1], run.angular_velocity("ball")[-1])
    assert spin[1] * 0.1 == pytest.approx(2.0 * 5 / 7, rel=1e-6)


def box_stack(count: int) -> Model:
    model = floor(0.5)
    for k in range(count):
        model.add_body(Box((0.2, 0.2, 0.2)), density=1000, position=(0, 0, 0.1 + 0.2 * k), name=f"box-{k}")
    return model


@pytest.mark.parametrize("duration", [0.3, pytest.param(10.0, marks=pytest.mark.slow)])
def test_stack_of_ten_boxes_carries_the_weights_and_stays(duration: float) -> None:
    model, h = box_stack(10), 0.01
    run = Simulation(model, step=h).run(duration)
    found = run.contacts()
    weight = model.bodies[1].mass * G * h
    for k in range(10):
        level = (found.contacts.body_a == k) & (found.contacts.body_b == k + 1)
        assert -found.world_impulse[level, 2].sum() == pytest.approx((10 - k) * weight, rel=1e-7)
        start = [0, 0, 0.1 + 0.2 * k]
        assert np.abs(run.position(f"box-{k}") - start).max() < 1e-6
    assert run.summary()["failures"] == 0


def test_collisions_keep_momentum() -> None:
    model = Model(gravity=(0, 0, 0))
    rng = np.random.default_rng(3)
    for k in range(12):
        place = np.array([k % 3, k // 3 % 2, k // 6]) * 0.5
        speed = 2.0 * (0.5 - place) + rng.normal(size=3)
        model.add_body(Sphere(0.2), density=500 + 100 * k, position=place, velocity=speed, name=f"ball-{k}")
    run = Simulation(model, step=0.005).run(0.6)
    mass = np.array([body.mass for body in model.bodies])
    momentum = np.einsum("b,fbj->fj", mass, run.velocity())
    assert run.diagnostics["contacts"].max() > 5
    assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(mass[:, None] * run.velocity()[0]).sum()
    inertia = np.array([body.inertia for body in model.bodies])
    spin = rotate(run.orientation(), np.einsum("bij,fbj->fbi", inertia, run.angular_velocity()))
    turning = (np.cross(run.position(), mass[:, None] * run.velocity()) + spin).sum(axis=1)
    assert np.abs(turning - turning[0]).max() < 1e-2 * np.abs(turning[0]).max()
    energy = run.diagnostics["kinetic"]
    assert np.all(np.diff(energy) <= 1e-9 * energy[0])


def asymmetric_top(h: float, duration: float, spin: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Energy and angular momentum (world) per frame of a free box."""
    model = Model(gravity=(0, 0, 0))
    body = model.add_body(Box((0.1, 0.2, 0.4)), density=1000, angular_velocity=spin, name="top")
    run = Simulation(model, step=h).run(duration)
    w = run.angular_velocity("top")
    momentum = rotate(run.orientation("top"), w @ body.inertia)
    return 0.5 * np.einsum("fi,ij,fj->f", w, body.inertia, w), momentum


def test_asymmetric_top_neither_gains_nor_loses_energy() -> None:
    energy, momentum = asymmetric_top(0.01, 10.0, (0.1, 20.0, 0.1))  # tumbles about its middle axis
    np.testing.assert_allclose(energy, energy[0], rtol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(momentum, axis=1), np.linalg.norm(momentum[0]), rtol=1e-11)


def test_direction_of_angular_momentum_drifts_by_second_order() -> None:
    drifts = []
    for h in (0.004, 0.002, 0.001):
        _, momentum = asymmetric_top(h, 0.5, (5.0, 10.0, 8.0))
        drifts.append(np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0]))
    assert drifts[0] / drifts[1] == pytest.approx(4, rel=0.1)
    assert drifts[1] / drifts[2] == pytest.approx(4, rel=0.1)
    assert drifts[2] < 1e-3


def test_shaken_floor_carries_a_ball_along() -> None:
    """A kinematic floor rises at 1 m/s: so does the ball; it moves sideways: friction turns the ball."""
    model = Model()

    def lift(t: float) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        return (0.5 * t, 0.0, t), (1.0, 0.0, 0.0, 0.0)

    model.add_body(HalfSpace((0, 0, 1)), motion=lift, name="floor")
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 0.1), velocity=(0, 0, 1), name="ball")
    run = Simulation(model, step=0.005).run(1.0)
    assert run.velocity("ball")[-1, 2] == pytest.approx(1.0, abs=1e-9)
    assert run.position("ball")[-1, 2] == pytest.approx(1.1, abs=1e-3)
    # Rolling without slip on a floor of speed u gives a solid ball 2/7 u.
    assert run.velocity("ball")[-1, 0] == pytest.approx(0.5 * 2 / 7, rel=1e-6)
