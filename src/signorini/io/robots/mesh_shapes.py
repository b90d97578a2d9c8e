"""Convex hulls of mesh files, each file read once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from signorini.io.confined_folder import ConfinedFolder
from signorini.io.robots.report import LoadReport
from signorini.io.surfaces import SUFFIXES, Surface, read_surface
from signorini.io.xml_tree import Element
from signorini.math.sparse import Array
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.problem.errors import FileError, ModelError

MOST_FILES = 2000


@dataclass(frozen=True, eq=False)
class MeshFiles:
    """Reads meshes inside a folder; what cannot be read is reported and left out."""

    folder: ConfinedFolder
    report: LoadReport
    surfaces: dict[Path, Surface] = field(default_factory=dict)
    hulls: dict[tuple[Path, tuple[float, ...]], ConvexHull] = field(default_factory=dict)

    def hull(self, element: Element, name: str, base: Path, scale: Array) -> ConvexHull | None:
        """The convex hull of a file; None, with a remark, where there is none."""
        surface = self.surface(element, name, base)
        if surface is None:
            return None
        path = self.folder.find(name, base, element.place)
        key = (path, tuple(scale.tolist()))
        if key not in self.hulls:
            found = self.hull_of(element, surface.vertices * scale, name)
            if found is None:
                return None
            self.hulls[key] = found
        return self.hulls[key]

    def hull_of(self, element: Element, points: Array, name: str) -> ConvexHull | None:
        """The convex hull of points; None, with a remark, where they are flat."""
        try:
            return ConvexHull(np.unique(points, axis=0))
        except ModelError as error:
            self.report.unsupport(element, f"{error}; the shape is left out", f"mesh {name!r}")
            return None

    def surface(self, element: Element, name: str, base: Path) -> Surface | None:
        """The triangles of a file; None, with a remark, for formats that are not read."""
        suffix = name.rsplit(".", 1)[-1].lower() if "." in name else ""
        if suffix not in SUFFIXES:
            expected = ", ".join(f".{known}" for known in SUFFIXES)
            why = f"{'.' + suffix if suffix else 'a file without ending'} is not read, only {expected}; it is left out"
            self.report.unsupport(element, why, f"mesh {name!r}")
            return None
        path = self.folder.find(name, base, element.place)
        if path not in self.surfaces:
            if len(self.surfaces) >= MOST_FILES:
                raise FileError(f"{element.place}: names more than {MOST_FILES} mesh files")
            try:
                self.surfaces[path] = read_surface(path)
            except FileError as error:
                raise FileError(f"{element.place}: {error}") from None
        return self.surfaces[path]
