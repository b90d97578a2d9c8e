"""Bounces: heights and times, rows of balls, oblique impacts, no energy from nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from signorini.math.rotations import rotate
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import ModelError
from signorini.simulation.run import Run
from signorini.simulation.simulation import Simulation
from signorini.stepping.nonsmooth_alpha.settings import NonsmoothAlpha

pytestmark = pytest.mark.slow  # whole simulations

G = 9.81
LAWS = ("newton", "poisson")


def dropped(
    restitution: float, height: float, h: float, duration: float, rest_speed: float = 0.01
) -> tuple[np.ndarray, np.ndarray]:
    """Times and heights of a ball that falls on a floor."""
    model = Model()
    material = Material(friction=0.0, restitution=restitution, rest_speed=rest_speed)
    model.add_fixed_body(HalfSpace(), material=material)
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 0.1 + height), material=material, name="ball")
    run = Simulation(model, step=h, solver="projected-sor").run(duration)
    # Velocities are those half a step back: in a fall their energy is less than that of the instant, in a rise more.
    lag = 0.5 * h * G * model.bodies[1].mass * np.abs(run.velocity("ball")[1:, 2])
    energy = run.diagnostics["kinetic"] + run.diagnostics["potential"]
    assert np.all(np.diff(energy) <= lag[1:] + lag[:-1] + 1e-12 * energy[0])
    assert energy.max() <= energy[0] * (1 + 1e-12)
    return run.times, run.position("ball")[:, 2] - 0.1


def apexes(height: np.ndarray) -> np.ndarray:
    inner = height[1:-1]
    return inner[(inner >= height[:-2]) & (inner > height[2:])]


@pytest.mark.parametrize("e", [0.8, 0.9])
def test_heights_of_bounces_are_right_to_second_order(e: float) -> None:
    """The fifth one to 1e-3 at 2 ms; apexes are seen at whole steps only, which hides up to g h^2 / 8 of them."""
    height = 1.0
    exact = height * e ** (2 * np.arange(1, 6))
    for h in (2e-3, 1e-3):
        _, z = dropped(e, height, h, 4.1 if e == 0.9 else 3.1)
        error = np.abs(apexes(z)[:5] - exact)
        assert np.all(error < 1.0 * G * h * h)
        assert error[4] < 1e-3 * exact[4]


@pytest.mark.parametrize("law", ["convex", "coulomb"])
@pytest.mark.parametrize("e", [0.8, 0.9])
def test_zeno_time_within_one_percent_at_two_milliseconds(e: float, law: Any) -> None:
    model = Model()
    material = Material(friction=0.3, restitution=e)
    model.add_fixed_body(HalfSpace(), material=material)
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 1.1), material=material, name="ball")
    total = math.sqrt(2 / G) * (1 + e) / (1 - e)
    run = Simulation(model, step=2e-3, law=law).run(1.02 * total)
    last = run.times[np.flatnonzero(run.position("ball")[:, 2] - 0.1 > 1e-6)[-1]]
    assert last == pytest.approx(total, rel=1e-2)


def test_elastic_bounces_never_have_more_energy_than_the_start() -> None:
    model = Model()
    material = Material(friction=0.0, restitution=1.0)
    model.add_fixed_body(HalfSpace(), material=material)
    model.add_body(Sphere(0.1), density=1000, position=(0, 0, 1.1), material=material, name="ball")
    run = Simulation(model, step=2e-3).run(4.0)
    energy = run.diagnostics["kinetic"] + run.diagnostics["potential"]
    assert energy.max() <= energy[0] * (1 + 1e-9)
    assert energy[-1] > 0.97 * energy[0]


def test_bounces_end_after_the_sum_of_their_times() -> None:
    """Zeno: t0 + 2 t0 (e + e^2 + ...) = t0 (1 + e) / (1 - e)."""
    e, height = 0.5, 0.05
    total = math.sqrt(2 * height / G) * (1 + e) / (1 - e)
    errors = []
    for h in (4e-3, 1e-3):
        times, z = dropped(e, height, h, 1.15 * total, rest_speed=1e-3)
        errors.append(abs(times[np.flatnonzero(z > 1e-6)[-1]] / total - 1))
        assert np.abs(z[times > 1.05 * total]).max() < 1e-9
    assert errors[1] < 0.7 * errors[0]
    assert errors[1] < 0.04


def test_slow_impacts_do_not_bounce() -> None:
    for rest_speed, bounces in ((0.05, True), (0.2, False)):
        model = Model(gravity=(0, 0, 0))
        material = Material(restitution=0.9, rest_speed=rest_speed)
        model.add_fixed_body(HalfSpace(), material=material)
        model.add_body(
            Sphere(0.1), density=1, position=(0, 0, 0.1005), velocity=(0, 0, -0.1), material=material, name="b"
        )
        run = Simulation(model, step=1e-3).run(0.02)
        assert run.velocity("b")[-1, 2] == pytest.approx(0.09 if bounces else 0.0, abs=1e-6)


def row_of_balls(velocity: list[float], gap: float, impact: Any, restitution: float, mass: list[float]) -> np.ndarray:
    """Final speeds of balls in a row."""
    model = Model(gravity=(0, 0, 0), impact=impact)
    material = Material(friction=0.3, restitution=restitution)
    for k, speed in enumerate(velocity):
        place = ((0.2 + gap) * k - (0.01 if speed else 0.0), 0, 0)
        model.add_body(Sphere(0.1), mass=mass[k], position=place, velocity=(speed, 0, 0), material=material)
    run = Simulation(model, step=1e-3).run(0.03)
    assert run.summary()["failures"] == 0
    np.testing.assert_allclose(run.position()[-1, :, 1:], 0.0, atol=1e-9)
    return np.asarray(run.velocity()[-1, :, 0])


@pytest.mark.parametrize("impact", LAWS)
@pytest.mark.parametrize("gap", [0.0, 1e-4])
def test_newtons_cradle(impact: str, gap: float) -> None:
    """One ball in, one out; two in, two out; whether the balls touch or not."""
    one = row_of_balls([1, 0, 0, 0, 0], gap, impact, 1.0, [1.0] * 5)
    np.testing.assert_allclose(one, [0, 0, 0, 0, 1], atol=1e-6)
    two = row_of_balls([1, 1, 0, 0, 0], gap, impact, 1.0, [1.0] * 5)
    np.testing.assert_allclose(two, [0, 0, 0, 1, 1], atol=1e-6)


@pytest.mark.parametrize("impact", LAWS)
def test_two_balls_of_different_mass(impact: str) -> None:
    e, m, M, V = 0.6, 1.0, 3.0, 2.0
    v = row_of_balls([V, 0], 0.0, impact, e, [m, M])
    np.testing.assert_allclose(v, [(m - e * M) / (m + M) * V, (1 + e) * m / (m + M) * V], atol=1e-7)


def oblique(impact: Any, e: float, mu: float, speed: float, spin: float = 0.0) -> Run:
    model = Model(gravity=(0, 0, 0), impact=impact)
    material = Material(friction=mu, restitution=e)
    model.add_fixed_body(HalfSpace(), material=material, name="floor")
    model.add_body(
        Sphere(0.1), mass=2.0, position=(0, 0, 0.1037), velocity=(speed, 0, -1.0), angular_velocity=(0, spin, 0),
        material=material, name="ball",
    )  # fmt: skip
    return Simulation(model, step=1e-3).run(0.01)


@pytest.mark.parametrize("impact", LAWS)
@pytest.mark.parametrize(("e", "mu", "speed"), [(0.5, 0.2, 3.0), (0.9, 0.5, 9.0), (0.5, 0.9, 1.0), (0.8, 0.6, -2.0)])
def test_oblique_impact_of_a_ball(impact: str, e: float, mu: float, speed: float) -> None:
    """Slides through the impact if `|u_t| > 7/2 mu (1 + e) |u_n|`, else leaves rolling [m r^2 2/5]."""
    run = oblique(impact, e, mu, speed)
    slides = abs(speed) > 3.5 * mu * (1 + e)
    vx = speed - math.copysign(mu * (1 + e), speed) if slides else 5 / 7 * speed
    np.testing.assert_allclose(run.velocity("ball")[-1], [vx, 0, e], atol=2e-6)
    spin = rotate(run.orientation("ball")[-1], run.angular_velocity("ball")[-1])
    np.testing.assert_allclose(spin, [0, 2.5 * (speed - vx) / 0.1, 0], atol=1e-4)


def test_impulses_of_a_bounce_are_those_that_changed_the_momentum() -> None:
    run = oblique("newton", 0.5, 0.2, 3.0)
    total = -sum(run.contacts(k).world_impulse.sum(axis=0) for k in range(1, len(run.times)))
    np.testing.assert_allclose(total, 2.0 * (run.velocity("ball")[-1] - run.velocity("ball")[0]), atol=1e-9)


def test_ball_on_a_guide_bounces_and_stays_on_it() -> None:
    model = Model(gravity=(0, 0, 0))
    material = Material(friction=0.3, restitution=0.7)
    model.add_fixed_body(HalfSpace((0.6, 0, 0.8)), material=material)
    model.add_body(Sphere(0.1), density=100, position=(0, 0, 0.13), velocity=(0, 0, -1), material=material, name="b")
    model.add_guide("b")
    run = Simulation(model, step=1e-3, solver="projected-sor").run(0.05)
    assert np.abs(run.position("b")[:, :2]).max() < 1e-8
    # The ball cannot leave the guide, so the normal speed is 0.8 of its speed before and after.
    assert run.velocity("b")[-1, 2] == pytest.approx(0.7, abs=1e-5)


@pytest.mark.parametrize("impact", LAWS)
def test_box_that_rests_carries_a_ball_that_bounces(impact: str) -> None:
    """A heavy ball bounces off a light box on the ground as off the ground: loaded contacts support the blow."""
    model = Model(impact=impact)
    rubber, ground = Material(friction=0.2, restitution=0.6), Material(friction=0.2)
    model.add_fixed_body(HalfSpace(), material=ground)
    model.add_body(Box((0.3, 0.3, 0.1)), mass=0.1, position=(0, 0, 0.05), material=rubber, name="box")
    model.add_body(Sphere(0.1), mass=10.0, position=(0, 0, 0.23), velocity=(0, 0, -2.0), material=rubber, name="ball")
    run = Simulation(model, step=1e-3).run(0.03)
    assert run.velocity("ball")[:, 2].max() == pytest.approx(0.6 * math.sqrt(4 + 2 * G * 0.03), rel=0.02)
    assert np.abs(run.position("box") - [0, 0, 0.05]).max() < 1e-8


def thrown(material: Material, velocity: tuple[float, float, float], spin: float = 0.0) -> tuple[np.ndarray, float]:
    """Velocity and spin about y of a solid ball of radius 0.1 m and 1 kg after its bounce off a floor."""
    model = Model(gravity=(0, 0, 0))
    model.add_fixed_body(HalfSpace(), material=material)
    model.add_body(
        Sphere(0.1), mass=1.0, position=(0, 0, 0.101), velocity=velocity, angular_velocity=(0, spin, 0),
        material=material, name="ball",
    )  # fmt: skip
    run = Simulation(model, step=1e-3, law="coulomb").run(0.01)
    return run.velocity("ball")[-1], float(run.angular_velocity("ball")[-1, 1])


@pytest.mark.parametrize("spin", [0.0, -25.0, 40.0])
@pytest.mark.parametrize("back", [0.0, 0.5, 1.0])
def test_super_ball(back: float, spin: float) -> None:
    """The slip s at the floor becomes -e_t s: v' = v - (1 + e_t) 2 s / 7, R w' = R w + (1 + e_t) 5 s / 7."""
    v, R = 3.0, 0.1
    slip = v - R * spin
    after, w = thrown(Material(friction=5.0, restitution=1.0, tangential_restitution=back), (v, 0, -2.0), spin)
    assert after[2] == pytest.approx(2.0, rel=1e-6)
    assert after[0] == pytest.approx(v - (1 + back) * 2 * slip / 7, rel=1e-6)
    assert R * w == pytest.approx(R * spin + (1 + back) * 5 * slip / 7, rel=1e-6)
    if back == 1.0:
        before = v**2 + 4.0 + 0.4 * (R * spin) ** 2
        assert after @ after + 0.4 * (R * w) ** 2 == pytest.approx(before, rel=1e-6)


def test_super_ball_that_slides_through_its_bounce() -> None:
    """Where the cone ends, tangential restitution changes nothing: v' = v - mu (1 + e) v_n."""
    material = Material(friction=0.1, restitution=0.8, tangential_restitution=1.0)
    after, w = thrown(material, (3.0, 0, -2.0))
    assert after[0] == pytest.approx(3.0 - 0.1 * 1.8 * 2.0, rel=1e-6)
    assert 0.1 * w == pytest.approx(2.5 * 0.1 * 1.8 * 2.0, rel=1e-6)


def test_tangential_restitution_that_does_not_fit() -> None:
    with pytest.raises(ModelError, match="give restitution > 0"):
        Material(tangential_restitution=0.5)
    with pytest.raises(ModelError, match="expected 0 to 1"):
        Material(restitution=1.0, tangential_restitution=1.5)
    material = Material(restitution=1.0, tangential_restitution=0.5)
    model = Model(impact="poisson")
    model.add_fixed_body(HalfSpace(), material=material)
    model.add_body(Sphere(0.1), mass=1.0, position=(0, 0, 0.101), velocity=(0, 0, -2), material=material)
    with pytest.raises(ModelError, match="newton"):
        Simulation(model, step=1e-3).run(0.01)


@pytest.mark.parametrize("degrees", [20.0, 50.0, 75.0])
def test_balls_that_pass_one_another_strike_along_the_line_of_centres(degrees: float) -> None:
    angle, radius, speed = math.radians(degrees), 0.1, 3.0
    model = Model(gravity=(0, 0, 0))
    elastic = Material(friction=0.0, restitution=1.0)
    model.add_body(
        Sphere(radius), mass=1.0, position=(-0.5, 2 * radius * math.sin(angle), 0), velocity=(speed, 0, 0),
        material=elastic, name="cue",
    )  # fmt: skip
    model.add_body(Sphere(radius), mass=1.0, position=(0, 0, 0), material=elastic, name="object")
    run = Simulation(model, step=0.002).run(0.3)
    cue, other = run.velocity("cue")[-1], run.velocity("object")[-1]
    along = np.array([math.cos(angle), -math.sin(angle), 0.0])
    np.testing.assert_allclose(other, speed * math.cos(angle) * along, atol=2e-3 * speed)
    np.testing.assert_allclose(cue + other, [speed, 0, 0], atol=1e-9)
    assert cue @ cue + other @ other == pytest.approx(speed**2, rel=1e-9)


@pytest.mark.parametrize(("integrator", "bound"), [("dvi", 5e-4), (NonsmoothAlpha(), 2e-3)])
def test_a_shaking_table_has_the_velocity_of_the_instant(integrator: Any, bound: float) -> None:
    """Ball with e = 0.5 that meets the table once in a turn, at `A w cos(phase) = g T / 6`: it stays g T^2 / 8 high.

    The phase follows the errors of speeds, divided by the acceleration of the table.
    """
    e, turn = 0.5, 0.2
    rate = 2 * math.pi / turn
    size = 1.25 * G / rate**2
    phase = math.acos((1 - e) / (1 + e) * 0.5 * G * turn / (size * rate))
    material, model = Material(friction=0.0, restitution=e), Model()

    def motion(t: float) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        return (0, 0, size * (math.sin(rate * t + phase) - math.sin(phase)) - 0.05), (1, 0, 0, 0)

    model.add_body(Box((1, 1, 0.1)), motion=motion, material=material)
    model.add_body(
        Sphere(0.02), mass=1.0, position=(0, 0, 0.02), velocity=(0, 0, 0.5 * G * turn), material=material, name="ball"
    )
    run = Simulation(model, step=2e-3, integrator=integrator).run(12 * turn)
    height = run.position("ball")[run.times > 8 * turn, 2].max() - 0.02
    assert height == pytest.approx(G * turn**2 / 8, rel=bound)
