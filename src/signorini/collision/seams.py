"""Seams between convex pieces of one body: inner faces and edges have no contacts.

A ball that rolls over the seam of two pieces with a common flat top is nearest to the edge of the piece ahead, along a
slanted normal that the solid does not have there: it would bump. Such contacts are left out. A contact of a piece at
a point p with outward normal d is hidden by another piece of its body that holds p if d is not normal to that piece
too, that is if the other reaches farther along d than p. A contact along the normal of a face is right unless the other
piece lies on that face. As p may be on the border of the face (a box on the flat top is stopped by the last bit of the
face below the seam), that is asked a little farther in.

The contact that stays is nearer: the other piece holds p, so it is at least as near to the partner as p is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from signorini.collision.manifold import Touch
from signorini.collision.shape_table import ShapeTable
from signorini.kernels.collision.convex_pair import SNAP
from signorini.kernels.collision.table import Placement
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.shapes.convex_form import ConvexForm
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.polyhedron_form import PolyhedronForm

ON = 1e-5
"""How far from a piece a point may be to count as one of it, relative to its size."""
FARTHER = 1e-4
"""How much farther a piece has to reach to hide a contact, relative to its size."""
COVER = 0.05
"""How far in, and how far above a face, it is asked whether another piece covers it, relative to the thinner one."""


@dataclass(frozen=True, eq=False)
class Sibling:
    """A piece of a body, in the frame of the tested one."""

    corners: Array
    """[m], shape (corners, 3)."""
    normals: Array
    """Outwards, shape (faces, 3)."""
    offsets: Array
    """[m], shape (faces,)."""
    size: float
    """[m]."""
    width: float
    """Where it is thinnest [m]."""

    @classmethod
    def of(cls, corners: Array, normals: Array) -> Sibling:
        """From corners [m] and normals of faces."""
        heights = corners @ normals.T
        offsets = heights.max(axis=0)
        width = float((offsets - heights.min(axis=0)).min())
        return cls(corners, normals, offsets, 0.5 * float(np.ptp(corners, axis=0).max()), width)

    def inwards(self, point: Array, face: int, distance: float) -> Array:
        """A point of a face moved in it, away from its border by as much."""
        short = distance - (self.offsets - self.normals @ point)
        short[face] = 0.0
        move = np.maximum(short, 0.0) @ self.normals
        n = self.normals[face]
        return np.asarray(point - move + (move @ n) * n)

    def depth(self, point: Array) -> float:
        """How deep a point is inside [m], negative outside."""
        return float((self.offsets - self.normals @ point).min())

    def reach(self, direction: Array) -> float:
        """Of its farthest point along a direction [m]."""
        return float((self.corners @ direction).max())


class Seams:
    """Which contacts of the hulls of a body are hidden by its other hulls."""

    def __init__(self, table: ShapeTable, form: Callable[[int], ConvexForm]) -> None:
        self.table = table
        self._form = form
        hulls = [k for k, shape in enumerate(table.shapes) if isinstance(shape, ConvexHull)]
        groups: dict[int, list[int]] = {}
        for k in hulls:
            groups.setdefault(int(table.arrays.body[k]), []).append(k)
        self._groups = {k: group for group in groups.values() if len(group) > 1 for k in group}
        self._siblings = cache(self._make_siblings)
        self._piece = cache(self._make_piece)

    @property
    def in_pieces(self) -> NDArray[np.bool_]:
        """Which shapes are pieces of bodies of several hulls, shape (shapes,)."""
        return np.isin(np.arange(len(self.table.shapes)), list(self._groups))

    def visible(self, i: int, j: int, touches: list[Touch], placed: Placement) -> list[Touch]:
        """The contacts of shapes i and j that no other pieces of their bodies hide."""
        if not touches or (i not in self._groups and j not in self._groups):
            return touches
        kept = [t for t in touches if not self._hidden(i, t.point, -t.normal, placed)]
        return [t for t in kept if not self._hidden(j, t.point - t.gap * t.normal, t.normal, placed)]

    def _hidden(self, i: int, point: Array, direction: Array, placed: Placement) -> bool:
        if i not in self._groups:
            return False
        R = placed.rotation[i].reshape(3, 3)
        p, d = (point - placed.origin[i]) @ R, direction @ R
        own = self._piece(i)
        off = np.linalg.norm(own.normals - d, axis=1)
        face = int(off.argmin())
        if off[face] < SNAP:
            return any(covers(sibling, own, face, p) for sibling in self._siblings(i))
        return any(
            sibling.depth(p) > -ON * sibling.size and sibling.reach(d) - float(d @ p) > FARTHER * sibling.size
            for sibling in self._siblings(i)
        )

    def _make_piece(self, i: int) -> Sibling:
        form = self._form(i)
        assert isinstance(form, PolyhedronForm)
        return Sibling.of(form.corners, form.normals)

    def _make_siblings(self, i: int) -> tuple[Sibling, ...]:
        return tuple(self._sibling(i, k) for k in self._groups[i] if k != i)

    def _sibling(self, i: int, k: int) -> Sibling:
        position, orientation = self.table.arrays.position, self.table.arrays.orientation
        mine, theirs = matrix(orientation[i]), matrix(orientation[k])
        turn, shift = mine.T @ theirs, (position[k] - position[i]) @ mine
        other = self._piece(k)
        return Sibling.of(other.corners @ turn.T + shift, other.normals @ turn.T)


def covers(sibling: Sibling, own: Sibling, face: int, point: Array) -> bool:
    """Whether a sibling lies on a face of a piece near one of its points."""
    little = COVER * min(sibling.width, own.width)
    if sibling.depth(point) < -2.0 * little:
        return False
    return sibling.depth(own.inwards(point, face, little) + little * own.normals[face]) > 0.5 * little
