"""Models from MJCF files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from signorini.io.confined_folder import ConfinedFolder
from signorini.io.mjcf.actions import ActionReader
from signorini.io.mjcf.assets import Assets
from signorini.io.mjcf.compiler import Compiler
from signorini.io.mjcf.defaults import Defaults
from signorini.io.mjcf.geoms import GeomReader
from signorini.io.mjcf.includes import Includes
from signorini.io.mjcf.tree import TreeReader
from signorini.io.robots.build_model import Choices, build_model
from signorini.io.robots.contacts import SelfCollision
from signorini.io.robots.description import Description, Link
from signorini.io.robots.kinematics import joints_of
from signorini.io.robots.mesh_shapes import MeshFiles
from signorini.io.robots.report import LoadReport
from signorini.io.robots.robot_model import RobotModel
from signorini.io.xml_tree import Element
from signorini.math.sparse import Array
from signorini.problem.errors import ModelError, suggestion

READ = (
    "compiler", "option", "default", "asset", "worldbody", "contact", "equality", "tendon", "actuator", "keyframe",
)  # fmt: skip
LOOKS = ("visual", "statistic", "size", "sensor", "custom")
MEDIUM = ("density", "viscosity", "wind", "magnetic")
"""Options of a fluid around the bodies."""
GRAVITY = (0.0, 0.0, -9.81)


def load_mjcf(
    path: str | Path,
    *,
    ground: bool = False,
    joint_values: Mapping[str, Any] | None = None,
    keyframe: str | None = None,
    control: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    self_collision: SelfCollision = "apart",
) -> RobotModel:
    """The model in an MJCF file (MuJoCo's XML); what is not understood is in `model.report`, with a warning.

    Bodies without joints become one with their parents; `model.links` has the pose of each. A body with several joints
    is led by small bodies of a millionth of its mass. Meshes collide as their convex hulls; parents and children do not
    collide. Contacts, limits and equality constraints are rigid, whatever their solref and solimp.

    Parameters
    ----------
    ground
        Whether a plane is put below the lowest point.
    joint_values
        Where joints start, by name [rad or m]; their `ref`, or the limit next to it, by default.
    keyframe
        Name of the key pose to start from.
    control
        Of actuators by name: a number, a function such as `Sine(1, 2)`, or time -> number; 0 by default.
    folder
        Only files below it are read; that of the file by default.
    self_collision
        `apart`: parts that overlap at the start never collide, others do. `all`, `none`.
    """
    file = Path(path)
    place = ConfinedFolder.of(file, folder)
    try:
        description = read_mjcf(file, place)
        values = {**_key_pose(description, keyframe), **(joint_values or {})}
        model = build_model(description, Choices(values, control or {}, self_collision, ground))
    except ModelError as error:
        raise ModelError(f"{file.name}: {error}") from error
    model.report.warn(stacklevel=2)
    return model


def read_mjcf(file: Path, place: ConfinedFolder) -> Description:
    """The description in a file."""
    report, base = LoadReport(), file.resolve().parent
    root = Includes(place, base).root(file)
    compiler, defaults = Compiler.of(root, report), Defaults.of(root, report)
    for section in root.children:
        if section.tag in LOOKS:
            report.ignore(section, "it has no effect on the motion")
        elif section.tag not in READ:
            report.unsupport(section, "this section is not read; it is left out")
    assets = Assets(MeshFiles(place, report), base, compiler)
    assets.collect(root, defaults)
    tree = TreeReader(compiler, defaults, GeomReader(assets, compiler), report)
    tree.read_world(root)
    actions = ActionReader(tree, defaults, compiler)
    actions.read(root)
    gravity, step = _options(root, report)
    links = tuple(_scaled(tree.links, compiler.total_mass))
    return Description(
        root.attributes.get("model", file.stem),
        links,
        report,
        gravity,
        step,
        tuple(actions.relations),
        tuple(actions.ties),
        tuple(actions.drives),
        tuple(actions.ropes),
        tuple(actions.exclusions),
        tuple(actions.frictions),
        _key_poses(root, links, report),
    )


def _options(root: Element, report: LoadReport) -> tuple[Array, float | None]:
    gravity, step = np.array(GRAVITY), None
    for option in root.all("option"):
        gravity = option.numbers("gravity", gravity, 3)
        if "timestep" in option.attributes:
            step = option.number("timestep")
            if not step > 0:
                raise option.error(f"has timestep={step:g}, expected > 0")
        for key in MEDIUM:
            if key in option.attributes and option.numbers(key).any():
                report.unsupport(option, "there is no fluid around the bodies", f"option {key}")
        for flag in option.all("flag"):
            for key, value in flag.attributes.items():
                if key == "gravity" and value == "disable":
                    gravity = np.zeros(3)
                elif value == "disable":
                    report.unsupport(flag, "it stays switched on", f"flag {key}='disable'")
        others = sorted(set(option.attributes) - {"gravity", "timestep", *MEDIUM})
        if others:
            report.ignore(option, "settings of another solver", f"option {', '.join(others)}")
    return gravity, step


def _scaled(links: list[Link], total: float) -> list[Link]:
    """Masses and inertias scaled to a total mass, where that is > 0."""
    whole = sum(link.inertial.mass for link in links if link.inertial is not None)
    if total <= 0 or whole <= 0:
        return links
    factor = total / whole
    return [
        link
        if link.inertial is None
        else replace(
            link,
            inertial=replace(link.inertial, mass=factor * link.inertial.mass, tensor=factor * link.inertial.tensor),
        )
        for link in links
    ]


def _key_poses(root: Element, links: tuple[Link, ...], report: LoadReport) -> dict[str, dict[str, Any]]:
    """Joint values of the key poses by name; numbers follow the order of the joints."""
    sizes = {"free": 7, "ball": 4}
    joints = joints_of(links)
    poses: dict[str, dict[str, Any]] = {}
    for section in root.all("keyframe"):
        for number, key in enumerate(section.all("key")):
            if "qpos" not in key.attributes:
                report.ignore(key, "it has no qpos")
                continue
            total = sum(sizes.get(joint.kind, 1) for joint in joints)
            values = key.numbers("qpos", None, total)
            pose: dict[str, Any] = {}
            at = 0
            for joint in joints:
                part = values[at : at + sizes.get(joint.kind, 1)]
                at += len(part)
                free = joint.kind == "free"
                pose[joint.name] = (part[:3], part[3:]) if free else part if joint.kind == "ball" else float(part[0])
            poses[key.attributes.get("name", str(number))] = pose
    return poses


def _key_pose(description: Description, name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    if name not in description.poses:
        raise ModelError(f"no key pose is named {name!r}{suggestion(name, description.poses, 'there are')}")
    return description.poses[name]
