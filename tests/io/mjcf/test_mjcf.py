"""MJCF: read as MuJoCo reads it, element by element; what is not understood is named."""

from __future__ import annotations

import copy
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.io.robots.robot_model import RobotModel
from signorini.math.rotations import about, matrix

MODEL = """<mujoco model="test">
  <compiler angle="radian" eulerseq="zyx"/>
  <option timestep="0.002" gravity="0 0 -10" density="1.2" solver="CG"/>
  <include file="parts/defaults.xml"/>
  <worldbody>
    <light name="sun"/>
    <geom name="floor" type="plane" size="1 1 1" friction="0.7"/>
    <body name="cart" pos="0 0 1" childclass="heavy">
      <joint name="x" type="slide" axis="1 0 0" range="-1 2" damping="3" stiffness="4" springref="0.5" ref="0.25"/>
      <geom name="box" type="box" size="0.2 0.1 0.05" euler="0.1 0.2 0.3" contype="2" conaffinity="0"/>
      <body name="pole" pos="0 0 0.1" euler="0 0.1 0">
        <joint name="h1" axis="0 1 0" pos="0 0 0.05" armature="0.1"/>
        <joint name="h2" axis="1 0 0" pos="0 0 0.05" frictionloss="0.4"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0 0.1 0.6" size="0.03" density="500"/>
        <site name="tip" pos="0 0 0.6"/>
        <frame pos="0 0 0.6"><body name="hand"><geom type="sphere" size="0.06" mass="0.3"/></body></frame>
      </body>
    </body>
    <body name="ball" pos="2 0 1"><freejoint name="loose"/><geom size="0.1" condim="6" friction="0.5 0.01 0.02"/></body>
  </worldbody>
  <contact><exclude body1="cart" body2="ball"/></contact>
  <equality><joint name="eq" joint1="h1" joint2="h2" polycoef="0.1 2 0 0 0"/></equality>
  <actuator>
    <motor name="push" joint="x" gear="5" ctrlrange="-1 1"/>
    <position name="servo" joint="h2" kp="20" kv="1"/>
    <muscle name="biceps" joint="h1"/>
  </actuator>
  <sensor><jointpos joint="x"/></sensor>
  <keyframe><key name="home" qpos="0.5 0.2 0.05  2 0 3 1 0 0 0"/></keyframe>
</mujoco>
"""
DEFAULTS = """<mujoco><default>
  <geom friction="0.9" density="2000"/>
  <default class="heavy"><geom friction="0.8"/><joint damping="0.5"/></default>
</default></mujoco>"""


def load(folder: Path, text: str = MODEL, **options: object) -> RobotModel:
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "defaults.xml").write_text(DEFAULTS)
    (folder / "model.xml").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sg.load_mjcf(folder / "model.xml", **options)  # type: ignore[arg-type]


def test_bodies_joints_and_options(tmp_path: Path) -> None:
    model = load(tmp_path)
    assert [body.name for body in model.bodies] == ["cart", "pole", "ball", "floor", "pole.h1"]
    assert model.gravity.tolist() == [0, 0, -10]
    assert model.suggested_step == 0.002
    assert model.links["hand"].body == "pole"
    assert {joint.name for joint in model.joints} == {"x", "h1", "h2", "eq"}
    carrier, pole = model.bodies[4], model.bodies[1]
    assert carrier.mass == pytest.approx(1e-6 * pole.mass)


def test_defaults_nest_and_give_way(tmp_path: Path) -> None:
    model = load(tmp_path)
    friction = {body.name: body.material.friction for body in model.bodies}
    assert (friction["floor"], friction["cart"], friction["ball"]) == (0.7, 0.8, 0.5)
    springs = {spring.name: spring for spring in model.stiff_forces}
    assert springs["h1.spring"].damping == 0.5  # type: ignore[attr-defined]
    assert springs["x.spring"].damping == 3.0  # type: ignore[attr-defined]
    assert model.bodies[0].mass == pytest.approx(2000 * 0.4 * 0.2 * 0.1)
    volume = math.pi * 0.03**2 * math.hypot(0.1, 0.6) + 4 / 3 * math.pi * 0.03**3
    assert model.bodies[1].mass == pytest.approx(500 * volume + 0.3)


def test_slides_count_from_their_ref(tmp_path: Path) -> None:
    model = load(tmp_path)
    (limit,) = (limit for limit in model.limits if limit.name == "x")
    assert (limit.low, limit.high) == (-1.25, 1.75)  # type: ignore[attr-defined]
    (spring,) = (spring for spring in model.stiff_forces if spring.name == "x.spring")
    assert (spring.stiffness, spring.position) == (4.0, 0.25)  # type: ignore[attr-defined]


def test_contacts_follow_bits_and_exclusions(tmp_path: Path) -> None:
    model = load(tmp_path)
    pairs = {tuple(model.bodies[k].name for k in pair) for pair in model.excluded}
    # The box has contype 2 and conaffinity 0: it meets nothing; parents and children do not collide.
    assert pairs == {("cart", "ball"), ("cart", "floor"), ("cart", "pole")}
    ball = model.bodies[2].material
    assert (ball.spinning_friction, ball.rolling_friction, ball.combine) == (0.01, 0.02, "max")


def test_equality_and_actuators(tmp_path: Path) -> None:
    model = load(tmp_path, control={"push": 3.0, "servo": 0.2})
    state = model.initial_state()
    assert model.joint("eq").rows(state).error == pytest.approx([-0.1])
    (push,) = (force for force in model.forces if force.name == "push")
    assert push.effort.value(0.0) == 5.0, "the control is limited to 1, the gear is 5"  # type: ignore[attr-defined]
    (servo,) = (force for force in model.stiff_forces if force.name == "servo")
    assert servo.effort.value(0.0) == 4.0  # type: ignore[attr-defined]
    assert (servo.stiffness, servo.damping) == (20.0, 1.0)  # type: ignore[attr-defined]


def test_equality_and_tendons_have_defaults_of_their_own(tmp_path: Path) -> None:
    text = MODEL.replace(
        "<option", "<default><joint damping='7'/><equality active='false'/><flux/></default><option", 1
    )
    model = load(tmp_path, text)
    assert "eq" not in {joint.name for joint in model.joints}
    assert any(remark.what == "default flux" for remark in model.report.unsupported)


def test_key_poses_are_starts(tmp_path: Path) -> None:
    model = load(tmp_path, keyframe="home")
    state = model.initial_state()
    assert np.allclose(model.link_pose("ball", state)[0], [2, 0, 3])
    assert np.allclose(model.link_pose("cart", state)[0], [0.25, 0, 1])
    start = matrix(about(np.array([0.0, 1.0, 0.0]), 0.1))
    turned = start @ matrix(about(np.array([0.0, 1.0, 0.0]), 0.2)) @ matrix(about(np.array([1.0, 0.0, 0.0]), 0.05))
    assert np.allclose(matrix(model.link_pose("pole", state)[1]), turned, atol=1e-14)
    for joint in model.joints:
        assert np.abs(joint.rows(state).error).max() < 1e-12 or joint.name == "eq"
    with pytest.raises(sg.SignoriniError, match="no key pose is named 'away'"):
        load(tmp_path, keyframe="away")


def test_the_report_names_elements_attributes_and_lines(tmp_path: Path) -> None:
    report = load(tmp_path).report
    unsupported = {remark.what: remark for remark in report.unsupported}
    assert set(unsupported) == {"option density", "armature of joint 'h1'", "muscle 'biceps'"}
    assert unsupported["armature of joint 'h1'"].line == 12
    assert {remark.what for remark in report.ignored} >= {"light 'sun'", "option solver", "sensor"}


def test_tendons_and_loops(tmp_path: Path) -> None:
    text = """<mujoco><worldbody>
      <body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0"/><geom type="box" size=".1 .1 .1"/>
        <site name="sa"/></body>
      <body name="b" pos="1 0 1"><joint name="jb" axis="0 1 0"/><geom type="box" size=".1 .1 .1"/>
        <site name="sb" pos="0 0 0.5"/></body>
      <body name="c" pos="1 0 2"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      <site name="s0" pos="0 0 3"/></worldbody>
      <tendon>
        <spatial name="rope" range="0 4" ><site site="sa"/><site site="s0"/><site site="sb"/></spatial>
        <spatial name="spring" stiffness="7" springlength="0.3"><site site="s0"/><site site="sb"/></spatial>
        <fixed name="sum"><joint joint="ja" coef="1"/><joint joint="jb" coef="-0.5"/></fixed>
      </tendon>
      <equality><connect name="pin" body1="b" body2="c" anchor="0 0 0.5"/><weld name="glue" body1="a" body2="c"/>
        <tendon name="geared" tendon1="sum"/></equality>
      <actuator><motor name="pull" tendon="sum" gear="2"/></actuator></mujoco>"""
    model = load(tmp_path, text, control={"pull": 3.0})
    assert not model.report.unsupported
    rope = next(limit for limit in model.limits if limit.name == "rope")
    assert rope.length == 4.0  # type: ignore[attr-defined]
    spring = next(force for force in model.stiff_forces if force.name == "rope.spring" or force.name == "spring.spring")
    assert (spring.stiffness, spring.length) == (7.0, 0.3)  # type: ignore[attr-defined]
    names = {joint.name: type(joint).__name__ for joint in model.joints}
    assert (names["pin"], names["glue"], names["geared"]) == ("Spherical", "Fixed", "LinearCoupling")
    efforts = {force.name: force.effort.value(0.0) for force in model.forces}  # type: ignore[attr-defined]
    assert efforts == {"pull": 6.0, "pull-2": -3.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('file="parts/defaults.xml"', 'file="../parts/defaults.xml"'), "leads out of"),
        (('file="parts/defaults.xml"', 'file="model.xml"'), "included already"),
        (('childclass="heavy"', 'childclass="light"'), "which no default defines"),
        (('joint1="h1"', 'joint1="h9"'), "'h9', which no body has"),
        (('size="0.2 0.1 0.05"', 'size="0.2 0.1"'), "expected 3 numbers > 0"),
        (('angle="radian"', 'angle="turns"'), "expected one of degree, radian"),
        (('angle="radian"', 'coordinate="global"'), "global"),
        (('body name="hand"', 'body name="cart"'), "no other body has"),
        (('range="-1 2"', 'range="-1 2 3"'), "expected 2"),
        (('qpos="0.5 0.2', 'qpos="0.2'), "expected 10"),
    ],
)
def test_wrong_files_say_what_is_wrong(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in MODEL
    with pytest.raises(sg.SignoriniError, match=message):
        load(tmp_path, MODEL.replace(*change))


def test_actuators_are_motors_whose_controls_are_targets(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" mass="1"/></body></worldbody>
      <actuator><position name="s" joint="j" kp="400" kv="40" forcerange="-6 6"/>
      <motor name="m" joint="j" gear="2" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>"""
    model = load(tmp_path, text)
    assert not model.report.unsupported
    sim = sg.Simulation(model, step=0.005)
    assert sim.motors.names == ("m", "s")
    sim.motors.target = [0.5, -0.1]
    sim.advance()
    assert sim.motor_efforts[0] == pytest.approx(1.0)
    assert sim.motor_efforts[1] == pytest.approx(-6.0), "40 N m are asked for"
    twin = copy.deepcopy(sim)
    for one in (sim, twin):
        one.advance()
    np.testing.assert_array_equal(sim.joints.position, twin.joints.position)
    assert twin.motors.target.tolist() == [0.5, -0.1]


def test_a_servo_holds_its_joint(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" mass="1"/></body></worldbody>
      <actuator><position name="s" joint="j" kp="400" kv="40"/></actuator></mujoco>"""
    model = load(tmp_path, text, control={"s": -0.5})
    run = sg.Simulation(model, step=0.005).run(2.0)
    q = -0.5
    for _ in range(20):  # 400 (q + 0.5) = 9.81 * 0.25 cos q
        q = -0.5 + 9.81 * 0.25 * math.cos(q) / 400
    angle = model.joint("j").angle.at(run.state())[0]  # type: ignore[attr-defined]
    assert angle == pytest.approx(q, abs=1e-4)
