"""Rectangular box."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.collision.conventions import BOX
from signorini.model.checks import positive_sizes
from signorini.model.shapes.descriptor import BoundingBox, MassProperties, SignedDistance, SurfaceMesh, Triple
from signorini.model.shapes.polyhedron_form import PolyhedronForm
from signorini.model.shapes.shape import Shape

SIGNS = np.array([[(k >> c & 1) * 2.0 - 1.0 for c in range(3)] for k in range(8)])
"""Of the coordinates of the corners."""
QUADS = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
TRIANGLES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))], dtype=np.int64)


@dataclass(frozen=True)
class Box(Shape):
    """Box with its centre in the origin of its frame and its edges along the axes."""

    kind: ClassVar[int] = BOX

    size: tuple[float, float, float]
    """Whole lengths of the edges along x, y, z [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", positive_sizes(self.size, "size of a Box"))

    def mass_properties(self) -> MassProperties:
        """Of the solid box."""
        x, y, z = self.size
        volume = x * y * z
        moments = np.array([y * y + z * z, z * z + x * x, x * x + y * y]) / 12.0
        return MassProperties(volume, np.zeros(3), np.diag(volume * moments))

    def bounding_radius(self) -> float:
        """Half the diagonal [m]."""
        return 0.5 * math.hypot(*self.size)

    def parameters(self) -> Triple:
        """Half sizes."""
        x, y, z = self.size
        return (0.5 * x, 0.5 * y, 0.5 * z)

    def bounding_box(self) -> BoundingBox:
        """Itself."""
        return BoundingBox(self.parameters())

    def mesh(self) -> SurfaceMesh:
        """Two triangles for each face."""
        return SurfaceMesh(SIGNS * np.array(self.parameters()), TRIANGLES)

    def convex_form(self) -> PolyhedronForm:
        """A polyhedron."""
        return PolyhedronForm.of(self.mesh())

    def signed_distance(self) -> SignedDistance:
        """Closed form."""
        return SignedDistance(BOX, min(self.parameters()), self.parameters())
