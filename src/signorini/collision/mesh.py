"""Surfaces of triangles: their bounding-volume tree, and contacts with convex shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.kernels.collision.mesh import on_triangle, refit, triangles_near
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.descriptor import SurfaceMesh
from signorini.model.shapes.polyhedron_form import PolyhedronForm

ON_EDGE = 1e-6
"""Weight below which a point of a triangle is on the opposite edge."""
THICKNESS = 0.5
"""Of the wedge that stands for the solid below a triangle, relative to its longest edge."""


def morton_order(points: Array) -> Indices:
    """Order along a space-filling curve: neighbours in the list are neighbours in space."""
    low, size = points.min(axis=0), max(float(np.ptp(points, axis=0).max()), 1e-300)
    cells = ((points - low) / size * 1023.0).astype(np.int64)
    key = np.zeros(len(points), dtype=np.int64)
    for bit in range(10):
        for axis in range(3):
            key |= (cells[:, axis] >> bit & 1) << (3 * bit + axis)
    return np.argsort(key, kind="stable")


def leaves_of(corners: Array) -> Indices:
    """Facets (facets, k, 3) along a space-filling curve: the last row of a tree, padded with -1 to a power of two."""
    count = len(corners)
    leaf = np.full(1 << max(0, (count - 1).bit_length()) if count else 1, -1, dtype=np.int64)
    if count:
        leaf[:count] = morton_order(corners.mean(axis=1))
    return leaf


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of one shape in its frame, with their tree."""

    corners: Array
    """[m], shape (triangles, 3, 3)."""
    triangles: Indices
    """Numbers of the corners; equal numbers are the same corner."""
    solid: bool
    """Whether it bounds a solid; otherwise both sides are outside."""

    @classmethod
    def of(cls, mesh: SurfaceMesh) -> Surface:
        """Triangles without area are left out."""
        vertices, triangles = mesh.vertices, mesh.triangles
        _, place = np.unique(vertices, axis=0, return_inverse=True)
        corners = vertices[triangles]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        kept = area > 1e-14 * float(np.ptp(vertices, axis=0).max()) ** 2
        return cls(np.ascontiguousarray(corners[kept]), place.reshape(-1)[triangles][kept], mesh.solid)

    @cached_property
    def normals(self) -> Array:
        """Unit normals, shape (triangles, 3)."""
        n = np.cross(self.corners[:, 1] - self.corners[:, 0], self.corners[:, 2] - self.corners[:, 0])
        return np.asarray(n / np.linalg.norm(n, axis=1, keepdims=True))

    @cached_property
    def tree(self) -> tuple[Array, Array, Indices]:
        """Boxes of the nodes in heap order and the triangles of the last row."""
        leaf = leaves_of(self.corners)
        low, high = np.full((2 * len(leaf), 3), np.inf), np.full((2 * len(leaf), 3), -np.inf)
        refit(self.corners.reshape(-1, 3), np.arange(3 * len(self.corners)).reshape(-1, 3), leaf, low, high)
        return low, high, leaf

    @cached_property
    def data(self) -> tuple[Any, ...]:
        """For the kernel of spheres."""
        return (*self.tree, self.corners, self.solid)

    @cached_property
    def across(self) -> Indices:
        """Triangle on the other side of each edge (k to k + 1), -1 at a border, shape (triangles, 3)."""
        result = np.full((len(self.triangles), 3), -1, dtype=np.int64)
        seen: dict[tuple[int, int], tuple[int, int]] = {}
        for t, corners in enumerate(self.triangles.tolist()):
            for k in range(3):
                a, b = corners[k], corners[(k + 1) % 3]
                other = seen.pop((b, a), None)
                if other is None:
                    seen[(a, b)] = (t, k)
                else:
                    result[t, k], result[other[0], other[1]] = other[0], t
        return result

    def near(self, low: Array, high: Array) -> list[int]:
        """Triangles whose boxes meet low..high."""
        out = np.empty(len(self.corners), dtype=np.int64)
        return [int(t) for t in out[: triangles_near(*self.tree, low, high, out)]]

    def wedge(self, triangle: int, flipped: bool) -> PolyhedronForm:
        """The triangle as a convex solid that reaches below it; `flipped` turns its two sides."""
        top = self.corners[triangle][::-1] if flipped else self.corners[triangle]
        normal = -self.normals[triangle] if flipped else self.normals[triangle]
        depth = THICKNESS * float(np.linalg.norm(top - np.roll(top, 1, axis=0), axis=1).max())
        faces = np.array([(0, 1, 2), (3, 5, 4), (0, 3, 1), (1, 3, 4), (1, 4, 2), (2, 4, 5), (2, 5, 0), (0, 5, 3)])
        return PolyhedronForm.of(SurfaceMesh(np.vstack((top, top - depth * normal)), faces))

    def faces_out(self, triangle: int, point: Array, normal: Array) -> bool:
        """Whether a contact normal at a point of the triangle looks out of the surface there (two-sided if not solid).

        Inside the triangle it has to be the triangle's own; on an edge between two it may lie anywhere between
        theirs if the edge bulges; on a border anywhere.
        """
        own = self.normals[triangle]
        sign = 1.0 if self.solid or own @ normal >= 0 else -1.0
        if sign * (own @ normal) > 1 - 1e-6:
            return True
        a, b, c = self.corners[triangle]
        v, w = on_triangle(point, a, b, c)
        edges = [k for k, weight in enumerate((w, 1 - v - w, v)) if weight < ON_EDGE]
        return any(self._between(triangle, k, sign, normal) for k in edges)

    def _between(self, triangle: int, edge: int, sign: float, normal: Array) -> bool:
        other = int(self.across[triangle, edge])
        if other < 0:
            return True
        own, theirs = sign * self.normals[triangle], sign * self.normals[other]
        bulges = (
            sign * (self.corners[other].mean(axis=0) - self.corners[triangle].mean(axis=0)) @ self.normals[triangle]
        )
        lean = float(own @ theirs) - 1e-6
        return bool(bulges < 0 and normal @ own >= lean and normal @ theirs >= lean)
