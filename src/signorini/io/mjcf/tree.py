"""Bodies of MJCF with their joints, geoms and sites."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from signorini.io.mjcf.compiler import Compiler
from signorini.io.mjcf.defaults import Defaults
from signorini.io.mjcf.geoms import GeomReader
from signorini.io.mjcf.known_attributes import note_attributes
from signorini.io.robots.description import NO_LIMITS, Geom, Inertial, JointKind, Link, LinkJoint, Pose, summed
from signorini.io.robots.report import LoadReport
from signorini.io.xml_tree import Element
from signorini.math.rotations import matrix
from signorini.math.sparse import Array

LOOKS = ("camera", "light")
KINDS: tuple[JointKind, ...] = ("hinge", "slide", "ball", "free")
MOST_BODIES = 5000


@dataclass(frozen=True)
class Site:
    """A frame of a body, for tendons and actuators."""

    link: str | None
    pose: Pose


@dataclass(frozen=True, eq=False)
class Parts:
    """What was found in one body."""

    joints: list[LinkJoint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    masses: list[Inertial] = field(default_factory=list)
    inertials: list[Inertial] = field(default_factory=list)
    bodies: list[tuple[Element, Pose, str | None]] = field(default_factory=list)
    """Children, the frame around them in this body, and their class."""


@dataclass(frozen=True, eq=False)
class TreeReader:
    """Collects links, parents before children."""

    compiler: Compiler
    defaults: Defaults
    geom_reader: GeomReader
    report: LoadReport
    links: list[Link] = field(default_factory=list)
    sites: dict[str, Site] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def read_world(self, root: Element) -> None:
        """All bodies of all `worldbody` sections."""
        for world in root.all("worldbody"):
            parts = Parts()
            self._collect(world, Pose(), world.attributes.get("childclass"), None, parts)
            if parts.joints or parts.inertials:
                raise world.error("has joints or inertials, expected them in bodies only")
            if parts.geoms:
                name = self._name(Element("world", {"name": "world"}, world.file, world.line))
                self.links.append(Link(world, name, None, Pose(), (), None, tuple(parts.geoms)))
            for child, frame, kind in parts.bodies:
                self._body(child, frame, kind, None)

    def _body(self, element: Element, frame: Pose, around: str | None, parent: str | None) -> None:
        if len(self.links) >= MOST_BODIES:
            raise element.error(f"is beyond {MOST_BODIES} bodies")
        note_attributes(element, self.report)
        name, parts = self._name(element), Parts()
        kind = element.attributes.get("childclass", around)
        self._collect(element, Pose(), kind, name, parts)
        joints = tuple(parts.joints)
        if element.flag("mocap", False):
            self.report.unsupport(element, "mocap bodies stand still here; give it a motion of its own")
            joints = ()
        if any(joint.kind == "free" for joint in joints) and (parent is not None or len(joints) > 1):
            raise element.error(f"{name!r} has a free joint, expected it alone and in a body of the world")
        inertial = self._inertial(element, parts)
        self.links.append(
            Link(element, name, parent, frame @ self.compiler.pose(element), joints, inertial, tuple(parts.geoms))
        )
        for child, inner, inner_kind in parts.bodies:
            self._body(child, inner, inner_kind, name)

    def _name(self, element: Element) -> str:
        name = element.attributes.get("name") or f"body-{len(self.links)}"
        if name in self.names:
            raise element.error(f"has the name {name!r}, expected one that no other body has")
        self.names.add(name)
        return name

    def _collect(self, element: Element, frame: Pose, kind: str | None, link: str | None, parts: Parts) -> None:
        for child in element.children:
            if child.tag in ("joint", "freejoint"):
                parts.joints.append(self._joint(self.defaults.applied(child, kind), frame))
            elif child.tag == "geom":
                geom, mass = self.geom_reader.read(applied := self.defaults.applied(child, kind), frame)
                parts.geoms.extend([] if geom is None else [geom])
                if mass is not None and self._counts(applied):
                    parts.masses.append(mass)
            elif child.tag == "inertial":
                parts.inertials.append(self._given(child, frame))
            elif child.tag == "body":
                parts.bodies.append((child, frame, kind))
            elif child.tag == "frame":
                inner = frame @ self.compiler.pose(child)
                self._collect(child, inner, child.attributes.get("childclass", kind), link, parts)
            elif child.tag == "site":
                applied = self.defaults.applied(child, kind)
                self.sites[applied.name] = Site(link, frame @ self.compiler.pose(applied))
            elif child.tag in LOOKS:
                self.report.ignore(child, "it has no effect on the motion")
            else:
                self.report.unsupport(child, "this element is not read; it is left out")

    def _counts(self, geom: Element) -> bool:
        low, high = self.compiler.inertia_groups
        return low <= geom.integer("group", 0) <= high

    def _joint(self, element: Element, frame: Pose) -> LinkJoint:
        note_attributes(element, self.report)
        kind: JointKind = "free"
        if element.tag == "joint":
            kind = element.choice("type", KINDS, "hinge")  # type: ignore[assignment]
        axis = element.numbers("axis", (0, 0, 1), 3)
        length = float(np.linalg.norm(axis))
        if length < 1e-14:
            raise element.error(f"{element.name!r} has an axis of length 0")
        turns = kind in ("hinge", "ball")
        angle = self.compiler.angle if turns else float
        values = {key: element.number(key, 0.0) for key in ("stiffness", "damping", "frictionloss", "ref", "springref")}
        if min(values["stiffness"], values["damping"], values["frictionloss"]) < 0:
            raise element.error(f"{element.name!r} has negative stiffness, damping or frictionloss")
        name = element.attributes.get("name") or f"joint of line {element.line}"
        return LinkJoint(
            element,
            name,
            kind,
            frame.along(axis / length),
            frame.at(element.numbers("pos", (0, 0, 0), 3)),
            self._limits(element, kind),
            angle(values["ref"]) if kind in ("hinge", "slide") else 0.0,
            values["stiffness"],
            angle(values["springref"]),
            values["damping"],
            values["frictionloss"],
        )

    def _limits(self, element: Element, kind: str) -> tuple[float, float]:
        if kind == "free" or not limited(element, "limited", "range", self.compiler):
            return NO_LIMITS
        low, high = element.numbers("range", None, 2).tolist()
        if not low < high:
            raise element.error(f"{element.name!r} has range={element.text('range')!r}, expected low < high")
        return (low, high) if kind == "slide" else (self.compiler.angle(low), self.compiler.angle(high))

    def _given(self, element: Element, frame: Pose) -> Inertial:
        note_attributes(element, self.report)
        mass, pose = element.number("mass"), frame @ self.compiler.pose(element)
        R = matrix(pose.orientation)
        if "fullinertia" in element.attributes:
            xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", None, 6).tolist()
            own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            own = np.diag(element.numbers("diaginertia", (0, 0, 0), 3))
        if mass < 0:
            raise element.error(f"has mass={mass:g}, expected >= 0")
        return Inertial(mass, pose.position, R @ own @ R.T)

    def _inertial(self, element: Element, parts: Parts) -> Inertial | None:
        rule = self.compiler.inertia_from_geom
        if len(parts.inertials) > 1:
            raise element.error(f"{element.name!r} has two inertials, expected one")
        if parts.inertials and rule != "true":
            found = parts.inertials[0]
        elif rule == "false":
            return None
        else:
            found = summed(parts.masses)
        return self._bounded(element, found)

    def _bounded(self, element: Element, found: Inertial) -> Inertial | None:
        mass = max(found.mass, self.compiler.least_mass)
        tensor = found.tensor
        moments, axes = np.linalg.eigh(tensor)
        bounded: Array = np.maximum(moments, self.compiler.least_inertia)
        if self.compiler.balance and bounded[0] + bounded[1] < bounded[2]:
            bounded = np.full(3, bounded.mean())
        if not np.array_equal(moments, bounded):
            tensor = axes @ np.diag(bounded) @ axes.T
        return None if mass <= 0 else replace(found, mass=mass, tensor=tensor)


def limited(element: Element, key: str, values: str, compiler: Compiler) -> bool:
    """Whether a range holds: where it is said so, or by itself where it is given."""
    word = element.choice(key, ("true", "false", "auto"), "auto")
    if word != "auto":
        return word == "true"
    if values not in element.attributes:
        return False
    if not compiler.auto_limits:
        raise element.error(f"{element.name!r} has {values}=... but not {key}=..., which autolimits='false' asks for")
    low, high = element.numbers(values, None, 2).tolist()
    return bool(low < high)
