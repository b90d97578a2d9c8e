"""Terrain of heights on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from signorini.kernels.collision.conventions import MESH
from signorini.math.sparse import Array, Indices
from signorini.model.checks import numbers, positive
from signorini.model.shapes.descriptor import Drawing, MassProperties, SurfaceMesh
from signorini.model.shapes.shape import Shape
from signorini.problem.errors import ModelError


@dataclass(frozen=True, eq=False)
class HeightField(Shape):
    """Surface z = heights[i, j] over the grid points (x_i, y_j), solid below; the grid is centred on the origin.

    Each cell is two triangles, split from (i, j) to (i + 1, j + 1).
    """

    kind: ClassVar[int] = MESH

    heights: Any
    """[m], shape (nx, ny), both >= 2; the first index runs along x."""
    spacing: float
    """Of the grid in x and in y [m]."""

    def __post_init__(self) -> None:
        heights = numbers(self.heights, "heights of a HeightField")
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise ModelError(f"heights of a HeightField have shape {heights.shape}, expected (nx, ny), both at least 2")
        if not np.isfinite(heights).all():
            i, j = np.argwhere(~np.isfinite(heights))[0]
            raise ModelError(f"heights of a HeightField: [{i}, {j}] is {heights[i, j]}, expected finite numbers")
        heights.setflags(write=False)
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "spacing", positive(self.spacing, "spacing of a HeightField"))

    def __repr__(self) -> str:
        rows, columns = self.heights.shape
        return f"HeightField({rows} x {columns} heights, spacing {self.spacing:g} m)"

    def mass_properties(self) -> MassProperties:
        """Refused: the solid below has no end."""
        raise ModelError("a HeightField has no finite volume or mass: use it with add_fixed_body, or with motion=...")

    def bounding_radius(self) -> float:
        """Distance of the farthest grid point [m]."""
        return float(np.linalg.norm(self.vertices(), axis=1).max())

    def vertices(self) -> Array:
        """Grid points [m], number i * ny + j, shape (nx * ny, 3)."""
        nx, ny = self.heights.shape
        x = self.spacing * (np.arange(nx) - 0.5 * (nx - 1))
        y = self.spacing * (np.arange(ny) - 0.5 * (ny - 1))
        X, Y = np.meshgrid(x, y, indexing="ij")
        return np.stack((X.ravel(), Y.ravel(), self.heights.ravel()), axis=1)

    def triangles(self) -> Indices:
        """Surface, counter-clockwise seen from above, places in `vertices()`, shape (2 (nx - 1) (ny - 1), 3)."""
        nx, ny = self.heights.shape
        corner = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
        lower = np.stack((corner, corner + ny, corner + ny + 1), axis=1)
        upper = np.stack((corner, corner + ny + 1, corner + 1), axis=1)
        return np.asarray(np.stack((lower, upper), axis=1).reshape(-1, 3), dtype=np.int64)

    def mesh(self) -> SurfaceMesh:
        """All triangles."""
        return SurfaceMesh(self.vertices(), self.triangles())

    def drawing(self) -> Drawing:
        """Seen from both sides."""
        return Drawing.of_triangles(self.vertices(), self.triangles(), closed=False)
