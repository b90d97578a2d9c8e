"""Couplings of joints, belts and ropes over pulleys against closed forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import signorini as sg
from signorini.io.model_text import from_text, to_text
from signorini.problem.errors import ModelError

G = 9.81


def flywheels(*inertias: float, gravity: float = 0.0) -> sg.Model:
    """Wheels that turn about z beside one another: w0, w1, ... on hinges h0, h1, ..."""
    model = sg.Model(gravity=(0, 0, -gravity))
    for k, inertia in enumerate(inertias):
        model.add_body(
            None, mass=1.0, inertia=(inertia,) * 3, position=(float(k), 0, 0), name=f"w{k}",
        )  # fmt: skip
        model.add_revolute(None, f"w{k}", position=(k, 0, 0), axis=(0, 0, 1), name=f"h{k}")
    return model


def hanging(**masses: float) -> sg.Model:
    """Point masses on vertical slides under gravity, a metre apart, at z = 0."""
    model = sg.Model()
    for k, (name, mass) in enumerate(masses.items()):
        model.add_body(None, mass=mass, inertia=(1e-3,) * 3, position=(float(k), 0, 0), name=name)
        model.add_prismatic(None, name, axis=(0, 0, 1), name=f"slide {name}")
    return model


@pytest.mark.slow
@pytest.mark.parametrize("weights", [(1.0, 1.0, -2.0), (30.0, 70.0, -100.0), (0.2, -0.3, 0.7)])
def test_differential_over_many_turns(weights: tuple[float, ...]) -> None:
    """I_i a_i = T_i + w_i lambda with sum w_i a_i = 0: accelerations are constant, and the relation holds."""
    inertias, torques = np.array([0.5, 1.0, 2.0]), np.array([0.0, 3.0, 10.0])
    model = flywheels(*inertias)
    model.add_coupling([(f"h{k}", w) for k, w in enumerate(weights)], name="differential")
    for k, torque in enumerate(torques):
        model.add_motor(f"h{k}", torque=torque)
    w = np.array(weights)
    multiplier = -(w @ (torques / inertias)) / (w @ (w / inertias))
    exact = (torques + w * multiplier) / inertias
    h = 0.005
    run = sg.Simulation(model, step=h).run(5.0)
    speeds = np.array([run.angular_velocity(f"w{k}")[-1, 2] for k in range(3)])
    np.testing.assert_allclose(speeds, exact * 5.0, rtol=1e-9)
    assert (np.abs(exact) * 12.5).max() > 4 * 2 * math.pi  # several turns
    np.testing.assert_allclose(run.joint_impulse("differential")[-1], multiplier * h, rtol=1e-6)
    assert run.summary()["failures"] == 0


@pytest.mark.slow
def test_planetary_gear_with_a_held_ring() -> None:
    """z_s theta_s + z_r theta_r = (z_s + z_r) theta_c: with the ring held the carrier turns by z_s / (z_s + z_r)."""
    model = flywheels(0.1, 0.3, 0.2)
    model.add_coupling([("h0", 24), ("h1", 72), ("h2", -96)])
    model.add_motor("h1", angle=0.0)
    model.add_motor("h0", speed=20.0)
    run = sg.Simulation(model, step=0.005).run(2.0)
    assert run.angular_velocity("w2")[-1, 2] == pytest.approx(20.0 * 24 / 96, rel=1e-9)


@pytest.mark.slow
def test_belt_and_a_ratio_that_is_not_one_of_whole_numbers() -> None:
    model = flywheels(0.1, 0.4)
    model.add_belt("h0", "h1", radii=(0.1, 0.25), crossed=True)
    model.add_motor("h0", torque=1.0)
    run = sg.Simulation(model, step=0.005).run(3.0)
    # Reflected inertia: I_0 + I_1 (r_0 / r_1)^2.
    a = 1.0 / (0.1 + 0.4 * 0.16)
    assert run.angular_velocity("w0")[-1, 2] == pytest.approx(3.0 * a, rel=1e-9)
    assert run.angular_velocity("w1")[-1, 2] == pytest.approx(-3.0 * a * 0.4, rel=1e-9)
    odd = flywheels(0.1, 0.4)
    odd.add_coupling([("h0", 1.0), ("h1", math.pi)])
    odd.add_motor("h0", torque=0.2)
    with pytest.raises(ModelError, match="whole numbers"):
        sg.Simulation(odd, step=0.01).run(5.0)


def test_coupling_that_follows_a_function_of_time() -> None:
    model = flywheels(0.1, 0.4)
    model.add_coupling([("h0", 1.0), ("h1", 1.0)], constant=sg.Ramp(2.0))
    run = sg.Simulation(model, step=0.01).run(0.5)
    w = [run.angular_velocity(f"w{k}")[-1, 2] for k in range(2)]
    # Equal impulses: I_0 w_0 = I_1 w_1, w_0 + w_1 = 2.
    np.testing.assert_allclose(w, (1.6, 0.4), rtol=1e-9)


@pytest.mark.slow
def test_atwood_machine() -> None:
    """a = g (m1 - m2) / (m1 + m2), tension 2 m1 m2 g / (m1 + m2)."""
    model = hanging(a=3.0, b=2.0)
    model.add_pulley_rope([("a", (0, 0, 0)), (None, (0, 0, 5)), (None, (1, 0, 5)), ("b", (1, 0, 0))], name="rope")
    h = 0.002
    run = sg.Simulation(model, step=h).run(1.0)
    assert run.velocity("a")[-1, 2] == pytest.approx(-G / 5, rel=1e-9)
    assert run.velocity("b")[-1, 2] == pytest.approx(G / 5, rel=1e-9)
    np.testing.assert_allclose(run.limit_impulse("rope")[1:, 0] / h, 2 * 6 * G / 5, rtol=1e-9)


@pytest.mark.slow
def test_block_and_tackle() -> None:
    """The load hangs in a loop over its own pulley: twice the force, half the way. a = g (m - 2 p) / (m + 4 p)."""
    m, p = 10.0, 3.0
    model = hanging(load=m, pull=p)
    model.add_pulley_rope(
        [(None, (0, 0, 4)), ("load", (0, 0, 0)), (None, (0, 0, 4)), (None, (1, 0, 4)), ("pull", (1, 0, 0))], name="rope"
    )
    run = sg.Simulation(model, step=0.002).run(0.5)
    exact = G * (m - 2 * p) / (m + 4 * p)
    assert run.velocity("load")[-1, 2] == pytest.approx(-exact * 0.5, rel=1e-9)
    assert run.velocity("pull")[-1, 2] == pytest.approx(2 * exact * 0.5, rel=1e-9)


@pytest.mark.slow
def test_atwood_machine_with_a_heavy_pulley() -> None:
    """No slip: two ropes on one drum. a = g (m1 - m2) / (m1 + m2 + I / r^2), over more than two turns."""
    r, inertia = 0.1, 0.02
    model = hanging(a=3.0, b=2.0)
    model.add_body(None, mass=1.0, inertia=(inertia,) * 3, position=(0.5, 0, 5), name="pulley")
    model.add_revolute(None, "pulley", position=(0.5, 0, 5), axis=(0, 1, 0), name="axle")
    model.add_pulley_rope([("a", (0, 0, 0)), (None, (0, 0, 5))], drum=("axle", r), name="left")
    model.add_pulley_rope([("b", (1, 0, 0)), (None, (1, 0, 5))], drum=("axle", -r), name="right")
    h = 0.002
    run = sg.Simulation(model, step=h).run(1.5)
    a = G / (5.0 + inertia / r**2)
    assert run.velocity("a")[-1, 2] == pytest.approx(-1.5 * a, rel=1e-9)
    assert run.angular_velocity("pulley")[-1, 1] == pytest.approx(1.5 * a / r, rel=1e-9)
    assert abs(run.position("a")[-1, 2]) / r > 4 * math.pi
    np.testing.assert_allclose(run.limit_impulse("left")[1:, 0] / h, 3.0 * (G - a), rtol=1e-6)
    np.testing.assert_allclose(run.limit_impulse("right")[1:, 0] / h, 2.0 * (G + a), rtol=1e-6)


@pytest.mark.slow
def test_slack_rope_jerks_when_it_goes_taut() -> None:
    """Dropped from rest through a slack s the mass has sqrt(2 g s); the jerk shares its momentum with the other one."""
    m1, m2, slack = 1.0, 0.5, 0.2
    model = hanging(a=m1, b=m2)
    model.add_strut(None, "b", (1, 0, -2), (1, 0, 0))  # a shelf that b may leave upwards
    rope: list[Any] = [("a", (0, 0, 0)), (None, (0, 0, 5)), (None, (1, 0, 5)), ("b", (1, 0, 0))]
    model.add_pulley_rope(rope, length=11.0 + slack)
    h = 2e-4
    fall = math.sqrt(2 * slack / G)
    run = sg.Simulation(model, step=h).run(fall + 4 * h)
    before = math.sqrt(2 * G * slack)
    assert run.velocity("b")[-1, 2] == pytest.approx(m1 * before / (m1 + m2), rel=5e-3)
    assert run.velocity("a")[-1, 2] == pytest.approx(-run.velocity("b")[-1, 2], rel=1e-6)


def test_records_and_bad_input(tmp_path: Path) -> None:
    model = hanging(a=3.0, b=2.0)
    model.add_body(None, mass=1.0, inertia=(0.02,) * 3, position=(0.5, 0, 5), name="pulley")
    model.add_revolute(None, "pulley", position=(0.5, 0, 5), axis=(0, 1, 0), name="axle")
    model.add_pulley_rope([("a", (0, 0, 0)), (None, (0, 0, 5))], drum=("axle", 0.1), name="left")
    model.add_coupling([("axle", 0.1), ("slide b", -1.0)], constant=sg.Ramp(0.1), name="rack")
    text = to_text(model)
    assert to_text(from_text(text)) == text
    whole = sg.Simulation(model, step=0.01).run(0.4)
    sg.Simulation(model, step=0.01).run(0.2, record=tmp_path / "run.h5")
    resumed = sg.Simulation.resume(tmp_path / "run.h5").run(0.2)
    np.testing.assert_array_equal(resumed.position("a")[-1], whole.position("a")[-1])
    for make, words in (
        (lambda: model.add_coupling([]), "expected a list"),
        (lambda: model.add_coupling([("axle", 0.0)]), "is 0: drop"),
        (lambda: model.add_coupling([("axle", 1.0), ("axle", 2.0)]), "names a joint twice"),
        (lambda: model.add_coupling([("axle", 1.0, "turn")]), "expected 'angle' or 'position'"),
        (lambda: model.add_coupling([("axle", 1.0, "position")]), "does not slide"),
        (lambda: model.add_belt("axle", "axle", (1, -2)), "> 0"),
        (lambda: model.add_pulley_rope([("a", (0, 0, 0))]), "two or more"),
        (lambda: model.add_pulley_rope([(None, (0, 0, 0)), (None, (1, 0, 0))]), "no effect"),
        (lambda: model.add_pulley_rope([("a", (0, 0, 0)), (None, (1, 0, 0))], drum=("axle", 0)), "radius of the drum"),
    ):
        with pytest.raises(ModelError, match=words):
            make()
    assert to_text(model) == text


def test_slack_on_a_drum_is_known_up_to_a_bound() -> None:
    model = hanging(a=1.0)
    model.add_body(None, mass=1.0, inertia=(0.02,) * 3, position=(0.5, 0, 5), name="pulley")
    model.add_revolute(None, "pulley", position=(0.5, 0, 5), axis=(0, 1, 0), name="axle")
    stops: list[Any] = [("a", (0, 0, 0)), (None, (0, 0, 5))]
    with pytest.raises(ModelError, match="more than the way"):
        model.add_pulley_rope(stops, length=6.0, drum=("axle", 0.1))
    rope = model.add_pulley_rope(stops, length=5.7, drum=("axle", 0.1))
    state = model.initial_state()
    assert rope.rows(state).error[0] == pytest.approx(0.7)
    state.position[0, 2] = 0.1
    with pytest.raises(ModelError, match="is slack by"):
        rope.rows(state)
