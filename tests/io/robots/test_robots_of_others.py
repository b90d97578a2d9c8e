"""Robots of others load, agree with MuJoCo's reading, and settle on a plane."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.collision.detector import Detector

sys.path.insert(0, str(Path(__file__).parent))
from others import description_of, differences, mujoco_model, robot_path

MJCF = [
    *(f"gymnasium/{name}.xml" for name in ("ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "pusher_v5",
                                           "reacher", "swimmer", "walker2d_v5", "inverted_double_pendulum", "point")),
    *(f"dm_control/{name}.xml" for name in ("acrobot", "ball_in_cup", "cartpole", "cheetah", "dog", "finger", "fish",
                                            "hopper", "humanoid", "humanoid_CMU", "manipulator", "quadruped", "stacker",
                                            "walker")),
]  # fmt: skip
URDF = [
    f"pybullet_data/{name}.urdf"
    for name in ("r2d2", "kuka_iiwa/model", "a1/a1", "franka_panda/panda", "quadruped/minitaur", "racecar/racecar",
                 "aliengo/aliengo", "cartpole", "pr2_gripper", "quadruped/vision60")
]  # fmt: skip
SETTLING = {
    "gymnasium/ant.xml": False,
    "gymnasium/hopper.xml": False,
    "gymnasium/half_cheetah.xml": False,
    "gymnasium/walker2d_v5.xml": False,
    "dm_control/cheetah.xml": False,
    "dm_control/walker.xml": False,
    "dm_control/hopper.xml": False,
    "pybullet_data/r2d2.urdf": True,
    "pybullet_data/a1/a1.urdf": True,
    "pybullet_data/aliengo/aliengo.urdf": True,
    "pybullet_data/quadruped/vision60.urdf": True,
    "pybullet_data/racecar/racecar.urdf": True,
}
"""Robot -> whether it needs a ground."""
AGREEMENT = 1e-9


def load(robot: str, **options: object) -> sg.Model:
    path = robot_path(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loader = sg.load_urdf if path.suffix == ".urdf" else sg.load_mjcf
        return loader(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("robot", [*MJCF, *URDF])
def test_masses_inertias_and_frames_are_those_of_mujoco(robot: str) -> None:
    path = robot_path(robot)
    worst = differences(description_of(path), mujoco_model(path))
    assert max(worst.values()) < AGREEMENT, worst


@pytest.mark.parametrize("robot", [*MJCF, *URDF])
def test_robots_become_models(robot: str) -> None:
    model = load(robot)
    state = model.initial_state()
    for joint in model.joints:
        error = np.abs(joint.rows(state).error).max()
        assert error < 1e-9, f"{joint.name} is open by {error:g} at the start"
    for remark in model.report.unsupported:  # type: ignore[attr-defined]
        assert remark.what
        assert remark.why
        assert remark.line > 0


@pytest.mark.slow
@pytest.mark.parametrize("robot", SETTLING)
def test_robots_settle_on_a_plane(robot: str) -> None:
    model = load(robot, ground=SETTLING[robot])
    simulation, detector = sg.Simulation(model, step=0.005), Detector(model)
    for step in range(400):
        state = simulation.advance().state
        if step % 10 == 9:
            contacts = detector.detect(state, 0.0)
            assert contacts.deepest < 1e-5, f"penetration at t = {state.time:g} s"
    # What moves at first is settling: joints are closed again where it has come to rest.
    assert max(np.abs(joint.rows(state).error).max() for joint in model.joints) < 1e-6
