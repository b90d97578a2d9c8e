"""Where convex pieces of one body meet: their inner faces and edges touch nobody.

A ball that rolls over the seam of two pieces with a common flat top is nearest to the edge of the piece ahead, along a
slanted normal that the solid does not have there: it would bump. Such contacts are left out. A contact of a piece at
a point p with outward normal d is hidden by another piece of its body that holds p if d is not normal to that piece
too, that is if the other reaches farther along d than p. Faces are not slanted: a contact along the normal of
a face is hidden only where the other piece lies on that face.

The contact that stays is nearer: the other piece holds p, so it is at least as near to the partner as p is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from signorini.collision.convex_forms import ConvexForm, PolyhedronForm
from signorini.collision.manifold import SNAP, Touch
from signorini.collision.shape_table import ShapeTable
from signorini.kernels.collision_table import Placement
from signorini.math.rotations import matrix
from signorini.math.sparse import Array
from signorini.model.shapes.convex_hull import ConvexHull

ON = 1e-5
"""How far from a piece a point may be to count as one of it, relative to its size."""
FARTHER = 1e-4
"""How much farther a piece has to reach to hide a contact, relative to its size."""
COVER = 0.02
"""How thick a piece is at least where it covers a face, relative to its size."""


@dataclass(frozen=True, eq=False)
class Sibling:
    """Another piece of the same body, in the frame of the first."""

    corners: Array
    """[m], shape (corners, 3)."""
    normals: Array
    """Outwards, shape (faces, 3)."""
    offsets: Array
    """[m], shape (faces,)."""
    size: float
    """[m]."""

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
        on_face = bool((np.linalg.norm(self._form(i).normals - d, axis=1) < SNAP).any())
        for sibling in self._siblings(i):
            if on_face:
                # The point is half way into what covers the face, if that is thick enough.
                cover = COVER * sibling.size
                if sibling.depth(p + cover * d) > 0.5 * cover:
                    return True
            elif sibling.depth(p) > -ON * sibling.size:
                if sibling.reach(d) - float(d @ p) > FARTHER * sibling.size:
                    return True
        return False

    def _make_siblings(self, i: int) -> tuple[Sibling, ...]:
        return tuple(self._sibling(i, k) for k in self._groups[i] if k != i)

    def _sibling(self, i: int, k: int) -> Sibling:
        position, orientation = self.table.arrays.position, self.table.arrays.orientation
        mine, theirs = matrix(orientation[i]), matrix(orientation[k])
        turn, shift = mine.T @ theirs, (position[k] - position[i]) @ mine
        form = self._form(k)
        assert isinstance(form, PolyhedronForm)
        normals, corners = form.normals @ turn.T, form.corners @ turn.T + shift
        offsets = (corners @ normals.T).max(axis=0)
        return Sibling(corners, normals, offsets, 0.5 * float(np.ptp(corners, axis=0).max()))
