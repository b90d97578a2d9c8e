"""Joints, limits, motors and springs against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import signorini as sg
from signorini.math.rotations import rotate
from signorini.model.model import Model
from signorini.scenes import SCENES

pytestmark = pytest.mark.slow  # whole simulations

G = 9.81


def joint_error(model: Model, run: sg.Run, every: int = 1) -> float:
    """Largest error of any joint in any frame."""
    frames = range(0, len(run.times), every)
    return max(float(np.abs(joint.rows(run.state(k)).error).max()) for k in frames for joint in model.joints)


def crossings(times: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Times at which the angle passes 0 upwards, by linear interpolation."""
    k = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    return times[k] - angle[k] * (times[k + 1] - times[k]) / (angle[k + 1] - angle[k])


@pytest.mark.parametrize("degrees", [20.0, 90.0])
def test_period_of_the_pendulum(degrees: float) -> None:
    """T = 4 sqrt(I / (m g l)) K(sin(theta0/2)), second order in the step."""
    model = SCENES["pendulum"].build(length=1.0, width=0.05, angle=degrees)
    bar = model.bodies[0]
    inertia = bar.inertia[1, 1] + bar.mass * 0.5**2
    exact = 4 * math.sqrt(inertia / (bar.mass * G * 0.5)) * ellipk(math.sin(math.radians(degrees) / 2) ** 2)
    errors = []
    for h in (0.016, 0.008):
        run = sg.Simulation(model, step=h).run(1.8 * exact)
        path = run.position("bar")
        period = float(np.diff(crossings(run.times, np.arctan2(path[:, 0], -path[:, 2])))[0])
        errors.append(abs(period / exact - 1))
        assert run.summary()["failures"] == 0
    assert errors[1] < 3e-4
    assert 2.5 < errors[0] / errors[1] < 4.5


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.02, 0.01])
def test_joints_are_shut_after_each_step_for_ten_seconds(h: float) -> None:
    model = SCENES["double-pendulum"].build(angle=60.0)
    assert joint_error(model, sg.Simulation(model, step=h).run(10.0), every=5) < 1e-10


def test_joint_errors_to_first_order_stay_below_c_h2_for_ten_seconds() -> None:
    worst = []
    for h in (0.02, 0.01):
        model = SCENES["double-pendulum"].build(angle=60.0)
        run = sg.Simulation(model, step=h, gaps="linear").run(10.0)
        worst.append(joint_error(model, run, every=5))
    # Speeds reach 8 rad/s: the error of a step is (w h)^2 l / 2, and the next one removes it.
    assert worst[0] < 60 * 0.02**2
    assert worst[1] < 60 * 0.01**2
    assert worst[0] / worst[1] > 2.5


@pytest.mark.parametrize("h", [0.002, 0.001])
def test_slider_crank_follows_its_kinematics(h: float) -> None:
    model = SCENES["slider-crank"].build(crank=0.1, rod=0.3, speed=10.0)
    run = sg.Simulation(model, step=h).run(0.9)
    motor: Any = model.joint("motor")
    theta = np.array([motor.target.value(t) for t in run.times])
    assert theta[-1] > 2 * math.pi  # more than a turn
    x = 0.1 * np.cos(theta) + np.sqrt(0.3**2 - (0.1 * np.sin(theta)) ** 2)
    assert np.abs(run.position("piston")[:, 0] - x).max() < 10 * h * h
    assert np.abs(run.position("piston")[:, 1:]).max() < 1e-12
    # The motor's angle is off by h^2/2 of its acceleration, up to 94 rad/s2 while it is brought to speed.
    assert joint_error(model, run, every=10) < 50 * h * h
    assert run.summary()["failures"] == 0


def test_pin_with_play_stays_in_its_bearing() -> None:
    """The piston follows to within the clearance, by contact alone."""
    play = 0.001
    model = SCENES["slider-crank"].build(clearance=play, speed=10.0)
    run = sg.Simulation(model, step=0.002).run(0.6)
    motor: Any = model.joint("motor")
    theta = np.array([motor.target.value(t) for t in run.times])
    x = 0.1 * np.cos(theta) + np.sqrt(0.3**2 - (0.1 * np.sin(theta)) ** 2)
    lag = np.abs(run.position("piston")[:, 0] - x)
    # The bearing is a polygon around its circle, and the rod leans.
    assert 0.5 * play < lag.max() < 1.2 * play
    assert run.summary()["contacts_max"] >= 1
    assert run.summary()["penetration_max"] < 1e-5
    assert run.summary()["failures"] == 0


def test_four_bar_closes_and_follows_its_kinematics() -> None:
    """The redundant rows of four hinges in space do not disturb the plane."""
    h = 0.002
    model = SCENES["four-bar"].build()
    run = sg.Simulation(model, step=h).run(1.2)
    assert run.summary()["failures"] == 0
    assert joint_error(model, run, every=10) < 5 * h * h
    assert np.abs(run.position()[:, :, 1]).max() < 1e-12
    crank = run.position("crank")
    theta = np.arctan2(crank[:, 2], crank[:, 0])
    b = 0.12 * np.stack((np.cos(theta), np.sin(theta)), axis=1)
    # The joint of coupler and rocker from the poses of both sides.
    rocker, q = run.position("rocker"), run.orientation("rocker")
    c = np.array([x + rotate(o, np.array([0.15, 0, 0])) for x, o in zip(rocker, q, strict=True)])[:, [0, 2]]
    np.testing.assert_allclose(np.linalg.norm(c - b, axis=1), 0.4, atol=10 * h * h)
    np.testing.assert_allclose(np.linalg.norm(c - [0.4, 0], axis=1), 0.3, atol=10 * h * h)


def hinged_bar(**options: Any) -> Model:
    """A bar of 2 kg and 1 m along x that turns about z at its end; no gravity."""
    model = Model(gravity=(0, 0, 0))
    spin = options.pop("spin", 3.0)
    model.add_body(
        sg.Box((1.0, 0.1, 0.1)), mass=2.0, position=(0.5, 0, 0), velocity=(0, 0.5 * spin, 0),
        angular_velocity=(0, 0, spin), name="bar",
    )  # fmt: skip
    model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 0, 1), name="hinge", **options)
    return model


INERTIA = 2.0 * (1.0**2 + 0.1**2) / 12 + 2.0 * 0.5**2
"""Of the hinged bar about its hinge [kg m2]."""


@pytest.mark.parametrize(("spin", "end"), [(3.0, 1), (-3.0, 0)])
def test_limit_is_struck_with_the_right_impulse(spin: float, end: int) -> None:
    """Without gravity the whole angular momentum is taken, once, at the limit, and by the right end of it."""
    model = hinged_bar(spin=spin, limits=(-0.5, 0.8))
    run = sg.Simulation(model, step=0.005).run(0.5)
    impulse = run.limit_impulse("hinge")
    assert impulse.min() > -1e-8
    # Positions are of first order: the bar has lost a little of its spin on the way.
    assert impulse[:, end].sum() == pytest.approx(INERTIA * 3.0, rel=2e-4)
    assert np.abs(impulse[:, 1 - end]).max() < 1e-9
    hinge: Any = model.joint("hinge")
    assert hinge.angle.at(run.state())[0] == pytest.approx((-0.5, 0.8)[end], abs=1e-7)
    assert abs(run.angular_velocity("bar")[-1, 2]) < 1e-8


def test_sliding_limit_holds_a_weight() -> None:
    model = Model()
    model.add_body(sg.Sphere(0.1), mass=3.0, name="ball")
    model.add_prismatic(None, "ball", axis=(0, 0, 1), limits=(-0.2, 1.0), name="slide")
    run = sg.Simulation(model, step=0.01).run(0.5)
    assert run.position("ball")[-1, 2] == pytest.approx(-0.2, abs=1e-9)
    assert run.limit_impulse("slide")[-1].tolist() == pytest.approx([3.0 * G * 0.01, 0.0], abs=1e-9)


def test_rope_catches_a_falling_ball() -> None:
    """It falls freely by 0.3 m, then the rope takes m sqrt(2 g s) at once and the weight from then on."""
    model = Model()
    model.add_body(sg.Sphere(0.1), mass=3.0, name="ball")
    model.add_rope(None, "ball", position_a=(0, 0, 0.7), position_b=(0, 0, 0), length=1.0, name="rope")
    run = sg.Simulation(model, step=0.001).run(0.5)
    pull = run.limit_impulse("rope")[:, 0]
    assert run.position("ball")[-1, 2] == pytest.approx(-0.3, abs=1e-8)
    # The step in which it tightens lets the ball fall to the end of the rope; the next one takes the rest of the blow.
    first = int(np.argmax(pull > 0.1))
    assert pull[first : first + 2].sum() == pytest.approx(3.0 * math.sqrt(2 * G * 0.3), rel=0.01)
    assert pull.sum() == pytest.approx(3.0 * G * 0.5, rel=1e-6)
    assert pull[-1] == pytest.approx(3.0 * G * 0.001, rel=1e-6)


def test_strut_keeps_its_distance() -> None:
    model = Model()
    model.add_body(sg.Sphere(0.1), mass=3.0, position=(0, 0, 1), name="ball")
    model.add_strut(None, "ball", position_a=(0, 0, 0), position_b=(0, 0, 1), length=0.6, name="strut")
    model.add_guide("ball")
    run = sg.Simulation(model, step=0.005).run(0.6)
    assert run.position("ball")[-1, 2] == pytest.approx(0.6, abs=1e-8)
    assert run.limit_impulse("strut")[-1, 0] == pytest.approx(3.0 * G * 0.005, rel=1e-6)


# --- reactions -------------------------------------------------------------------------------------------------------


def test_reactions_of_a_cantilever() -> None:
    """A bar fixed at one end: the weight upwards, and m g l / 2 about the end (row of the turn about y)."""
    model = Model()
    model.add_body(sg.Box((1.0, 0.1, 0.1)), mass=2.0, position=(0.5, 0, 0), name="bar")
    model.add_fixed_joint(None, "bar", position=(0, 0, 0), name="wall")
    h = 0.01
    run = sg.Simulation(model, step=h).run(0.1)
    force = run.joint_impulse("wall")[-1] / h
    np.testing.assert_allclose(force, [0, 0, 2.0 * G, 0, -2.0 * G * 0.5, 0], atol=1e-8)
    assert run.joint_impulse("wall").shape == (11, 6)
    assert not run.joint_impulse("wall")[0].any()


def test_centripetal_force_of_a_turning_bar() -> None:
    model = hinged_bar(spin=3.0)
    h = 0.001
    run = sg.Simulation(model, step=h).run(0.3)
    force = run.joint_impulse("hinge") / h
    # In the world's axes (those of frame a) the pull turns with the bar.
    np.testing.assert_allclose(np.hypot(force[5:, 0], force[5:, 1]), 2.0 * 3.0**2 * 0.5, rtol=2e-3)
    np.testing.assert_allclose(force[:, 2:], 0, atol=1e-9)


def test_motor_torque_is_its_impulse() -> None:
    """theta = a t^2 / 2 takes the torque I a."""
    model = hinged_bar(spin=0.0)
    model.add_motor("hinge", angle=lambda t: 0.5 * 4.0 * t * t, name="motor")
    h = 0.002
    run = sg.Simulation(model, step=h).run(0.5)
    np.testing.assert_allclose(run.joint_impulse("motor")[10:, 0] / h, INERTIA * 4.0, rtol=2e-3)


# --- motors, gears, racks, screws over many turns ------------------------------------------------------------------


def test_speed_motor_turns_for_ever() -> None:
    model = hinged_bar(spin=0.0)
    model.add_motor("hinge", speed=30.0)
    run = sg.Simulation(model, step=0.01).run(3.0)
    assert run.angular_velocity("bar")[-1, 2] == pytest.approx(30.0, abs=1e-6)
    angle = np.unwrap(2 * np.arctan2(run.orientation("bar")[:, 3], run.orientation("bar")[:, 0]))
    np.testing.assert_allclose(angle, 30.0 * run.times, atol=1e-6)  # 14 turns


@pytest.mark.parametrize("teeth", [(20, 40), (17, -53)])
def test_gear_keeps_its_ratio_over_many_turns(teeth: tuple[int, int]) -> None:
    model = Model(gravity=(0, 0, 0))
    for name, x in (("pinion", 0.0), ("wheel", 0.3)):
        model.add_body(sg.Cylinder(0.1, 0.02), density=1000, position=(x, 0, 0), name=name)
        model.add_revolute(None, name, position=(x, 0, 0), axis=(0, 0, 1), name=f"{name} hinge")
    model.add_gear("pinion hinge", "wheel hinge", teeth=teeth, name="mesh")
    model.add_motor("pinion hinge", torque=0.1)
    h = 0.02
    run = sg.Simulation(model, step=h).run(4.0)
    spins = run.angular_velocity()[-1, :, 2]
    assert spins[0] > 50  # after some 20 turns
    assert teeth[0] * spins[0] + teeth[1] * spins[1] == pytest.approx(0, abs=1e-7)
    # Reduced inertia: torque = (I_1 + (z_1/z_2)^2 I_2) d omega / dt.
    inertia = model.bodies[0].inertia[2, 2] * (1 + (teeth[0] / teeth[1]) ** 2)
    assert spins[0] == pytest.approx(0.1 * 4.0 / inertia, rel=1e-6)
    turns = [np.unwrap(2 * np.arctan2(run.orientation(b)[:, 3], run.orientation(b)[:, 0]))[-1] for b in (0, 1)]
    assert teeth[0] * turns[0] + teeth[1] * turns[1] == pytest.approx(0, abs=1e-7)


def test_rack_and_screw_advance_by_their_turns() -> None:
    model = Model(gravity=(0, 0, 0))
    model.add_body(sg.Cylinder(0.1, 0.02), density=1000, name="pinion")
    model.add_body(sg.Box((1, 0.1, 0.1)), mass=1.0, position=(0, 0.2, 0), name="rack")
    model.add_body(sg.Cylinder(0.1, 0.02), density=1000, position=(0, 0, 3), name="nut")
    model.add_revolute(None, "pinion", position=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    model.add_prismatic(None, "rack", axis=(1, 0, 0), name="slide")
    model.add_rack("hinge", "slide", radius=-0.1)
    model.add_screw(None, "nut", position=(0, 0, 3), axis=(0, 0, 1), pitch=0.05, name="thread")
    model.add_motor("hinge", speed=20.0)
    model.add_motor("thread", speed=20.0)
    run = sg.Simulation(model, step=0.01).run(3.0)
    assert run.position("rack")[-1, 0] == pytest.approx(-0.1 * 60.0, abs=1e-6)
    assert run.position("nut")[-1, 2] == pytest.approx(3 + 0.05 * 60.0 / (2 * math.pi), abs=1e-6)


def test_universal_joint_turns_unevenly() -> None:
    """Shafts at an angle b, the input's arm of the cross across the plane of the shafts: tan(out) = tan(in) cos(b)."""
    bend = math.radians(30)
    model = Model(gravity=(0, 0, 0))
    out = np.array([math.cos(bend), math.sin(bend), 0.0])
    model.add_body(sg.Sphere(0.1), density=1000, position=(-0.5, 0, 0), name="in")
    model.add_body(sg.Sphere(0.1), density=1000, position=0.5 * out, name="out")
    first = model.add_revolute(None, "in", position=(-0.5, 0, 0), axis=(1, 0, 0))
    second = model.add_revolute(None, "out", position=0.5 * out, axis=out)
    model.add_universal("in", "out", position=(0, 0, 0), axis_a=(0, 0, 1), axis_b=(-math.sin(bend), math.cos(bend), 0))
    model.add_motor(first, speed=3.0)
    h = 0.002
    run = sg.Simulation(model, step=h).run(0.25)
    theta = first.angle.at(run.state())[0]
    turned = second.angle.at(run.state())[0]
    assert math.tan(turned) == pytest.approx(math.tan(theta) * math.cos(bend), rel=1e-4)
    assert abs(turned - theta) > 0.05
    assert run.summary()["failures"] == 0, "joints are redundant: round-off of positions must not be asked for"


def test_prescribed_pose_and_its_price() -> None:
    """A body led up with acceleration a weighs m (g + a)."""
    model = Model()
    model.add_body(sg.Box((0.2, 0.2, 0.2)), mass=2.0, name="box")
    model.add_pose("box", lambda t: ((0, 0, 0.5 * 3.0 * t * t), (math.cos(t), 0, 0, math.sin(t))), name="lead")
    h = 0.001
    run = sg.Simulation(model, step=h).run(0.4)
    assert run.position("box")[-1, 2] == pytest.approx(0.5 * 3.0 * 0.16, abs=1e-5)
    np.testing.assert_allclose(run.joint_impulse("lead")[5:, 2] / h, 2.0 * (G + 3.0), rtol=2e-3)
    np.testing.assert_allclose(run.angular_velocity("box")[-1], [0, 0, 2.0], atol=1e-5)


# --- springs ---------------------------------------------------------------------------------------------------------


def ball_on_spring(stiffness: float, damping: float, gravity: float = 0.0) -> Model:
    model = Model(gravity=(0, 0, -gravity))
    model.add_body(sg.Sphere(0.1), mass=2.0, position=(0, 0, 1.3), name="ball")
    model.add_spring(None, "ball", (0, 0, 0), (0, 0, 1.3), stiffness, damping, length=1.0, name="spring")
    return model


@pytest.mark.parametrize(("k", "r"), [(80.0, 0.0), (80.0, 5.0), (1e7, 0.0), (0.0, 1e5)])
def test_spring_is_integrated_by_linearised_implicit_euler(k: float, r: float) -> None:
    """(m + h r + h^2 k) v1 = (m + h r) v0 - h (k x + r v0): the same numbers, however stiff."""
    h, x, v = 0.01, 0.3, 0.0
    run = sg.Simulation(ball_on_spring(k, r), step=h, gaps="linear").run(0.5)
    for frame in range(1, 51):
        v = (2.0 * v + h * r * v - h * (k * x + r * v)) / (2.0 + h * r + h * h * k)
        x += h * v
        assert run.position("ball")[frame, 2] - 1.0 == pytest.approx(x, abs=1e-12)
    assert run.diagnostics["potential"][-1] == pytest.approx(0.5 * k * x * x, abs=1e-9 * max(1.0, k))


@pytest.mark.parametrize(("k", "r"), [(80.0, 0.0), (80.0, 5.0), (2e3, 0.0), (1e7, 0.0), (0.0, 1e5)])
def test_spring_is_taken_at_the_mean_of_two_middles_where_it_is_slow(k: float, r: float) -> None:
    """(m + h r + a h^2 k) v1 = (m + h r + b h^2 k) v0 - h (k x + r v0): a = b = 1/4, or 1 and 0 where it is stiff."""
    h, x, v = 0.01, 0.3, 0.0
    late = min(max((h * h * k / 2.0 - 0.25) / 0.75, 0.0), 1.0)
    a, b = 0.25 + 0.75 * late, 0.25 * (1.0 - late)
    run = sg.Simulation(ball_on_spring(k, r), step=h).run(0.5)
    for frame in range(1, 51):
        v = ((2.0 + h * r + b * h * h * k) * v - h * (k * x + r * v)) / (2.0 + h * r + a * h * h * k)
        x += h * v
        assert run.position("ball")[frame, 2] - 1.0 == pytest.approx(x, abs=1e-12)
    middle = x - 0.5 * h * v
    assert run.diagnostics["potential"][-1] == pytest.approx(0.5 * k * middle * middle, abs=1e-9 * max(1.0, k))


def test_spring_converges_to_the_oscillation() -> None:
    """x = 0.3 cos(w t); first order in the step."""
    w = math.sqrt(80.0 / 2.0)
    errors = []
    for h in (0.008, 0.004):
        run = sg.Simulation(ball_on_spring(80.0, 0.0), step=h).run(1.0)
        errors.append(np.abs(run.position("ball")[:, 2] - 1.0 - 0.3 * np.cos(w * run.times)).max())
    assert errors[1] < 0.025
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.15)


def test_weight_on_a_spring_comes_to_rest_at_m_g_over_k() -> None:
    run = sg.Simulation(ball_on_spring(80.0, 20.0, gravity=G), step=0.02).run(6.0)
    assert run.position("ball")[-1, 2] == pytest.approx(1.0 - 2.0 * G / 80.0, abs=1e-6)


def test_torsion_spring_and_bushing_hold_a_bar() -> None:
    """Static: k theta = m g l / 2 cos(theta); a bushing gives way by m g / k and m g l / 2 / k_turn."""
    for kind in ("torsion", "bushing"):
        model = Model()
        model.add_body(sg.Box((1.0, 0.1, 0.1)), mass=2.0, position=(0.5, 0, 0), name="bar")
        if kind == "torsion":
            hinge = model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0))
            model.add_torsion_spring(hinge, stiffness=60.0, damping=8.0)
        else:
            model.add_bushing(None, "bar", (0, 0, 0), (1e4, 1e4, 1e4, 2e3, 2e3, 2e3), (80, 80, 80, 20, 20, 20))
        run = sg.Simulation(model, step=0.05).run(10.0)
        q = run.orientation("bar")[-1]
        theta = 2 * math.atan2(q[2], q[0])
        stiffness = 60.0 * theta if kind == "torsion" else 2e3 * 2 * math.sin(theta / 2) * math.cos(theta / 2)
        assert stiffness == pytest.approx(2.0 * G * 0.5 * math.cos(theta), rel=1e-4)
        if kind == "bushing":
            end = run.position("bar")[-1] + rotate(q, np.array([-0.5, 0, 0]))
            assert end[2] == pytest.approx(-2.0 * G / 1e4, rel=1e-4)


def test_free_mechanism_keeps_its_momentum() -> None:
    """Two bars on a hinge with a spring between them, flying: momenta stay, also the angular one."""
    model = Model(gravity=(0, 0, 0))
    for name, x, spin in (("left", -0.5, (0.3, 2.0, -1.0)), ("right", 0.5, (0.0, -1.0, 2.0))):
        model.add_body(sg.Box((1.0, 0.1, 0.2)), mass=2.0, position=(x, 0, 0), angular_velocity=spin, name=name)
    model.add_spherical("left", "right", position=(0, 0, 0))
    model.add_spring("left", "right", (-1, 0, 0.1), (1, 0, 0.1), stiffness=30.0, damping=0.5)
    sim = sg.Simulation(model, step=0.002)
    sim.advance()  # the first step makes the velocities fit the joint, by an impulse

    def momenta() -> tuple[np.ndarray, np.ndarray]:
        s = sim.state
        spin = [rotate(s.orientation[k], b.inertia @ s.angular_velocity[k]) for k, b in enumerate(model.bodies)]
        linear = 2.0 * s.velocity
        return linear.sum(axis=0), (np.cross(s.position, linear) + np.array(spin)).sum(axis=0)

    before = momenta()
    for _ in range(250):
        sim.advance()
    after = momenta()
    np.testing.assert_allclose(after[0], before[0], atol=1e-10)
    # The update of positions is of first order: angular momentum is kept to O(h) of what the joint carries.
    np.testing.assert_allclose(after[1], before[1], atol=0.02 * np.linalg.norm(before[1]))


# --- chains, redundant joints ----------------------------------------------------------------------------------------


def test_chain_on_a_table_carries_its_weight() -> None:
    h = 0.005
    model = SCENES["chain"].build(links=12, bars=0, height=0.015)
    run = sg.Simulation(model, step=h).run(0.1)
    last = run.contacts()
    weight = sum(body.mass for body in model.bodies if body.movable) * G * h
    push = last.impulse[:, 0]
    assert push.sum() == pytest.approx(weight, rel=1e-6)
    # What each link carries is not unique (joints pass force on), the centre of pressure is.
    assert push @ last.contacts.point_a[:, 0] / push.sum() == pytest.approx(0.6, abs=1e-6)
    assert push.min() > -1e-8
    assert np.abs(run.position()[-1] - run.position()[0]).max() < 1e-9


def test_each_ball_of_a_string_carries_its_own_weight() -> None:
    """Balls that touch the table in one point each, tied half way between: then no joint may carry anything."""
    h = 0.005
    model = Model()
    smooth = sg.Material(friction=0.0)
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=smooth)
    for k in range(10):
        mass = 1.0 + 0.3 * k
        model.add_body(sg.Sphere(0.1), mass=mass, position=(0.25 * k, 0, 0.1), material=smooth, name=f"ball-{k}")
        if k:
            model.add_revolute(f"ball-{k - 1}", f"ball-{k}", position=(0.25 * k - 0.125, 0, 0.1), axis=(0, 1, 0))
    run = sg.Simulation(model, step=h).run(0.1)
    last = run.contacts()
    expected = [body.mass * G * h for body in model.bodies if body.movable]
    assert last.contacts.count == 10
    np.testing.assert_allclose(last.impulse[:, 0], expected, rtol=1e-6)
    for joint in model.joints:
        np.testing.assert_allclose(run.joint_impulse(joint.name)[-1], 0, atol=1e-7)


SOLVERS: dict[str, Any] = {
    "interior-point": sg.InteriorPoint(),
    "condensed": sg.InteriorPoint(system="condensed"),
    "projected-sor": sg.ProjectedSOR(tolerance=1e-9, max_iterations=20000),
    "apgd": sg.APGD(tolerance=1e-9, max_iterations=20000),
    "barzilai-borwein": sg.BarzilaiBorwein(tolerance=1e-9, max_iterations=20000),
}


@pytest.mark.parametrize("solver", SOLVERS)
def test_duplicated_joint_changes_nothing(solver: str) -> None:
    paths = []
    for twice in (False, True):
        model = SCENES["pendulum"].build(angle=40.0)
        if twice:
            model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0), name="again")
        run = sg.Simulation(model, step=0.005, solver=SOLVERS[solver]).run(0.1)
        assert run.summary()["failures"] == 0
        paths.append(run.position("bar"))
        whole = run.joint_impulse("hinge") + (run.joint_impulse("again") if twice else 0)
        paths.append(whole[5:, :3])
    np.testing.assert_allclose(paths[2], paths[0], atol=1e-7)
    np.testing.assert_allclose(paths[3], paths[1], atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_over_constrained_four_bar(solver: str) -> None:
    expected = sg.Simulation(SCENES["four-bar"].build(), step=0.005).run(0.05)
    run = sg.Simulation(SCENES["four-bar"].build(), step=0.005, solver=SOLVERS[solver]).run(0.05)
    assert run.summary()["failures"] == 0
    np.testing.assert_allclose(run.position(), expected.position(), atol=1e-6)


def test_contradictory_motors_are_named() -> None:
    model = hinged_bar(spin=0.0)
    model.add_motor("hinge", speed=1.0, name="forward")
    model.add_motor("hinge", speed=-1.0, name="backward")
    sim = sg.Simulation(model, step=0.01, on_failure="raise")
    with pytest.raises(sg.SignoriniError, match=r"infeasible: .*joint '(forward|backward|hinge)' is violated most"):
        sim.run(0.1)


def test_packaging_machine_pushes_a_parcel_aside_in_every_turn() -> None:
    """They stop in front of the pusher, leave with the belt behind it, a pitch apart."""
    parcels, pitch, speed = 3, 0.4, 0.4
    model = SCENES["packaging"].build(parcels=parcels, pitch=pitch, speed=speed)
    run = sg.Simulation(model, step=0.004).run((parcels + 0.5) * pitch / speed)
    for k in range(parcels):
        path = run.position(f"parcel-{k}")
        assert abs(path[:, 0].max()) < 1e-3  # stopped
        turn = np.searchsorted(run.times, np.array([k + 0.5, k + 1.0]) * pitch / speed)
        before, after = path[turn, 1]
        assert abs(before) < 1e-3
        assert after > 0.12
    ends = [run.position(f"parcel-{k}")[-1] for k in range(parcels)]
    assert np.diff([end[1] for end in ends]) == pytest.approx(-pitch, abs=0.02)
    assert min(end[2] for end in ends) > 0.03
    assert run.summary()["failures"] == 0
