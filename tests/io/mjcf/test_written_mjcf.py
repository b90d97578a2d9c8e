"""Models written as MJCF: MuJoCo reads the same bodies, and our reader the same model."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.analyses import assemble_positions
from signorini.io.mjcf.writer import save_mjcf
from signorini.math.rotations import matrix
from signorini.shapes import Cone, Ellipsoid

SCENES = ("balls-in-box", "slider-crank", "four-bar", "double-pendulum", "gripper", "ragdolls", "walker", "chain",
          "brick-wall", "polytope-stack", "governor", "pendulum")  # fmt: skip


def written(model: sg.Model, folder: Path) -> tuple[Path, list[str]]:
    path = folder / "model.xml"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return path, save_mjcf(path, model)


def read(path: Path) -> sg.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sg.load_mjcf(path, self_collision="all")


@pytest.mark.parametrize("name", SCENES)
def test_mujoco_reads_the_same_bodies(tmp_path: Path, name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed: nothing reads the file")
    model = sg.SCENES[name].build()
    path, _ = written(model, tmp_path)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    for body in model.bodies:
        i = theirs.body(body.name).id
        assert data.xpos[i] == pytest.approx(body.position, abs=1e-9)
        assert data.xmat[i].reshape(3, 3) == pytest.approx(matrix(body.orientation), abs=1e-9)
        if body.movable:
            R = matrix(theirs.body_iquat[i])
            assert theirs.body_mass[i] == pytest.approx(body.mass, rel=1e-12)
            tensor = R @ np.diag(theirs.body_inertia[i]) @ R.T
            assert tensor == pytest.approx(body.inertia, abs=1e-9 * np.abs(body.inertia).max())


@pytest.mark.parametrize("name", SCENES)
def test_our_reader_gives_the_model_back(tmp_path: Path, name: str) -> None:
    model = sg.SCENES[name].build()
    path, _ = written(model, tmp_path)
    copy = read(path)
    for body in model.bodies:
        if body.movable:
            twin = copy.bodies[copy.body_index(body.name)]
            assert twin.mass == body.mass
            assert twin.position == pytest.approx(body.position, abs=1e-12)
            assert twin.inertia == pytest.approx(body.inertia, rel=1e-9, abs=1e-15)
            assert len(twin.shapes) == len(body.shapes)


def machine() -> sg.Model:
    model = sg.Model(gravity=(0, 0, -3))
    base = model.add_body(sg.Box((1, 1, 0.2)), density=100, name="base")
    arm = model.add_body(sg.Capsule(0.05, 0.5), density=100, position=(0, 0, 0.5), name="arm")
    cone = model.add_body(Cone(0.1, 0.3), density=100, position=(0.3, 0, 0.5), name="cone")
    egg = model.add_body(Ellipsoid((0.1, 0.2, 0.3)), density=100, position=(0.9, 0, 0.5), name="egg")
    pin = model.add_revolute(base, arm, (0, 0, 0.2), (0, 1, 0), limits=(-1, 0.5), friction=0.3, name="pin")
    slide = model.add_prismatic(cone, arm, (1, 0, 0), limits=(-0.2, 0.3), name="slide")
    model.add_spherical(None, egg, (0.9, 0, 0.9), name="ball")
    model.add_torsion_spring(pin, stiffness=5.0, damping=0.2, angle=0.1)
    model.add_slide_spring(slide, damping=0.7)
    model.add_coupling([(pin, 1.0), (slide, -2.0)], 0.05, name="tie")
    model.add_spring(egg, None, (0.9, 0, 0.2), (2, 0, 0), stiffness=30.0, length=0.4, name="bungee")
    model.add_rope(cone, egg, (0.3, 0, 0.5), (0.9, 0, 0.5), length=0.9, name="rope")
    model.add_motor(pin, torque=0.0, name="servo")
    model.add_fixed_body(
        sg.HalfSpace((0, 0.6, 0.8)), position=(0, 0, -1), material=sg.Material(friction=0.7), name="slope"
    )
    model.exclude_contact(base, egg)
    return model


def test_parts_go_along(tmp_path: Path) -> None:
    model = machine()
    path, left_out = written(model, tmp_path)
    assert left_out == ["the Cone of 'cone' is a mesh, of which MuJoCo takes the convex hull"]
    copy = read(path)
    state = copy.initial_state()
    assert not copy.report.unsupported  # type: ignore[attr-defined]
    assert copy.gravity.tolist() == [0, 0, -3]
    limits = {limit.name: limit for limit in copy.limits}
    assert (limits["pin"].low, limits["pin"].high) == (-1.0, 0.5)  # type: ignore[attr-defined]
    assert (limits["slide"].low, limits["slide"].high) == (-0.2, 0.3)  # type: ignore[attr-defined]
    assert limits["rope"].length == 0.9  # type: ignore[attr-defined]
    springs = {spring.name: spring for spring in copy.stiff_forces}
    pin = springs["pin.spring"]
    assert (pin.stiffness, pin.damping, pin.angle) == (5.0, 0.2, 0.1)  # type: ignore[attr-defined]
    assert springs["slide.spring"].damping == 0.7  # type: ignore[attr-defined]
    assert (springs["bungee.spring"].stiffness, springs["bungee.spring"].length) == (30.0, 0.4)  # type: ignore[attr-defined]
    assert copy.joint("tie").rows(state).error == pytest.approx([-0.05])
    assert [force.name for force in copy.forces] == ["servo"]
    slope = copy.bodies[copy.body_index("slope")]
    R = matrix(slope.orientation)
    assert R[:, 2] == pytest.approx([0, 0.6, 0.8])


def test_the_copy_moves_as_the_model_does(tmp_path: Path) -> None:
    model = machine()
    path, _ = written(model, tmp_path)
    # MuJoCo's larger friction of two is the rule of the copy; nothing touches in this time. The tie is open by 5 cm; to
    # shut it within a step, at 25 m/s, would tell joints apart that are the same but for which body is the first one.
    starts = ((m, assemble_positions(m).state) for m in (model, read(path)))
    one, two = (sg.Simulation(m, step=0.002, state=start).run(0.1) for m, start in starts)
    for name in ("base", "arm", "cone", "egg"):
        assert two.position(name)[-1] == pytest.approx(one.position(name)[-1], abs=1e-10)


def test_what_mjcf_has_no_word_for_is_reported(tmp_path: Path) -> None:
    model = machine()
    model.add_screw(None, "base", (0, 0, 0), (0, 0, 1), pitch=0.1, name="screw")
    model.add_body(sg.Sphere(0.1), motion=lambda t: ((0, 0, 5 + t), (1, 0, 0, 0)), name="lift")
    with pytest.warns(UserWarning, match=r"screw joint 'screw'"):
        left_out = save_mjcf(tmp_path / "a.xml", model)
    assert any("motion of 'lift'" in words for words in left_out)
    with pytest.raises(sg.SignoriniError, match=r"expected '\.xml'"):
        save_mjcf(tmp_path / "a.urdf", model)
