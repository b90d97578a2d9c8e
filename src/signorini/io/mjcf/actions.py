"""Equality constraints, tendons, actuators, excluded pairs and key poses of MJCF."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from signorini.io.mjcf.compiler import Compiler
from signorini.io.mjcf.defaults import ACTUATORS, Defaults
from signorini.io.mjcf.geoms import material
from signorini.io.mjcf.tree import TreeReader, limited
from signorini.io.robots.description import (
    NO_LIMITS,
    JointDrive,
    JointRelation,
    LinkJoint,
    PairFriction,
    PointTie,
    Pose,
    SiteDrive,
    SiteRope,
)
from signorini.io.robots.kinematics import joints_of
from signorini.io.xml_tree import Element

Terms = tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False)
class ActionReader:
    """Collects what acts between the links of a tree."""

    tree: TreeReader
    defaults: Defaults
    compiler: Compiler
    relations: list[JointRelation] = field(default_factory=list)
    ties: list[PointTie] = field(default_factory=list)
    drives: list[JointDrive | SiteDrive] = field(default_factory=list)
    ropes: list[SiteRope] = field(default_factory=list)
    exclusions: list[tuple[str | None, str | None]] = field(default_factory=list)
    frictions: list[PairFriction] = field(default_factory=list)
    tendons: dict[str, Terms] = field(default_factory=dict)
    """Fixed ones: (joint, coefficient)."""

    def read(self, root: Element) -> None:
        """All sections."""
        sections = (("tendon", self._tendon), ("equality", self._equality), ("contact", self._contact))
        for tag, reader in (*sections, ("actuator", self._actuator)):
            kind = tag if tag in ("equality", "tendon") else None
            for section in root.all(tag):
                for element in section.children:
                    reader(self.defaults.applied(element, None, kind))

    # --- equality -------------------------------------------------------------------------------------------------

    def _equality(self, element: Element) -> None:
        report, name = self.tree.report, element.attributes.get("name") or f"{element.tag} of line {element.line}"
        if not element.flag("active", True):
            report.ignore(element, "it is not active")
        elif element.tag in ("connect", "weld"):
            self._tie(element, name)
        elif element.tag in ("joint", "tendon"):
            self._relation(element, name)
        else:
            report.unsupport(element, "this kind of equality is not read; it is left out")

    def _tie(self, element: Element, name: str) -> None:
        welded = element.tag == "weld"
        if "site1" in element.attributes:
            one, two = (self._site(element, element.text(key)) for key in ("site1", "site2"))
            inner = (one.pose @ two.pose.inverse) if welded else None
            self.ties.append(PointTie(element, name, one.link, two.link, one.pose.position, welded, inner))
            return
        first, second = self._link(element, "body1"), self._link(element, "body2")
        anchor, relative = element.numbers("anchor", (0, 0, 0), 3), None
        if not welded:
            anchor = element.numbers("anchor", None, 3)
        elif element.numbers("relpose", (0, 1, 0, 0, 0, 0, 0), 7)[3:].any():
            pose = element.numbers("relpose", None, 7)
            relative = Pose(pose[:3], pose[3:] / np.linalg.norm(pose[3:]))
        if welded:
            # The anchor of a weld is in the frame of the second body.
            anchor = np.zeros(3)
        self.ties.append(PointTie(element, name, first, second, anchor, welded, relative))

    def _relation(self, element: Element, name: str) -> None:
        """`x_1 - x_1(0) = a_0 + a_1 (x_2 - x_2(0))`."""
        constant, slope, *higher = (*element.numbers("polycoef", (0, 1, 0, 0, 0), 1, 5), 0.0, 0.0)[:5]
        if any(higher):
            self.tree.report.unsupport(element, "its curve is not straight; it is left out")
            return
        one = self._terms(element, f"{element.tag}1")
        two = self._terms(element, f"{element.tag}2") if f"{element.tag}2" in element.attributes else ()
        terms: dict[str, float] = {}
        for joint, weight in (*one, *((joint, -slope * weight) for joint, weight in two)):
            terms[joint] = terms.get(joint, 0.0) + weight
        rest = sum(weight * self._joint(element, joint).ref for joint, weight in terms.items())
        kept = tuple((joint, float(weight)) for joint, weight in terms.items() if weight)
        if kept:
            self.relations.append(JointRelation(element, name, kept, float(constant + rest)))

    def _terms(self, element: Element, key: str) -> Terms:
        name = element.text(key)
        if key.startswith("joint"):
            return ((self._joint(element, name).name, 1.0),)
        if name not in self.tendons:
            raise element.error(f"names the tendon {name!r}, expected one of fixed tendons")
        return self.tendons[name]

    # --- tendons --------------------------------------------------------------------------------------------------

    def _tendon(self, element: Element) -> None:
        report = self.tree.report
        name = element.attributes.get("name") or f"tendon of line {element.line}"
        if element.number("frictionloss", 0.0) or element.number("armature", 0.0):
            report.unsupport(element, "friction and armature of tendons are not known", f"tendon {name!r}")
        if element.tag == "fixed":
            terms = tuple((part.text("joint"), part.number("coef")) for part in element.all("joint"))
            for joint, _ in terms:
                self._joint(element, joint)
            self.tendons[name] = tuple(term for term in terms if term[1])
            springs = element.number("stiffness", 0.0) or element.number("damping", 0.0)
            if springs or limited(element, "limited", "range", self.compiler):
                report.unsupport(
                    element, "limits, springs and dampers over several joints are not known", f"tendon {name!r}"
                )
        elif element.tag == "spatial":
            self._spatial(element, name)
        else:
            report.unsupport(element, "this kind of tendon is not read; it is left out")

    def _spatial(self, element: Element, name: str) -> None:
        if any(part.tag != "site" for part in element.children) or len(element.children) < 2:
            self.tree.report.unsupport(element, "tendons around geoms and over pulleys are not read; it is left out")
            return
        sites = [self._site(element, part.text("site")) for part in element.children]
        longest = math.inf
        if limited(element, "limited", "range", self.compiler):
            low, longest = element.numbers("range", None, 2).tolist()
            if low > 0:
                why = f"only its greatest length is held, not the least one of {low:g} m"
                self.tree.report.unsupport(element, why, f"range of tendon {name!r}")
        rest = element.numbers("springlength", (-1,), 1, 2)
        if len(rest) == 2 and rest[0] != rest[1]:
            self.tree.report.unsupport(element, "a slack range of springs is not known; the lower end is taken")
        if longest <= 0:
            raise element.error(f"{name!r} has range={element.text('range')!r}, expected a length > 0")
        stops = tuple((site.link, site.pose.position) for site in sites)
        spring = element.number("stiffness", 0.0), element.number("damping", 0.0)
        self.ropes.append(SiteRope(element, name, stops, longest, *spring, None if rest[0] < 0 else float(rest[0])))

    # --- contact --------------------------------------------------------------------------------------------------

    def _contact(self, element: Element) -> None:
        if element.tag == "exclude":
            self.exclusions.append((self._link(element, "body1"), self._link(element, "body2")))
        elif element.tag == "pair":
            owners = []
            for key in ("geom1", "geom2"):
                name = element.text(key)
                found = [link for link in self.tree.links for geom in link.geoms if geom.name == name]
                if not found:
                    self.tree.report.unsupport(element, f"geom {name!r} collides with nothing here; it is left out")
                    return
                owners.append(found[0])
            if any(len(link.geoms) > 1 for link in owners):
                self.tree.report.unsupport(element, "its friction holds for all geoms of the two bodies")
            self.frictions.append(PairFriction(element, owners[0].name, owners[1].name, material(element)))
        else:
            self.tree.report.unsupport(element, "this element is not read; it is left out")

    # --- actuators ------------------------------------------------------------------------------------------------

    def _actuator(self, element: Element) -> None:
        name = element.attributes.get("name") or f"actuator of line {element.line}"
        law = self._law(element, name) if element.tag in ACTUATORS else None
        if law is None:
            self.tree.report.unsupport(
                element, "this kind of actuator is not known; it is left out", f"{element.tag} {name!r}"
            )
            return
        gain, bias = law
        gear = element.numbers("gear", (1, 0, 0, 0, 0, 0), 1, 6)
        ranges = [
            tuple(element.numbers(f"{word}range", None, 2).tolist())
            if limited(element, f"{word}limited", f"{word}range", self.compiler)
            else NO_LIMITS
            for word in ("ctrl", "force")
        ]
        joints = self._driven(element, float(gear[0]))
        if joints is not None:
            self.drives.append(JointDrive(element, name, joints, gain, bias, *ranges))
        elif "site" in element.attributes and "refsite" not in element.attributes and not any(bias):
            site = self._site(element, element.text("site"))
            six = np.zeros(6)
            six[: len(gear)] = gain * gear
            if site.link is not None:
                self.drives.append(SiteDrive(element, name, site.link, site.pose, six, ranges[0]))
        else:
            self.tree.report.unsupport(
                element, "what it acts on is not known; it is left out", f"{element.tag} {name!r}"
            )

    def _driven(self, element: Element, gear: float) -> Terms | None:
        for key in ("joint", "jointinparent"):
            if key in element.attributes:
                joint = self._joint(element, element.text(key))
                return ((joint.name, gear),) if joint.kind in ("hinge", "slide") else None
        if element.attributes.get("tendon") in self.tendons:
            return tuple((name, gear * coef) for name, coef in self.tendons[element.text("tendon")])
        return None

    def _law(self, element: Element, name: str) -> tuple[float, tuple[float, float, float]] | None:
        """Gain and bias: `gain u + b_0 + b_1 l + b_2 dl/dt`."""
        if element.tag == "motor":
            return 1.0, (0.0, 0.0, 0.0)
        if element.tag in ("position", "velocity"):
            for key in ("timeconst", "dampratio", "inheritrange"):
                if element.number(key, 0.0):
                    self.tree.report.unsupport(element, f"{key} is not known; it is left out", f"{key} of {name!r}")
            if element.tag == "velocity":
                speed = element.number("kv", 1.0)
                return speed, (0.0, 0.0, -speed)
            stiffness = element.number("kp", 1.0)
            return stiffness, (0.0, -stiffness, -element.number("kv", 0.0))
        plain = element.text("dyntype", "none") == "none" and element.text("gaintype", "fixed") == "fixed"
        if element.tag != "general" or not plain or element.text("biastype", "none") not in ("none", "affine"):
            return None
        gain = element.numbers("gainprm", (1,), 1, 10)[0]
        bias = np.zeros(10)
        given = element.numbers("biasprm", (0,), 1, 10)
        if element.text("biastype", "none") == "affine":
            bias[: len(given)] = given
        return float(gain), (float(bias[0]), float(bias[1]), float(bias[2]))

    # --- names ----------------------------------------------------------------------------------------------------

    def _joint(self, element: Element, name: str) -> LinkJoint:
        for joint in joints_of(tuple(self.tree.links)):
            if joint.name == name:
                return joint
        raise element.error(f"names the joint {name!r}, which no body has")

    def _site(self, element: Element, name: str) -> Any:
        if name not in self.tree.sites:
            raise element.error(f"names the site {name!r}, which no body has")
        return self.tree.sites[name]

    def _link(self, element: Element, key: str) -> str | None:
        name = element.text(key, "world")
        if name == "world":
            return None
        if name not in self.tree.names:
            raise element.error(f"names the body {name!r}, which is not there")
        return name
