"""Robots made by others, in packages that may be installed; `SIGNORINI_ROBOTS` names a folder of unpacked wheels."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from signorini.io.confined_folder import ConfinedFolder
from signorini.io.mjcf.reader import read_mjcf
from signorini.io.robots.description import Description
from signorini.io.robots.kinematics import link_poses
from signorini.io.robots.mesh_shapes import MeshFiles
from signorini.io.robots.report import LoadReport
from signorini.io.robots.urdf import UrdfReader
from signorini.io.xml_tree import read_xml
from signorini.math.rotations import matrix
from signorini.model.material import Material

FOLDERS = {"gymnasium": "envs/mujoco/assets", "dm_control": "suite", "pybullet_data": "."}
"""Package -> where its robots are."""


def robot_path(robot: str) -> Path:
    """`package/file`; the test is skipped where the package is not installed."""
    package, _, name = robot.partition("/")
    roots = [Path(place) for place in Path(os.environ.get("SIGNORINI_ROBOTS", ".")).glob(f"*/{package}")]
    spec = None if roots else importlib.util.find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        roots = [Path(spec.submodule_search_locations[0])]
    if not roots:
        pytest.skip(f"the package {package} is not installed (or unpacked in $SIGNORINI_ROBOTS): no {name} to load")
    return roots[0] / FOLDERS[package] / name


def description_of(path: Path) -> Description:
    """As our reader sees it."""
    place = ConfinedFolder.of(path)
    if path.suffix == ".urdf":
        reader = UrdfReader(path.resolve().parent, MeshFiles(place, LoadReport()), Material())
        return reader.description(read_xml(path, place), None)
    return read_mjcf(path, place)


def mujoco_model(path: Path) -> Any:
    """As MuJoCo reads it; of a URDF without looks, its links not fused."""
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed: nothing to compare with")
    if path.suffix != ".urdf":
        return mujoco.MjModel.from_xml_path(str(path))
    text = re.sub(r"<visual.*?</visual>", "", path.read_text(), flags=re.DOTALL)
    names = [name.rsplit("/", 1)[-1] for name in re.findall(r'filename="([^"]+)"', text)]
    assets = {name: found.read_bytes() for name in names for found in path.parent.rglob(name)}
    spec = mujoco.MjSpec.from_string(text, assets=assets)
    spec.compiler.fusestatic = False
    return spec.compile()


def differences(description: Description, model: Any) -> dict[str, float]:
    """Largest differences over all bodies: masses [kg], centres [m], inertias [kg m2], zero-pose frames [m, -]."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    poses = link_poses(description, {})
    links = [link for link in description.links if link.element.tag != "worldbody"]
    by_name = {link.name: link for link in links}
    names = [model.body(i).name for i in range(1, model.nbody)]
    if all(name in by_name for name in names):  # MuJoCo makes the root link of a URDF the world
        links = [by_name[name] for name in names]
    assert len(links) == model.nbody - 1
    worst = dict.fromkeys(("mass", "centre", "inertia", "position", "rotation"), 0.0)
    for i, link in enumerate(links, start=1):
        own = link.inertial
        pairs = {
            "mass": (0.0 if own is None else own.mass, model.body_mass[i]),
            "position": (poses[link.name].position, data.xpos[i]),
            "rotation": (matrix(poses[link.name].orientation), data.xmat[i].reshape(3, 3)),
        }
        if own is not None:
            R = matrix(model.body_iquat[i])
            pairs["centre"] = (own.center, model.body_ipos[i])
            pairs["inertia"] = (own.tensor, R @ np.diag(model.body_inertia[i]) @ R.T)
        for key, (ours, theirs) in pairs.items():
            worst[key] = max(worst[key], float(np.abs(np.asarray(ours) - theirs).max()))
    return worst
