"""Shapes as geoms of MJCF."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from signorini.math.rotations import multiply, with_z_along
from signorini.model.body import Body
from signorini.model.material import PLAIN, Material
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.cylinder import Cylinder
from signorini.model.shapes.ellipsoid import Ellipsoid
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Placed, Shape
from signorini.model.shapes.sphere import Sphere


def words(values: Any) -> str:
    """Numbers, so that they come back bit for bit."""
    return " ".join(repr(float(value)) for value in np.atleast_1d(values).ravel())


@dataclass(frozen=True, eq=False)
class ShapeWriter:
    """Writes geoms into bodies and meshes into the assets."""

    assets: Element
    left_out: list[str]
    meshes: dict[int, str] = field(default_factory=dict)

    def write(self, body: Body, element: Element) -> None:
        """All shapes of a body."""
        friction = self._friction(body)
        for number, placed in enumerate(body.shapes):
            shape = self._shape(placed, body)
            name = body.name if number == 0 else f"{body.name}.{number}"
            SubElement(element, "geom", {"name": name, **shape, **friction})

    def _friction(self, body: Body) -> dict[str, str]:
        material = body.material
        given = (material.friction, material.spinning_friction, material.rolling_friction)
        directions = 6 if given[2] else 4 if given[1] else 3 if given[0] else 1
        known = ("spinning_friction", "rolling_friction", "combine")
        others = [name for name in Material.__dataclass_fields__ if name not in (*PLAIN, *known)]
        plain = Material(friction=0.0)
        odd = [name for name in others if getattr(material, name) != getattr(plain, name)]
        if odd:
            self.left_out.append(f"{', '.join(odd)} of the material of {body.name!r}: MJCF has no such property")
        if (body.group, body.mask) != (1, -1):
            self.left_out.append(f"group and mask of {body.name!r}: MJCF combines its bits otherwise")
        return {"friction": words([given[0], given[1] or 0.005, given[2] or 0.0001]), "condim": str(directions)}

    def _shape(self, placed: Placed, body: Body) -> dict[str, str]:
        shape, turn = placed.shape, placed.orientation
        if isinstance(shape, HalfSpace):
            turn = multiply(turn, with_z_along(np.array(shape.normal)))
            own = {"type": "plane", "size": "0 0 1"}
        else:
            own = primitive(shape) or {"type": "mesh", "mesh": self._mesh(shape, body)}
        return {**own, "pos": words(placed.position), "quat": words(turn)}

    def _mesh(self, shape: Shape, body: Body) -> str:
        """Name of a mesh of the shape's corners, written once."""
        if id(shape) in self.meshes:
            return self.meshes[id(shape)]
        if not isinstance(shape, ConvexHull):
            kind = type(shape).__name__
            self.left_out.append(f"the {kind} of {body.name!r} is a mesh, of which MuJoCo takes the convex hull")
        name = f"mesh-{len(self.meshes)}"
        self.meshes[id(shape)] = name
        mesh = shape.mesh()
        attributes = {"name": name, "vertex": words(mesh.vertices), "inertia": "convex"}
        if len(mesh.triangles):
            attributes["face"] = " ".join(map(str, np.asarray(mesh.triangles).ravel().tolist()))
        SubElement(self.assets, "mesh", attributes)
        return name


def primitive(shape: Shape) -> dict[str, str] | None:
    """Type and size of a shape that MJCF knows by name."""
    if isinstance(shape, Sphere):
        return {"type": "sphere", "size": words(shape.radius)}
    if isinstance(shape, Box):
        return {"type": "box", "size": words(0.5 * np.array(shape.size))}
    if isinstance(shape, Ellipsoid):
        return {"type": "ellipsoid", "size": words(shape.radii)}
    if isinstance(shape, Capsule | Cylinder):
        kind = "capsule" if isinstance(shape, Capsule) else "cylinder"
        return {"type": kind, "size": words([shape.radius, 0.5 * shape.length])}
    return None
