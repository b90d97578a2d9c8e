"""Static and kinetic friction, grain, belts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from signorini.math.rotations import about, multiply, rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation

pytestmark = pytest.mark.slow  # whole simulations

G, H = 9.81, 4e-3


def on_slope(angle: float, material: Material, speed: float = 0.0, duration: float = 0.3) -> tuple[Run, np.ndarray]:
    """A box on a slope that falls along x, and the speeds along (downhill, sideways) per frame."""
    model = Model()
    tilt = about((0, 1, 0), angle)
    downhill, sideways = rotate(tilt, np.array([1.0, 0, 0])), np.array([0, 1.0, 0])
    model.add_fixed_body(HalfSpace(), orientation=tilt, name="slope")
    model.add_body(
        Box((0.4, 0.4, 0.02)), density=1000, position=rotate(tilt, np.array([0, 0, 0.01])), orientation=tilt,
        velocity=speed * downhill, name="box",
    )  # fmt: skip
    model.set_pair_material("slope", "box", material)
    run = Simulation(model, step=H).run(duration)
    assert run.summary()["failures"] == 0
    return run, run.velocity("box") @ np.stack((downhill, sideways)).T


STATIC = Material(friction=0.4, static_friction=0.6)


def test_static_friction_holds_what_kinetic_friction_would_not() -> None:
    _, v = on_slope(math.atan(0.58), STATIC)
    assert np.abs(v).max() < 1e-9
    angle = math.atan(0.62)
    _, v = on_slope(angle, STATIC)
    a = G * (math.sin(angle) - 0.4 * math.cos(angle))
    # The first steps start under static friction.
    np.testing.assert_allclose(np.diff(v[20:, 0]) / H, a, rtol=1e-6)


def test_box_that_slides_keeps_sliding_between_the_two_angles() -> None:
    angle = math.atan(0.5)
    _, v = on_slope(angle, STATIC, speed=0.1)
    # The convex cone starts a slide with a hop of 2 mu v / g.
    np.testing.assert_allclose(np.diff(v[10:, 0]) / H, G * (math.sin(angle) - 0.4 * math.cos(angle)), rtol=1e-6)


def test_box_that_comes_to_rest_sticks() -> None:
    angle = math.atan(0.3)
    run, v = on_slope(angle, STATIC, speed=0.2)
    stop = 0.2 / (G * (0.4 * math.cos(angle) - math.sin(angle)))
    moving = np.abs(v[:, 0]) > 1e-6
    assert run.times[moving][-1] == pytest.approx(stop, abs=2 * H)
    assert run.contacts().contacts.friction.max() == 0.6


@pytest.mark.parametrize("turn", [0.3, 0.8, 1.2])
def test_box_with_a_grain_slides_where_the_ellipse_says(turn: float) -> None:
    """From rest it goes straight along d, that of gravity less N (mu_a^2 d_a, mu_c^2 d_c) / |(mu_a d_a, mu_c d_c)|."""
    along, across, angle = 0.1, 0.5, math.radians(35)
    material = Material(friction=along, cross_friction=across, direction=(math.cos(turn), math.sin(turn), 0))
    _, v = on_slope(angle, material)
    a, c = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])

    def acceleration(phi: float) -> np.ndarray:
        d = np.array([math.cos(phi), math.sin(phi)])
        pull = along**2 * (d @ a) * a + across**2 * (d @ c) * c
        size = math.hypot(along * (d @ a), across * (d @ c))
        return np.array([G * math.sin(angle), 0]) - G * math.cos(angle) * pull / size

    def sideways(phi: float) -> float:
        x = acceleration(phi)
        return float(x[1] * math.cos(phi) - x[0] * math.sin(phi))

    phi = brentq(sideways, 0.0, turn)
    assert phi > 0.02
    found = v[-1]
    assert math.atan2(found[1], found[0]) == pytest.approx(phi, abs=2e-3)
    np.testing.assert_allclose((v[-1] - v[-21]) / (20 * H), acceleration(phi), rtol=5e-3)


def test_grain_turns_with_its_body() -> None:
    """The grain of the box, not of the slope: turned by a right angle it slides as if the two coefficients changed."""
    model = Model()
    grain = Material(friction=0.0, cross_friction=0.6, direction=(1, 0, 0))
    model.add_fixed_body(HalfSpace(), name="floor", material=Material(friction=0.9))
    for k, (name, turn) in enumerate((("along", 0.0), ("across", math.pi / 2))):
        place, way = (0, 2.0 * k, 0.01), multiply(about((0, 0, 1), turn), np.array([1.0, 0, 0, 0]))
        model.add_body(
            Box((0.4, 0.4, 0.02)), density=1000, position=place, orientation=way, velocity=(0.3, 0, 0), material=grain,
            name=name,
        )  # fmt: skip
    run = Simulation(model, step=H).run(0.1)
    assert run.velocity("along")[-1, 0] == pytest.approx(0.3, abs=1e-9)
    stopped = run.times[np.argmax(np.abs(run.velocity("across")[:, 0]) < 1e-6)]
    assert stopped == pytest.approx(0.3 / (0.6 * G), abs=2 * H)


@pytest.mark.parametrize("movable", [False, True])
def test_belt_carries_a_box_to_its_speed(movable: bool) -> None:
    """After v / (mu g) it moves with the belt; a crawler drives itself away at the speed of its track."""
    speed, mu = 1.0, 0.5
    model = Model()
    material = Material(friction=mu)
    belt, track = ((0, 0, 0), (speed, 0, 0)) if movable else ((speed, 0, 0), (0, 0, 0))
    model.add_fixed_body(HalfSpace(), surface_velocity=belt, material=material)
    model.add_body(
        Box((0.4, 0.4, 0.02)),
        density=1000,
        position=(0, 0, 0.01),
        surface_velocity=track,
        material=material,
        name="box",
    )
    run = Simulation(model, step=H).run(0.3)
    sign = -1.0 if movable else 1.0
    v = sign * run.velocity("box")[:, 0]
    assert v[-1] == pytest.approx(speed, abs=1e-7)
    # The convex cone starts the slide with a hop, which changes no momentum in the end.
    assert run.times[np.argmax(v > speed - 1e-6)] == pytest.approx(speed / (mu * G), abs=2.5 * H)


def test_belt_on_a_turned_body_runs_in_its_frame() -> None:
    model = Model()
    material = Material(friction=0.8)
    turned = about((0, 0, 1), math.pi / 2)
    model.add_fixed_body(
        Box((4, 4, 0.1)), orientation=turned, position=(0, 0, -0.05), surface_velocity=(0.3, 0, 0), material=material
    )
    model.add_body(Box((0.4, 0.4, 0.02)), density=1000, position=(0, 0, 0.01), material=material, name="box")
    run = Simulation(model, step=H).run(0.15)
    np.testing.assert_allclose(run.velocity("box")[-1], [0, 0.3, 0], atol=1e-6)


def rolling_ball(law: Material, duration: float, speed: float = 0.0, spin: float = 0.0) -> Run:
    """A ball of radius 0.1 that rolls along x and spins about z on a floor."""
    model = Model()
    model.add_fixed_body(HalfSpace(), name="floor")
    model.add_body(
        Sphere(0.1), mass=3.0, position=(0, 0, 0.1), velocity=(speed, 0, 0), angular_velocity=(0, speed / 0.1, spin),
        name="ball",
    )  # fmt: skip
    model.set_pair_material("floor", "ball", law)
    run = Simulation(model, step=H).run(duration)
    assert run.summary()["failures"] == 0
    return run


def test_rolling_friction_stops_a_ball_after_the_predicted_distance() -> None:
    """The torque r N about the point of contact, where the inertia is 7/5 m R^2: a = 5/7 g r / R."""
    length, speed = 0.02, 0.3
    a = 5 / 7 * G * length / 0.1
    run = rolling_ball(Material(0.5, rolling_friction=length), 1.3 * speed / a, speed)
    x, v = run.position("ball")[:, 0], run.velocity("ball")[:, 0]
    assert x[-1] == pytest.approx(speed**2 / (2 * a), rel=0.03)
    assert run.times[np.argmax(v < 1e-6)] == pytest.approx(speed / a, abs=2.5 * H)
    assert np.abs(v[-5:]).max() < 1e-9
    # It never slips: spin and speed belong together.
    spin = rotate(run.orientation("ball"), run.angular_velocity("ball"))[:, 1]
    np.testing.assert_allclose(0.1 * spin, v, atol=1e-7)


def test_rolling_friction_holds_a_ball_on_a_slope() -> None:
    """Up to tan(angle) = r / R."""
    for slope, holds in ((0.9, True), (1.1, False)):
        length = 0.01
        angle = math.atan(slope * length / 0.1)
        model = Model(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
        model.add_fixed_body(HalfSpace(), name="floor")
        model.add_body(Sphere(0.1), mass=3.0, position=(0, 0, 0.1), name="ball")
        model.set_pair_material("floor", "ball", Material(0.5, rolling_friction=length))
        run = Simulation(model, step=H).run(0.2)
        moved = run.position("ball")[-1, 0]
        assert (abs(moved) < 1e-8) if holds else (moved > 1e-4)


def test_spinning_friction_stops_a_top_after_the_predicted_time() -> None:
    """The torque s N about the normal: t = 2/5 R^2 w / (s g)."""
    length, spin = 0.01, 5.0
    stop = 0.4 * 0.1**2 * spin / (length * G)
    run = rolling_ball(Material(0.5, spinning_friction=length), 1.2 * stop + 5 * H, spin=spin)
    w = run.angular_velocity("ball")[:, 2]
    assert run.times[np.argmax(np.abs(w) < 1e-6)] == pytest.approx(stop, abs=2.5 * H)
    assert np.abs(run.velocity("ball")[-1]).max() < 1e-9


def test_spinning_friction_leaves_rolling_alone() -> None:
    run = rolling_ball(Material(0.5, spinning_friction=0.01), 0.1, speed=0.5)
    assert run.velocity("ball")[-1, 0] == pytest.approx(0.5, abs=1e-9)
