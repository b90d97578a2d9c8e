"""URDF: each element becomes what it means, and what is not understood is named."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.io.robots.robot_model import RobotModel
from signorini.math.rotations import about, matrix

ARM = """<robot name="arm">
  <link name="base">
    <inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.5" rpy="0.3 -0.2 0.1"/><mass value="2"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="-0.03" izz="0.5"/>
    </inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="0.8"/></geometry></collision>
  </link>
  <link name="camera"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
  <link name="rod">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="follower"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.2" rpy="0 0 0.7"/><parent link="base"/><child link="upper"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="0.5" effort="10" velocity="1"/><dynamics damping="0.3" friction="0.2"/>
  </joint>
  <joint name="mount" type="fixed"><origin xyz="0.1 0 0.9"/><parent link="upper"/><child link="camera"/></joint>
  <joint name="slide" type="prismatic">
    <origin xyz="0 0 1"/><parent link="upper"/><child link="rod"/><axis xyz="0 0 1"/>
    <limit lower="0.1" upper="0.4" effort="1" velocity="1"/><dynamics damping="2"/>
  </joint>
  <joint name="copy" type="continuous">
    <origin xyz="0.5 0 0"/><parent link="base"/><child link="follower"/><axis xyz="0 1 0"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.25"/>
  </joint>
  <transmission name="t"/>
  <sail name="s"/>
</robot>
"""


def load(folder: Path, text: str = ARM, **options: object) -> RobotModel:
    path = folder / "robot.urdf"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sg.load_urdf(path, **options)  # type: ignore[arg-type]


def test_links_that_are_fixed_to_one_another_are_one_body(tmp_path: Path) -> None:
    model = load(tmp_path)
    assert [body.name for body in model.bodies] == ["base", "upper", "follower", "rod"]
    upper = model.bodies[1]
    assert upper.mass == 3.0
    assert np.allclose(upper.center_of_mass, (2 * np.array([0, 0, 0.5]) + np.array([0.1, 0, 0.9])) / 3, atol=1e-15)
    assert model.links["camera"].body == "upper"
    position, _ = model.link_pose("camera", model.initial_state())
    turned = matrix(about(np.array([0.0, 0.0, 1.0]), 0.7)) @ [0.1, 0, 0.9]
    assert np.allclose(position, np.add(turned, [0, 0, 0.2]), atol=1e-15)


def test_inertia_is_turned_and_moved(tmp_path: Path) -> None:
    upper = load(tmp_path).bodies[1]
    x, y, z = np.eye(3)
    R = matrix(about(z, 0.1)) @ matrix(about(y, -0.2)) @ matrix(about(x, 0.3))
    own = R @ np.array([[0.3, 0.01, 0.02], [0.01, 0.4, -0.03], [0.02, -0.03, 0.5]]) @ R.T
    expected = own + 0.01 * np.eye(3)
    for mass, place in ((2, [0, 0, 0.5]), (1, [0.1, 0, 0.9])):
        arm = np.array(place) - upper.center_of_mass
        expected = expected + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    assert np.allclose(upper.inertia, expected, atol=1e-14)


def test_joints_have_limits_damping_friction_and_mimics(tmp_path: Path) -> None:
    model = load(tmp_path)
    limits = {limit.name: (limit.low, limit.high) for limit in model.limits}  # type: ignore[attr-defined]
    assert limits["shoulder"] == (-1.0, 0.5)
    assert model.joint_values["slide"] == 0.1, "0 is outside of its limits"
    assert limits["slide"] == pytest.approx((0.0, 0.3))
    springs = {spring.name: spring.damping for spring in model.stiff_forces}  # type: ignore[attr-defined]
    assert springs == {"shoulder.spring": 0.3, "slide.spring": 2.0}
    assert [friction.name for friction in model.dry_frictions] == ["shoulder"]
    state = model.initial_state()
    for joint in model.joints:
        assert np.abs(joint.rows(state).error).max() < 1e-12 or joint.name == "copy.mimic"
    coupling = model.joint("copy.mimic")
    assert coupling.rows(state).error == pytest.approx([-0.25])


def test_coupled_fingers_touch_each_other(tmp_path: Path) -> None:
    finger = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
      <collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
      <joint name="j{0}" type="prismatic"><origin xyz="{1} 0 0"/><parent link="world"/><child link="{0}"/>
      <axis xyz="1 0 0"/><limit lower="-1" upper="1"/>{2}</joint>"""
    mimic = '<mimic joint="ja" multiplier="-1"/>'
    parts = finger.format("a", -0.1, "") + finger.format("b", 0.1, mimic)
    model = load(tmp_path, f'<robot name="g"><link name="world"/>{parts}</robot>')
    model.add_force("a", (10.0, 0, 0))
    run = sg.Simulation(model, step=0.005).run(0.5)
    assert run.position("a")[-1, 0] == pytest.approx(-0.05, abs=1e-6)
    assert run.position("b")[-1, 0] == pytest.approx(0.05, abs=1e-6)


def test_a_free_base_falls_and_a_fixed_one_stays(tmp_path: Path) -> None:
    free, fixed = load(tmp_path, ground=True), load(tmp_path, fixed_base=True)
    assert free.bodies[0].movable
    ground = free.bodies[-1]
    assert (ground.name, ground.position[2]) == ("ground", pytest.approx(-0.1))
    assert not fixed.bodies[fixed.body_index("base")].movable
    run = sg.Simulation(free, step=0.005).run(0.1)
    assert run.summary()["penetration_max"] < 1e-6


def test_the_report_names_what_is_not_understood(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ARM)
    with pytest.warns(UserWarning, match=r"robot\.urdf, line 34: sail 's': this element is not known"):
        model = sg.load_urdf(path)
    assert any(remark.what == "joint 'slide'" and "starts at 0.1" in remark.why for remark in model.report.unsupported)
    assert {remark.what for remark in model.report.ignored} == {"visual of 'base'", "transmission 't'"}
    assert "sail 's'" in str(model.report)


def test_joint_values_move_the_links(tmp_path: Path) -> None:
    model = load(tmp_path, joint_values={"shoulder": 0.5, "slide": 0.3})
    R = matrix(about(np.array([0.0, 0.0, 1.0]), 0.7)) @ matrix(about(np.array([0.0, 1.0, 0.0]), 0.5))
    position, _ = model.link_pose("rod", model.initial_state())
    assert np.allclose(position, np.array([0, 0, 0.2]) + R @ [0, 0, 1.3], atol=1e-14)
    assert model.joint_values["copy"] == pytest.approx(-2 * 0.5 + 0.25)
    with pytest.raises(sg.SignoriniError, match="outside of its limits"):
        load(tmp_path, joint_values={"shoulder": 1.5})
    with pytest.raises(sg.SignoriniError, match="no joint is named 'elbow'"):
        load(tmp_path, joint_values={"elbow": 1.5})


CUBE = "\n".join(
    ["solid c"]
    + [
        f"facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet"
        for a, b, c in (("0 0 0", "0 2 0", "2 0 0"), ("0 0 0", "2 0 0", "0 0 2"), ("0 0 0", "0 0 2", "0 2 0"),
                        ("2 0 0", "0 2 0", "0 0 2"))
    ]
    + ["endsolid c"]
)  # fmt: skip


def mesh_robot(filename: str) -> str:
    return (
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
        f'<collision><geometry><mesh filename="{filename}" scale="0.5 1 1"/></geometry></collision></link></robot>'
    )


def test_meshes_are_hulls_with_scale(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "t.stl").write_text(CUBE)
    for name in ("meshes/t.stl", "package://meshes/t.stl", "package://robot/meshes/t.stl"):
        (placed,) = load(tmp_path, mesh_robot(name)).bodies[0].shapes
        assert isinstance(placed.shape, sg.ConvexHull)
        assert np.allclose(np.ptp(placed.shape.vertices, axis=0), [1, 2, 2])
        assert placed.shape.mass_properties().volume == pytest.approx(4 / 6)


def test_packages_are_looked_for_in_given_folders(tmp_path: Path) -> None:
    (tmp_path / "urdf").mkdir()
    (tmp_path / "t.stl").write_text(CUBE)
    text = mesh_robot("package://robot/t.stl")
    with pytest.raises(sg.SignoriniError, match=r"packages=\[\.\.\.\]"):
        load(tmp_path / "urdf", text)
    assert len(load(tmp_path / "urdf", text, packages=[tmp_path]).bodies[0].shapes) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<robot", "<rowboat"), r"not well-formed|a <rowboat>"),
        (('link="rod"/>', 'link="base"/>'), "ring|second joint"),
        (('link="rod"/>', 'link="rodd"/>'), "'rodd', which is no link"),
        (('type="prismatic"', 'type="bendy"'), "expected one of"),
        (('radius="0.1"', 'radius="-0.1"'), "radius"),
        (('size="0.4 0.4 0.2"', 'size="0.4 0.4 9e9"'), "check the units"),
        (('size="0.4 0.4 0.2"', 'size="0.4 0.4 1e-9"'), "check the units"),
        (('xyz="0 2 0"', 'xyz="0 0 0"'), "axis of length 0"),
        (('mass value="5"', 'mass value="-5"'), "mass >= 0"),
        (('joint="shoulder" mult', 'joint="knee" mult'), "'knee'"),
        (('name="camera"', 'name="upper"'), "no other link has"),
    ],
)
def test_wrong_files_say_what_is_wrong(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    text = ARM.replace(*change).replace("</robot>", "</rowboat>" if "rowboat" in change[1] else "</robot>")
    with pytest.raises(sg.SignoriniError, match=message):
        load(tmp_path, text)


def test_inertias_that_no_solid_has_are_replaced_and_reported(tmp_path: Path) -> None:
    model = load(tmp_path, ARM.replace('ixx="1" iyy="1" izz="1"', 'ixx="0" iyy="0" izz="0"'))
    base = model.bodies[0]
    assert np.allclose(base.inertia, 5 / 12 * np.diag([0.04 + 0.16, 0.2, 0.32]))
    assert any(remark.what == "inertia of 'base'" for remark in model.report.unsupported)
    odd = load(tmp_path, ARM.replace('ixx="1" iyy="1" izz="1"', 'ixx="1" iyy="1" izz="4"')).bodies[0]
    assert np.allclose(odd.inertia, 2 * np.eye(3))


def test_a_pendulum_swings_as_it_should(tmp_path: Path) -> None:
    text = """<robot name="p"><link name="world"/><link name="bob">
      <inertial><origin xyz="0 0 -1"/><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
      <joint name="pin" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/></joint>
      </robot>"""
    model = load(tmp_path, text, joint_values={"pin": 0.01})
    period = 2 * math.pi * math.sqrt((2 * 1 + 0.01) / (2 * 9.81 * 1))
    run = sg.Simulation(model, step=0.001).run(period)
    swing = np.arctan2(-run.position("bob")[:, 0], -run.position("bob")[:, 2])
    crossings = run.times[:-1][np.diff(np.sign(swing)) != 0]
    assert np.diff(crossings) == pytest.approx(period / 2, rel=2e-3)
