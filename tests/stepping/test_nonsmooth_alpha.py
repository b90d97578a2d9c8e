"""Second-order steps with hard contact: orders against closed forms, both levels of constraints, memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipj, ellipk
from tests.stepping.heavy_top import errors, heavy_top

import signorini as sg
from signorini.integrators import NonsmoothAlpha
from signorini.problem.errors import SolverError

ALPHA = NonsmoothAlpha(spectral_radius=0.8)
G = 9.81
RATE = 2 * math.pi
ROUGH = sg.Material(friction=1e3)


def floor(friction: float, gravity: tuple[float, float, float] = (0, 0, -G)) -> sg.Model:
    model = sg.Model(gravity=gravity)
    model.add_fixed_body(sg.HalfSpace(), material=sg.Material(friction=friction), name="floor")
    return model


def spring(h: float) -> float:
    """Mass on a spring: x0 cos(w t)."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.05), mass=1.0, position=(1.1, 0, 0), name="mass")
    model.add_spring(None, "mass", (0, 0, 0), (1.1, 0, 0), stiffness=RATE**2, length=1.0)
    run = sg.Simulation(model, step=h, integrator=ALPHA).run(0.8)
    return float(run.position("mass")[-1, 0] - 1.0 - 0.1 * math.cos(0.8 * RATE))


def pendulum(h: float) -> float:
    """Rod on a hinge, let go at 1 rad: sin(phi/2) = k cd(w t)."""
    length = 1.0
    model = sg.Model()
    start, rate = 1.0, math.sqrt(1.5 * G / length)
    place = 0.5 * length * np.array([math.sin(start), 0.0, -math.cos(start)])
    turn = (math.cos(0.5 * start), 0.0, -math.sin(0.5 * start), 0.0)
    inertia = np.diag((length**2 / 12, length**2 / 12, 1e-4))
    model.add_body(None, mass=1.0, inertia=inertia, position=place, orientation=turn, name="rod")
    model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0))
    k = math.sin(0.5 * start)
    _, cn, dn, _ = ellipj(rate * 0.4, k * k)
    assert 0.4 * rate < 4 * ellipk(k * k)
    angle = 2.0 * math.asin(k * cn / dn)
    place = sg.Simulation(model, step=h, integrator=ALPHA).run(0.4).position("rod")[-1]
    return float(math.atan2(place[0], -place[2]) - angle)


def friction_damped(h: float) -> float:
    """Mass on a spring and a rough floor, in its first half swing: about d = mu g / w^2."""
    start, mu = 0.2, 0.12
    d = mu * G / RATE**2
    model = floor(mu)
    model.add_body(sg.Box((0.2, 0.2, 0.1)), mass=1.0, position=(1.0 + start, 0, 0.05), material=ROUGH, name="mass")
    model.add_spring(None, "mass", (0, 0, 0.05), (1.0 + start, 0, 0.05), stiffness=RATE**2, length=1.0)
    place = sg.Simulation(model, step=h, integrator=ALPHA).run(0.32).position("mass")[-1, 0] - 1.0
    return float(place - d - (start - d) * math.cos(0.32 * RATE))


def curved_slide(h: float) -> float:
    """Puck thrown across a slope with mu = tan(slope): its path bends; v (1 + cos(phi)) = const.

    With a = g sin(slope): d s/dt = -a (1 - cos(phi)), s d phi/dt = -a sin(phi), phi from the line of fall.
    """
    slope, speed, end = 0.3, 1.0, 0.4
    model = floor(math.tan(slope), (G * math.sin(slope), 0, -G * math.cos(slope)))
    model.add_body(
        sg.Sphere(0.05), mass=1.0, inertia=1e6 * np.eye(3), position=(0, 0, 0.05), velocity=(0, speed, 0),
        material=ROUGH, name="puck",
    )  # fmt: skip
    run = sg.Simulation(model, step=h, integrator=ALPHA).run(end)
    # t in closed form by u = tan(phi/2): a t = v0/2 ((1 - u) + (1 - 1/u) ... ) is implicit; energy is not.
    v = run.velocity("puck")[-1]
    s, cosine = float(np.linalg.norm(v[:2])), float(v[0] / np.linalg.norm(v[:2]))
    return s * (1.0 + cosine) - speed


def rolling_top(h: float) -> float:
    """Heavy top in a ball joint: its place, against an independent integration."""
    return float(errors(heavy_top(), ALPHA, h, joint=True)[0])


SMOOTH: dict[str, tuple[Callable[[float], float], float]] = {
    "spring": (spring, 0.01), "pendulum": (pendulum, 0.01), "friction-damped spring": (friction_damped, 0.01),
    "heavy top": (rolling_top, 0.01),
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_second_order_between_impacts(name: str) -> None:
    error, h = SMOOTH[name]
    coarse, fine = abs(error(h)), abs(error(0.5 * h))
    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.15)


def test_friction_turns_with_the_slide() -> None:
    errors_of = [abs(curved_slide(h)) for h in (0.02, 0.01)]
    assert errors_of[1] < 2e-4
    assert math.log2(errors_of[0] / errors_of[1]) > 1.7


def test_bounces_are_where_they_should_be() -> None:
    """Ball dropped from 1 m with e = 0.8: the height after the third bounce is e^6."""
    model = sg.Model()
    bouncing = sg.Material(friction=0.0, restitution=0.8)
    model.add_fixed_body(sg.HalfSpace(), material=bouncing)
    model.add_body(sg.Sphere(0.05), mass=1.0, position=(0, 0, 1.05), material=bouncing, name="ball")
    run = sg.Simulation(model, step=0.002, integrator=ALPHA).run(2.2)
    t0 = math.sqrt(2.0 / G)
    third = t0 * (1 + 2 * 0.8 + 2 * 0.64)
    after = (run.times > third) & (run.times < third + 2 * t0 * 0.512)
    assert run.position("ball")[after, 2].max() - 0.05 == pytest.approx(0.8**6, rel=1e-3)


def test_both_levels_hold_and_nothing_drifts() -> None:
    """A rod on a hinge that swings against a limit, at a coarse step: joint closed, limit kept, energy not gained."""
    model = sg.Model()
    model.add_body(sg.Box((1.0, 0.05, 0.05)), mass=1.0, position=(0.5, 0, 0), name="rod")
    joint = model.add_revolute(None, "rod", (0, 0, 0), (0, 1, 0), limits=(-0.2, 1.2))
    assert joint is not None
    sim = sg.Simulation(model, step=0.01, integrator=ALPHA)
    highest = -math.inf
    for _ in range(150):
        step = sim.advance()
        highest = max(highest, step.energy)
        rod = sim.state.position[0]
        angle = math.atan2(-rod[2], rod[0])
        assert np.linalg.norm(rod) == pytest.approx(0.5, abs=1e-9)
        assert angle < 1.2 + 1e-8
    assert highest < 1e-3
    assert abs(sim.state.angular_velocity[0]).max() < 1e-6


def test_a_sliding_box_stays_down_and_stops_where_it_should() -> None:
    model = floor(0.3)
    model.add_body(sg.Box((0.2, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.05), velocity=(2, 0, 0), material=ROUGH,
                   name="box")  # fmt: skip
    run = sg.Simulation(model, step=0.005, integrator=ALPHA).run(0.8)
    assert np.abs(run.position("box")[:, 2] - 0.05).max() < 1e-9
    assert run.position("box")[-1, 0] == pytest.approx(4.0 / (2 * 0.3 * G), rel=1e-4)


def test_a_stack_rests() -> None:
    model = floor(0.5)
    for k in range(4):
        model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=10.0**k, position=(0, 0, 0.05 + 0.1 * k), material=ROUGH)
    sim = sg.Simulation(model, step=0.005, integrator=ALPHA)
    start = sim.state.position.copy()
    run = sim.run(0.5)
    assert np.abs(sim.state.position - start).max() < 1e-7
    assert run.summary()["failures"] == 0


def test_restarts_bit_for_bit(tmp_path: Path) -> None:
    def made() -> sg.Model:
        model = floor(0.3)
        model.add_body(sg.Box((0.2, 0.1, 0.1)), mass=1.0, position=(0, 0, 0.06), velocity=(1, 0, 0), material=ROUGH,
                       angular_velocity=(0, 2, 1))  # fmt: skip
        return model

    whole = sg.Simulation(made(), step=0.005, integrator=ALPHA)
    whole.run(0.2)
    path = tmp_path / "run.h5"
    sg.Simulation(made(), step=0.005, integrator=ALPHA).run(0.1, record=path)
    second = sg.Simulation.resume(path)
    second.run(0.1, record=path)
    assert np.array_equal(second.state.position, whole.state.position)
    assert np.array_equal(second.state.angular_velocity, whole.state.angular_velocity)
    assert second.settings()["integrator"]["name"] == "nonsmooth-alpha"


def test_by_name_and_by_settings() -> None:
    model = floor(0.3)
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    assert sg.Simulation(model, integrator="nonsmooth-alpha").settings()["integrator"]["settings"] == {
        "spectral_radius": 0.8
    }
    with pytest.raises(SolverError, match="spectral_radius"):
        NonsmoothAlpha(spectral_radius=1.5)


def test_undamped_is_the_trapezoidal_rule() -> None:
    weights = NonsmoothAlpha(spectral_radius=1.0)
    assert (weights.alpha_m, weights.alpha_f, weights.gamma, weights.beta) == (0.5, 0.5, 0.5, 0.25)


def test_redundant_joints_agree_at_the_end_of_the_step() -> None:
    """A plane slider-crank has rows that repeat; they contradict one another where joints are open."""
    sim = sg.Simulation(sg.SCENES["slider-crank"].build(), step=0.002, integrator=ALPHA, on_failure="raise")
    for _ in range(60):
        sim.advance()
    assert np.isfinite(sim.state.velocity).all()


def test_joints_of_other_kinds_may_change_their_entries() -> None:
    """Motors of a walking robot have entries that are 0 where it stands."""
    sim = sg.Simulation(sg.SCENES["walker"].build(), step=0.002, integrator=ALPHA)
    assert all(sim.advance().solution.status.ok for _ in range(20))
