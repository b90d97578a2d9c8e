"""Settings of MJCF's compiler, and what they mean for poses and angles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.io.robots.description import Pose
from signorini.io.robots.report import LoadReport
from signorini.io.xml_tree import Element
from signorini.math.rotations import about, from_matrix, multiply
from signorini.math.sparse import Array

ORIENTATIONS = ("axisangle", "xyaxes", "zaxis", "euler")
IGNORED = (
    "texturedir", "usethread", "fusestatic", "discardvisual", "saveinertial", "conflict", "lengthrange", "alignfree",
)  # fmt: skip
"""Attributes of the compiler without effect on the motion."""
KNOWN = (
    "angle", "eulerseq", "meshdir", "assetdir", "strippath", "autolimits", "coordinate", "inertiafromgeom",
    "inertiagrouprange", "boundmass", "boundinertia", "balanceinertia", "settotalmass", "exactmeshinertia",
)  # fmt: skip


@dataclass(frozen=True)
class Compiler:
    """How the numbers of a file are to be read."""

    degrees: bool = True
    euler: str = "xyz"
    mesh_folder: str = ""
    strip_path: bool = False
    auto_limits: bool = True
    inertia_from_geom: str = "auto"
    inertia_groups: tuple[int, int] = (0, 5)
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balance: bool = False
    total_mass: float = -1.0

    @classmethod
    def of(cls, root: Element, report: LoadReport) -> Compiler:
        """Of all `compiler` elements of a file, later ones over earlier ones."""
        merged: dict[str, str] = {}
        last = root
        for element in root.all("compiler"):
            merged |= element.attributes
            last = element
            for key in element.attributes:
                if key not in KNOWN + IGNORED:
                    report.unsupport(element, "this setting is not known", f"compiler {key}")
        found = Element("compiler", merged, last.file, last.line)
        if found.choice("coordinate", ("local", "global"), "local") == "global":
            raise found.error("has coordinate='global', which is not read; save the file with local coordinates")
        sequence = found.text("eulerseq", "xyz")
        if len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
            raise found.error(f"has eulerseq={sequence!r}, expected three of xyz and XYZ")
        low, high = found.numbers("inertiagrouprange", (0, 5), 2).tolist()
        return cls(
            degrees=found.choice("angle", ("degree", "radian"), "degree") == "degree",
            euler=sequence,
            mesh_folder=found.text("meshdir", found.text("assetdir", "")),
            strip_path=found.flag("strippath", False),
            auto_limits=found.flag("autolimits", True),
            inertia_from_geom=found.choice("inertiafromgeom", ("true", "false", "auto"), "auto"),
            inertia_groups=(int(low), int(high)),
            least_mass=found.number("boundmass", 0.0),
            least_inertia=found.number("boundinertia", 0.0),
            balance=found.flag("balanceinertia", False),
            total_mass=found.number("settotalmass", -1.0),
        )

    def angle(self, value: float) -> float:
        """An angle of the file [rad]."""
        return math.radians(value) if self.degrees else value

    def pose(self, element: Element) -> Pose:
        """Of `pos` and one of the ways to tell an orientation."""
        return Pose(element.numbers("pos", (0, 0, 0), 3), self.orientation(element))

    def orientation(self, element: Element) -> Array:
        """Unit quaternion; other ways come before `quat`."""
        for key in ORIENTATIONS:
            if key in element.attributes:
                return self._other(element, key)
        q = element.numbers("quat", (1, 0, 0, 0), 4)
        length = float(np.linalg.norm(q))
        if length < 1e-14:
            raise element.error("has a quat of length 0, expected a rotation such as 1 0 0 0")
        return np.asarray(q / length)

    def _other(self, element: Element, key: str) -> Array:
        if key == "axisangle":
            *axis, turn = element.numbers(key, None, 4).tolist()
            return about(_direction(element, np.array(axis), key), self.angle(turn))
        if key == "zaxis":
            return from_z(_direction(element, element.numbers(key, None, 3), key))
        if key == "xyaxes":
            six = element.numbers(key, None, 6)
            x = _direction(element, six[:3], key)
            y = _direction(element, six[3:] - (six[3:] @ x) * x, key)
            return from_matrix(np.column_stack((x, y, np.cross(x, y))))
        q = np.array([1.0, 0.0, 0.0, 0.0])
        for letter, turn in zip(self.euler, element.numbers(key, None, 3).tolist(), strict=True):
            one = about(np.eye(3)["xyz".index(letter.lower())], self.angle(turn))
            # Small letters turn about axes that move along, capital ones about fixed axes.
            q = multiply(q, one) if letter.islower() else multiply(one, q)
        return q


def from_z(axis: Array) -> Array:
    """Quaternion of the smallest turn that takes the z axis to a unit vector."""
    z = np.array([0.0, 0.0, 1.0])
    across = np.cross(z, axis)
    sine, cosine = float(np.linalg.norm(across)), float(axis[2])
    if sine < 1e-10:
        return np.array([1.0, 0.0, 0.0, 0.0]) if cosine > 0 else np.array([0.0, 1.0, 0.0, 0.0])
    return about(across, math.atan2(sine, cosine))


def _direction(element: Element, vector: Array, key: str) -> Array:
    length = float(np.linalg.norm(vector))
    if length < 1e-14:
        raise element.error(f"has {key}={element.attributes[key]!r} without a direction")
    return np.asarray(vector / length)
