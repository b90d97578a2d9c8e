"""Pairs without a kernel of their own: cylinders, cones, ellipsoids, hulls and meshes against anything."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from signorini.collision.convex_forms import ConvexForm, form_of
from signorini.collision.manifold import Nearest, Posed, Touch, manifold
from signorini.collision.shape_table import ShapeTable
from signorini.kernels.collision_broad import Pairs
from signorini.kernels.collision_table import FEATURE_MASK, HALF_SPACE, MESH, Found, Placement, put


class GeneralPairs:
    """Contacts of pairs of any two shapes, one pair at a time; bodies are few where such shapes are used."""

    def __init__(self, table: ShapeTable) -> None:
        self.table = table
        self._form = cache(self._make_form)
        self._solid = cache(lambda shape: self._form(shape).solid(self._nearest.coal))
        self._lazy: list[Nearest] = []

    def contacts(self, groups: list[Pairs], placed: Placement) -> Found:
        """Raw contacts of all pairs; of each the smaller kind is first."""
        rows: list[tuple[int, int, Touch]] = []
        for group in groups:
            for i, j, limit in zip(group.first.tolist(), group.second.tolist(), group.limit.tolist(), strict=True):
                rows += [(i, j, touch) for touch in self._touches(i, j, limit, placed)]
        found = Found(np.empty(len(rows), dtype=np.int64), np.empty((len(rows), 10)))
        for k, (i, j, touch) in enumerate(rows):
            put(found, k, i, j, touch.feature & FEATURE_MASK, *touch.point, *touch.normal, touch.gap)
        return found

    def _touches(self, i: int, j: int, limit: float, placed: Placement) -> Iterable[Touch]:
        kind = self.table.arrays.kind
        if kind[j] == MESH:
            return []
        if kind[j] == HALF_SPACE or kind[i] == HALF_SPACE:
            i_is_plane = kind[i] == HALF_SPACE
            touches = self._on_plane(j if i_is_plane else i, i if i_is_plane else j, limit, placed)
            return [turned(t) for t in touches] if i_is_plane else touches
        a, b = self._posed(i, placed), self._posed(j, placed)
        nearest = self._nearest(a, b)
        return manifold(a, b, nearest, limit) if nearest.gap < limit else []

    def _on_plane(self, i: int, plane: int, limit: float, placed: Placement) -> list[Touch]:
        """Shape i above the half-space."""
        n = placed.rotation[plane].reshape(3, 3) @ self.table.arrays.param[plane]
        R = placed.rotation[i].reshape(3, 3)
        points = placed.origin[i] + self._form(self.table.shapes[i]).plane_points(-n @ R) @ R.T
        gaps = (points - placed.origin[plane]) @ n
        return [Touch(points[k], n, float(gaps[k]), k) for k in np.flatnonzero(gaps < limit).tolist()]

    def _posed(self, i: int, placed: Placement) -> Posed:
        shape = self.table.shapes[i]
        rotation = np.eye(3) if self.table.centred[i] else placed.rotation[i].reshape(3, 3).copy()
        return Posed(self._form(shape), self._solid(shape), placed.origin[i].copy(), rotation)

    def _make_form(self, shape: Any) -> ConvexForm:
        return form_of(shape)

    @property
    def _nearest(self) -> Nearest:
        """Loaded when first needed: half-spaces do without it."""
        if not self._lazy:
            self._lazy.append(Nearest())
        return self._lazy[0]


def turned(touch: Touch) -> Touch:
    """The same contact seen from the other shape."""
    return Touch(touch.point - touch.gap * touch.normal, -touch.normal, touch.gap, touch.feature)
