"""Convex polyhedra: faces, edges and corners, for the general narrow phase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.kernels.collision.conventions import CONVEX, FLAT
from signorini.math.cached import cached_property
from signorini.math.sparse import Array, Indices
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.descriptor import SurfaceMesh


@dataclass(frozen=True, eq=False)
class PolyhedronForm:
    """Flat faces between corners."""

    corners: Array
    """[m], shape (corners, 3)."""
    triangles: Indices
    normals: Array
    faces: tuple[Indices, ...]
    """Corners of each face in order."""

    @cached_property
    def size(self) -> float:
        """[m]."""
        return 0.5 * float(np.ptp(self.corners, axis=0).max())

    @classmethod
    def of(cls, mesh: SurfaceMesh) -> PolyhedronForm:
        """Joins the triangles that lie in one plane."""
        normals, faces = joined_faces(mesh.vertices, mesh.triangles)
        return cls(mesh.vertices, mesh.triangles, normals, faces)

    def support(self, direction: Array) -> Array:
        """A corner."""
        return np.asarray(self.corners[int(np.argmax(self.corners @ direction))])

    @cached_property
    def face_lists(self) -> tuple[Indices, Indices]:
        """Where the corners of each face begin in the list of all of them, and that list."""
        start = np.concatenate(([0], np.cumsum([len(face) for face in self.faces]))).astype(np.int64)
        return start, np.concatenate(self.faces).astype(np.int64)

    def extents(self, directions: Array) -> Array:
        """That of the farthest corner."""
        return np.asarray((directions @ self.corners.T).max(axis=1))

    def feature(self, direction: Array) -> Array:
        """A face, an edge or a corner."""
        towards = self.normals @ direction
        best = int(np.argmax(towards))
        if towards[best] > np.cos(FLAT):
            return np.asarray(self.corners[self.faces[best]])
        height = self.corners @ direction
        near = np.flatnonzero(height > height.max() - 2.0 * FLAT * self.size)
        if len(near) == 2 and abs(height[near[0]] - height[near[1]]) < FLAT * np.linalg.norm(
            self.corners[near[0]] - self.corners[near[1]]
        ):
            return np.asarray(self.corners[near])
        return self.support(direction)[None]

    def round_radius(self, direction: Array) -> float:
        """None: its faces have corners."""
        return 0.0

    def plane_points(self, direction: Array) -> Array:
        """All corners."""
        return self.corners

    def core(self) -> ConvexCore:
        """Itself."""
        return ConvexCore(CONVEX, corners=self.corners, face_start=self.face_lists[0], face_corner=self.face_lists[1])


def joined_faces(corners: Array, triangles: Indices) -> tuple[Array, tuple[Indices, ...]]:
    """Normals and ordered corners of the flat faces of a convex polyhedron."""
    p = corners[triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    length = np.linalg.norm(normal, axis=1)
    size = float(np.ptp(corners, axis=0).max())
    order = np.argsort(-length, kind="stable")  # the largest triangle of a face gives the most exact normal
    normals: list[Array] = []
    faces: list[Indices] = []
    done = np.zeros(len(triangles), dtype=bool)
    for t in order:
        if done[t] or length[t] <= 1e-12 * size * size:
            continue
        n = normal[t] / length[t]
        height = corners @ n
        members = np.flatnonzero(height > height.max() - 1e-7 * size)
        done |= np.isin(triangles, members).all(axis=1)
        normals.append(n)
        faces.append(_around(corners, members, n))
    return np.array(normals), tuple(faces)


def _around(corners: Array, members: Indices, normal: Array) -> Indices:
    centre = corners[members].mean(axis=0)
    x = corners[members[0]] - centre
    y = np.cross(normal, x)
    angle = np.arctan2((corners[members] - centre) @ y, (corners[members] - centre) @ x)
    return np.asarray(members[np.argsort(angle, kind="stable")])
