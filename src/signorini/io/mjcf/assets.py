"""Meshes of an MJCF file by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from signorini.io.mjcf.compiler import Compiler
from signorini.io.mjcf.defaults import Defaults
from signorini.io.robots.description import Inertial, Pose
from signorini.io.robots.mesh_shapes import MeshFiles
from signorini.io.surfaces import Surface
from signorini.io.xml_tree import Element
from signorini.math.rotations import conjugate, rotate
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.polyhedron import solid_properties

LOOKS = ("texture", "material", "skin")
HANDLED = (
    "name", "file", "vertex", "face", "scale", "refpos", "refquat", "class", "inertia", "normal", "texcoord",
    "smoothnormal", "maxhullvert", "content_type", "material",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class MeshAsset:
    """Points, and triangles where there are any, in the frame that geoms place."""

    element: Element
    points: Array
    triangles: Indices | None
    inertia: str
    """How its mass is spread: `convex`, `exact`, `legacy` or `shell`."""

    def hull(self, files: MeshFiles) -> ConvexHull | None:
        """That collides."""
        return files.hull_of(self.element, self.points, self.element.name)

    def inertial(self, hull: ConvexHull, density: float, mass: float | None) -> Inertial:
        """Of a density [kg/m3], or of a mass [kg]."""
        if self.triangles is None or self.inertia == "convex":
            solid = hull.mass_properties()
            found = (solid.volume, solid.centre, solid.inertia)
        elif self.inertia == "legacy":
            found = _legacy(self.points, self.triangles)
        else:
            properties = solid_properties(self.points, self.triangles)
            found = (properties.volume, properties.centre, properties.inertia)
        volume, centre, tensor = found
        rho = density if mass is None else mass / volume
        return Inertial(rho * volume, centre, rho * tensor)


@dataclass(frozen=True, eq=False)
class Assets:
    """Meshes that geoms may name."""

    files: MeshFiles
    base: Path
    compiler: Compiler
    elements: dict[str, Element] = field(default_factory=dict)
    meshes: dict[str, MeshAsset | None] = field(default_factory=dict)
    hulls: dict[str, ConvexHull | None] = field(default_factory=dict)

    def collect(self, root: Element, defaults: Defaults) -> None:
        """Register all assets; meshes are read when a geom uses them."""
        report = self.files.report
        for section in root.all("asset"):
            for element in section.children:
                if element.tag in LOOKS:
                    report.ignore(element, "it has no effect on the motion")
                elif element.tag == "mesh":
                    applied = defaults.applied(element, None)
                    self.elements[_name(applied)] = applied
                else:
                    report.unsupport(element, "this kind of asset is not read")

    def mesh(self, geom: Element, name: str) -> MeshAsset | None:
        """By name; None, with a remark, where it cannot be read."""
        if name not in self.elements:
            raise geom.error(f"{geom.name!r} names the mesh {name!r}, which no asset defines")
        if name not in self.meshes:
            self.meshes[name] = self._read(self.elements[name])
        return self.meshes[name]

    def hull(self, geom: Element, name: str) -> ConvexHull | None:
        """The hull of a mesh, made once."""
        asset = self.mesh(geom, name)
        if name not in self.hulls:
            self.hulls[name] = None if asset is None else asset.hull(self.files)
        return self.hulls[name]

    def _read(self, element: Element) -> MeshAsset | None:
        report = self.files.report
        for key in element.attributes:
            if key not in HANDLED:
                report.unsupport(element, f"its attribute {key} is not known", f"mesh {_name(element)!r}")
        surface = self._surface(element)
        if surface is None:
            return None
        points, triangles = surface
        scale = element.numbers("scale", (1, 1, 1), 3)
        if not scale.all():
            raise element.error(f"{element.name!r} has scale={element.text('scale')!r}, expected none of 0")
        frame = Pose(element.numbers("refpos", (0, 0, 0), 3), self._refquat(element))
        moved = rotate(conjugate(frame.orientation), points * scale - frame.position)
        if triangles is not None and np.prod(scale) < 0:
            triangles = triangles[:, ::-1]
        return MeshAsset(element, moved, triangles, element.text("inertia", "legacy"))

    def _refquat(self, element: Element) -> Array:
        q = element.numbers("refquat", (1, 0, 0, 0), 4)
        if not q.any():
            raise element.error("has a refquat of length 0")
        return np.asarray(q / np.linalg.norm(q))

    def _surface(self, element: Element) -> tuple[Array, Indices | None] | None:
        if "file" in element.attributes:
            name = element.text("file")
            stripped = name.replace("\\", "/").rsplit("/", 1)[-1] if self.compiler.strip_path else name
            path = str(Path(self.compiler.mesh_folder) / stripped)
            found: Surface | None = self.files.surface(element, path, self.base)
            return None if found is None else (found.vertices, found.triangles)
        if "vertex" not in element.attributes:
            self.files.report.unsupport(element, "it has neither file nor vertex; it is left out")
            return None
        values = element.numbers("vertex")
        if len(values) % 3 or len(values) < 12:
            raise element.error(
                f"{element.name!r} has {len(values)} numbers of vertices, expected 12 or more by threes"
            )
        points = values.reshape(-1, 3)
        if "face" not in element.attributes:
            return points, None
        face = element.numbers("face").astype(np.int64)
        if len(face) % 3 or (len(face) and not (face.min() >= 0 and face.max() < len(points))):
            raise element.error(f"{element.name!r} has faces that are no triples of its vertices")
        return points, face.reshape(-1, 3)


def _name(element: Element) -> str:
    """Given, or that of the file."""
    if "name" in element.attributes:
        return element.attributes["name"]
    return Path(element.text("file", element.name).replace("\\", "/")).stem


def _legacy(points: Array, triangles: Indices) -> tuple[float, Array, Array]:
    """Volume, centre and inertia of pyramids on all triangles, each counted > 0, as MuJoCo does.

    Their tops are in the centre of the surface where their common centre is sought, and there for the rest.
    """
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = 0.5 * np.linalg.norm(normal, axis=1)
    middle = (area[:, None] * corners.mean(axis=1)).sum(axis=0) / area.sum()
    legs = corners - middle
    part = _pyramids(legs)
    centre = middle + (part[:, None] * legs.sum(axis=1) / 4.0).sum(axis=0) / part.sum()
    legs = corners - centre
    part, total = _pyramids(legs), legs.sum(axis=1)
    # Of a tetrahedron of volume V: integral of x x' = V/20 (sum_i p_i p_i' + s s'), s the sum of its corners.
    second = np.einsum("t,tki,tkj->ij", part, legs, legs) + np.einsum("t,ti,tj->ij", part, total, total)
    second /= 20.0
    return float(part.sum()), centre, np.eye(3) * np.trace(second) - second


def _pyramids(legs: Array) -> Array:
    """Volumes of the pyramids from the origin to triangles, shape (t,)."""
    return np.asarray(np.abs(np.einsum("ij,ij->i", legs[:, 0], np.cross(legs[:, 1], legs[:, 2]))) / 6.0)
