"""Geoms of MJCF: shapes, materials and masses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.io.mjcf.assets import Assets
from signorini.io.mjcf.compiler import Compiler, from_z
from signorini.io.mjcf.known_attributes import note_attributes
from signorini.io.robots.description import Geom, Inertial, Pose
from signorini.io.xml_tree import Element
from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere

DENSITY = 1000.0
FRICTION = (1.0, 0.005, 0.0001)
"""Sliding [-], spinning [m], rolling [m]."""
TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
"""How many numbers of `size` each type needs."""
LONG = ("capsule", "cylinder", "ellipsoid", "box")
"""Types that `fromto` can place."""


@dataclass(frozen=True, eq=False)
class GeomReader:
    """From elements to geoms and their masses."""

    assets: Assets
    compiler: Compiler

    def read(self, element: Element, frame: Pose) -> tuple[Geom | None, Inertial | None]:
        """The geom, where it collides, and its mass, where it has any; `frame` is the one around it in the body."""
        note_attributes(element, self.assets.files.report)
        kind = element.choice("type", TYPES, "sphere")
        if kind in ("hfield", "sdf") or (kind != "mesh" and "mesh" in element.attributes):
            why = f"a {kind} made from a mesh is not read" if kind not in ("hfield", "sdf") else f"a {kind} is not read"
            self.assets.files.report.unsupport(element, f"{why}; the geom is left out")
            return None, None
        pose = frame @ self._pose(element, kind)
        shape = self._shape(element, kind)
        if shape is None:
            return None, None
        inertial = self._inertial(element, kind, shape, pose)
        bits = element.integer("contype", 1), element.integer("conaffinity", 1)
        if not any(bits):
            self.assets.files.report.ignore(element, "it collides with nothing")
            return None, inertial
        name = element.attributes.get("name", "")
        geom = Geom(element, name, shape, pose, material(element), *bits, element.integer("priority", 0))
        return geom, inertial

    def _pose(self, element: Element, kind: str) -> Pose:
        if "fromto" not in element.attributes:
            return self.compiler.pose(element)
        if kind not in LONG:
            raise element.error(f"{element.name!r} has fromto, expected it for {', '.join(LONG)} only")
        start, end = element.numbers("fromto", None, 6).reshape(2, 3)
        length = float(np.linalg.norm(start - end))
        if length < 1e-14:
            raise element.error(f"{element.name!r} has a fromto of length 0")
        # MuJoCo's z axis points from the end back to the start.
        return Pose(0.5 * (start + end), from_z((start - end) / length))

    def _shape(self, element: Element, kind: str) -> Shape | None:
        if kind == "mesh":
            return self.assets.hull(element, element.text("mesh"))
        if kind == "plane":
            return HalfSpace()
        size = self._size(element, kind)
        if kind == "sphere":
            return Sphere(size[0])
        if kind == "capsule":
            return Capsule(size[0], 2.0 * size[1])
        if kind == "cylinder":
            return Cylinder(size[0], 2.0 * size[1])
        x, y, z = size[:3].tolist()
        return Ellipsoid((x, y, z)) if kind == "ellipsoid" else Box((2.0 * x, 2.0 * y, 2.0 * z))

    def _size(self, element: Element, kind: str) -> Array:
        size = element.numbers("size", (), 0, 3)
        if "fromto" in element.attributes:
            start, end = element.numbers("fromto", None, 6).reshape(2, 3)
            half = 0.5 * float(np.linalg.norm(end - start))
            if not len(size):
                raise element.error(f"{element.name!r} has no size")
            radius = size[0]
            size = np.array([radius, half] if SIZES[kind] == 2 else [radius, radius, half])
        if len(size) < SIZES[kind] or not (size[: SIZES[kind]] > 0).all():
            raise element.error(
                f"{element.name!r} has size={element.text('size', '')!r}, expected {SIZES[kind]} numbers > 0"
            )
        return size

    def _inertial(self, element: Element, kind: str, shape: Shape, pose: Pose) -> Inertial | None:
        if kind == "plane":
            return None
        mass = element.number("mass") if "mass" in element.attributes else None
        density = element.number("density", DENSITY)
        if (mass is not None and mass < 0) or density < 0:
            raise element.error(f"{element.name!r} has a negative mass or density")
        if kind == "mesh":
            asset = self.assets.mesh(element, element.text("mesh"))
            hull = self.assets.hull(element, element.text("mesh"))
            return None if asset is None or hull is None else asset.inertial(hull, density, mass).moved(pose)
        solid = shape.mass_properties()
        rho = density if mass is None else mass / solid.volume
        return Inertial(rho * solid.volume, solid.centre, rho * solid.inertia).moved(pose)


def material(element: Element, key: str = "friction") -> Material:
    """Friction by the number of directions that `condim` selects; the larger one of two surfaces holds."""
    given = element.numbers(key, (), 0, 5)
    slide, spin, roll = (given[k] if k < len(given) else FRICTION[k] for k in range(3))
    directions = element.integer("condim", 3)
    if directions not in (1, 3, 4, 6):
        raise element.error(f"{element.name!r} has condim={directions}, expected 1, 3, 4 or 6")
    if min(slide, spin, roll) < 0:
        raise element.error(f"{element.name!r} has negative friction")
    return Material(
        friction=float(slide) if directions > 1 else 0.0,
        spinning_friction=float(spin) if directions >= 4 else 0.0,
        rolling_friction=float(roll) if directions == 6 else 0.0,
        combine="max",
    )
