"""Robots from URDF files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.io.confined_folder import ConfinedFolder
from signorini.io.robots.build_model import Choices, build_model
from signorini.io.robots.contacts import SelfCollision
from signorini.io.robots.description import (
    NO_LIMITS,
    Description,
    Geom,
    JointKind,
    JointRelation,
    Link,
    LinkJoint,
    Pose,
)
from signorini.io.robots.mesh_shapes import MeshFiles
from signorini.io.robots.report import LoadReport
from signorini.io.robots.robot_model import RobotModel
from signorini.io.robots.urdf_frames import inertial_of, origin
from signorini.io.xml_tree import Element, read_xml
from signorini.model.material import Material
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import FileError, ModelError

KINDS: dict[str, JointKind] = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "floating": "free",
    "planar": "planar",
}
"""Joint types but `fixed`."""
LOOKS = ("visual", "material", "transmission", "gazebo", "sensor", "mujoco", "verbose", "self_collision_checking")
"""Elements without effect on the motion here."""
IN_LINK = ("inertial", "collision", "contact")
IN_JOINT = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
NOT_MECHANICS = ("safety_controller", "calibration", "hardwareInterface")
SHORTEST = 1e-12
"""Length below which an axis has no direction."""


def load_urdf(
    path: str | Path,
    *,
    fixed_base: bool | None = None,
    ground: bool = False,
    joint_values: Mapping[str, Any] | None = None,
    packages: Sequence[str | Path] = (),
    folder: str | Path | None = None,
    self_collision: SelfCollision = "apart",
    material: Material | None = None,
) -> RobotModel:
    """The model of the robot in a URDF file; what is not understood is in `model.report`, with a warning.

    Links that are fixed to one another become one body, named as the first of them; `model.links` tells where each
    is. Meshes collide as their convex hulls; neighbours do not collide.

    Parameters
    ----------
    fixed_base
        Whether the root link stands still; None: where it is called `world` or has no mass.
    ground
        Whether a plane is put below the lowest point.
    joint_values
        Where joints start, by name [rad or m]; 0, or the limit next to it, by default.
    packages
        Folders in which `package://name/...` is looked for, besides that of the file.
    folder
        Only files below it are read; that of the file by default.
    self_collision
        `apart`: parts that overlap at the start never collide, others do. `all`, `none`.
    material
        Of links that give none in a `contact` element.
    """
    file = Path(path)
    place = ConfinedFolder.of(file, folder, tuple(packages))
    root = read_xml(file, place)
    if root.tag != "robot":
        raise FileError(f"{root.place}: the file is a <{root.tag}>, expected a <robot>")
    choices = Choices(joint_values or {}, {}, self_collision, ground)
    try:
        reader = UrdfReader(file.resolve().parent, MeshFiles(place, LoadReport()), material or Material())
        model = build_model(reader.description(root, fixed_base), choices)
    except ModelError as error:
        raise ModelError(f"{file.name}: {error}") from error
    model.report.warn(stacklevel=2)
    return model


@dataclass(frozen=True, eq=False)
class UrdfReader:
    """From elements to a description."""

    base: Path
    meshes: MeshFiles
    material: Material

    def description(self, root: Element, fixed_base: bool | None) -> Description:
        """Of a whole file."""
        links = self._named(root, "link")
        joints = self._named(root, "joint")
        self._note_others(root, ("link", "joint"))
        if not links:
            raise root.error("has no links")
        by_child = self._by_child(joints, links)
        order = _from_the_roots(root, links, by_child)
        made = tuple(self._link(links[name], by_child.get(name), fixed_base) for name in order)
        # Neighbours do not collide, not even with a base that stands still.
        pairs = tuple((link.parent, link.name) for link in made if link.parent is not None)
        return Description(
            root.attributes.get("name", "robot"),
            made,
            self.meshes.report,
            relations=tuple(self._mimics(joints)),
            exclusions=pairs,
        )

    def _named(self, root: Element, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for element in root.all(tag):
            name = element.text("name")
            if not name or name in found:
                raise element.error(f"has the name {name!r}, expected one that no other {tag} has")
            found[name] = element
        return found

    def _by_child(self, joints: dict[str, Element], links: dict[str, Element]) -> dict[str, Element]:
        result: dict[str, Element] = {}
        for joint in joints.values():
            for role in ("parent", "child"):
                name = _linked(joint, role)
                if name not in links:
                    raise joint.error(f"{joint.name!r} names the {role} {name!r}, which is no link of the file")
            child = _linked(joint, "child")
            if child in result:
                raise joint.error(f"{joint.name!r} is the second joint that moves {child!r}; expected a tree of links")
            result[child] = joint
        return result

    def _link(self, element: Element, joint: Element | None, fixed_base: bool | None) -> Link:
        self._note_others(element, IN_LINK)
        inertial = inertial_of(element)
        geoms = tuple(geom for part in element.all("collision") for geom in self._geoms(part, element))
        name = element.text("name")
        if joint is None:
            stands = (name == "world" or inertial is None) if fixed_base is None else fixed_base
            free = LinkJoint(element, f"{name}.free", "free", np.array([0.0, 0.0, 1.0]), np.zeros(3))
            return Link(element, name, None, Pose(), () if stands else (free,), inertial, geoms)
        self._note_others(joint, IN_JOINT)
        moves = self._joint(joint)
        parent = _linked(joint, "parent")
        return Link(element, name, parent, origin(joint), () if moves is None else (moves,), inertial, geoms)

    def _joint(self, element: Element) -> LinkJoint | None:
        kind = element.choice("type", (*KINDS, "fixed"), "fixed") if "type" in element.attributes else None
        if kind is None:
            raise element.error(f"{element.name!r} has no type=...")
        if kind == "fixed":
            return None
        axis = element.first("axis")
        direction = np.array([1.0, 0.0, 0.0]) if axis is None else axis.numbers("xyz", (1, 0, 0), 3)
        length = float(np.linalg.norm(direction))
        if length < SHORTEST:
            raise element.error(f"{element.name!r} has an axis of length {length:g}, expected a direction")
        dynamics = element.first("dynamics")
        damping = dynamics.number("damping", 0.0) if dynamics is not None else 0.0
        friction = dynamics.number("friction", 0.0) if dynamics is not None else 0.0
        if damping < 0 or friction < 0:
            raise element.error(f"{element.name!r} has negative damping or friction")
        limits = self._limits(element) if kind in ("revolute", "prismatic") else NO_LIMITS
        name, moves = element.text("name"), KINDS[kind]
        if moves == "free" and (damping or friction):
            self.meshes.report.unsupport(element, "dynamics of floating joints are not known")
        return LinkJoint(
            element, name, moves, direction / length, np.zeros(3), limits, damping=damping, friction=friction
        )

    def _limits(self, element: Element) -> tuple[float, float]:
        limit = element.first("limit")
        if limit is None:
            self.meshes.report.unsupport(element, "it has no limit element; it moves without limits")
            return NO_LIMITS
        low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if low >= high:
            why = f"lower {low:g} is not below upper {high:g}; it moves without limits"
            self.meshes.report.unsupport(limit, why, f"limit of {element.name!r}")
            return NO_LIMITS
        return low, high

    def _mimics(self, joints: dict[str, Element]) -> list[JointRelation]:
        result = []
        for joint in joints.values():
            mimic = joint.first("mimic")
            if mimic is None:
                continue
            leader, factor = mimic.text("joint"), mimic.number("multiplier", 1.0)
            if leader not in joints or leader == joint.name:
                raise mimic.error(f"of {joint.name!r} names the joint {leader!r}, expected another joint of the file")
            allowed = ("revolute", "continuous", "prismatic")
            if any(one.attributes.get("type") not in allowed for one in (joint, joints[leader])):
                self.meshes.report.unsupport(
                    mimic, "it couples a joint that neither turns nor slides", f"mimic of {joint.name!r}"
                )
                continue
            terms = ((joint.text("name"), 1.0), (leader, -factor)) if factor else ((joint.text("name"), 1.0),)
            result.append(JointRelation(mimic, f"{joint.name}.mimic", terms, mimic.number("offset", 0.0)))
        return result

    def _geoms(self, collision: Element, link: Element) -> list[Geom]:
        geometry = collision.first("geometry")
        if geometry is None or not geometry.children:
            raise collision.error(f"of {link.name!r} has no geometry")
        shape = self._shape(geometry.children[0], link)
        if shape is None:
            return []
        name = collision.attributes.get("name", "")
        return [Geom(collision, name, shape, origin(collision), self._material(link))]

    def _shape(self, element: Element, link: Element) -> Shape | None:
        if element.tag == "box":
            x, y, z = element.numbers("size", None, 3).tolist()
            return Box((x, y, z))
        if element.tag == "sphere":
            return Sphere(element.number("radius"))
        if element.tag == "cylinder":
            return Cylinder(element.number("radius"), element.number("length"))
        if element.tag == "capsule":
            return Capsule(element.number("radius"), element.number("length"))
        if element.tag == "mesh":
            scale = element.numbers("scale", (1, 1, 1), 1, 3)
            if len(scale) == 2 or not scale.all():
                raise element.error(
                    f"of {link.name!r} has scale={element.text('scale')!r}, expected 1 or 3 numbers, none 0"
                )
            return self.meshes.hull(element, element.text("filename"), self.base, np.broadcast_to(scale, 3))
        self.meshes.report.unsupport(
            element, "this geometry is not known; it is left out", f"{element.tag} of {link.name!r}"
        )
        return None

    def _material(self, link: Element) -> Material:
        contact = link.first("contact")
        if contact is None:
            return self.material
        values: dict[str, float] = {}
        for part in contact.children:
            if part.tag in FRICTIONS:
                values[FRICTIONS[part.tag]] = part.number("value")
            else:
                self.meshes.report.unsupport(
                    part, "this property of contact is not known", f"{part.tag} of {link.name!r}"
                )
        return Material(**values)  # type: ignore[arg-type]

    def _note_others(self, element: Element, known: tuple[str, ...]) -> None:
        for part in element.children:
            if part.tag in LOOKS:
                self.meshes.report.ignore(part, "it has no effect on the motion", _of(part, element))
            elif part.tag in NOT_MECHANICS:
                self.meshes.report.ignore(part, "it is for controllers", _of(part, element))
            elif part.tag not in known:
                self.meshes.report.unsupport(part, "this element is not known; it is left out", _of(part, element))


FRICTIONS = {
    "lateral_friction": "friction",
    "rolling_friction": "rolling_friction",
    "spinning_friction": "spinning_friction",
    "restitution": "restitution",
}
"""Of the `contact` element that PyBullet knows -> fields of `Material`."""


def _linked(joint: Element, role: str) -> str:
    found = joint.first(role)
    if found is None:
        raise joint.error(f"{joint.name!r} has no {role} link")
    return found.text("link")


def _from_the_roots(root: Element, links: dict[str, Element], by_child: dict[str, Element]) -> list[str]:
    """Names of links, parents first, in the order of the file."""
    children: dict[str, list[str]] = {}
    for child, joint in by_child.items():
        children.setdefault(_linked(joint, "parent"), []).append(child)
    order = [name for name in links if name not in by_child]
    if not order:
        raise root.error("has a ring of joints and no root link, expected a tree of links")
    for name in order:
        order.extend(children.get(name, []))
        if len(order) > len(links):
            break
    if len(order) != len(links):
        lost = next(name for name in links if name not in order)
        raise links[lost].error(f"{lost!r} is part of a ring of joints, expected a tree of links")
    return order


def _of(part: Element, owner: Element) -> str:
    name = part.attributes.get("name") or part.attributes.get("reference")
    own = f"{part.tag} {name!r}" if name else part.tag
    return own if owner.tag == "robot" else f"{own} of {owner.name!r}"
