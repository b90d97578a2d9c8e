"""Half-spaces as the part of their plane that a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array


@dataclass(frozen=True, eq=False)
class Plane:
    """The boundary of a half-space in the world: points x with `normal . x = offset`."""

    normal: Array
    offset: float

    def clip(self, polygon: Array) -> Array:
        """The part of a polygon outside the solid, where `normal . x >= offset`."""
        if not len(polygon):
            return polygon
        height = polygon @ self.normal - self.offset
        height = np.where(np.abs(height) < 1e-9, 0.0, height)
        kept = []
        for k in range(len(polygon)):
            here, there = polygon[k - 1], polygon[k]
            below, above = height[k - 1], height[k]
            if below * above < 0:
                kept.append(here + below / (below - above) * (there - here))
            if above >= 0:
                kept.append(there)
        return np.array(kept).reshape(-1, 3)


def visible_part(plane: Plane, others: Sequence[Plane], low: Array, high: Array) -> Array:
    """The corners of the part of a plane within the box from `low` to `high` and outside the other solids."""
    middle = 0.5 * (low + high)
    centre = middle - (middle @ plane.normal - plane.offset) * plane.normal
    one = np.cross(plane.normal, np.eye(3)[np.argmin(np.abs(plane.normal))])
    one /= np.linalg.norm(one)
    two = np.cross(plane.normal, one)
    reach = 2.0 * float(np.linalg.norm(high - low)) + float(np.abs(centre - middle).max())
    polygon = centre + reach * np.array([one + two, two - one, -one - two, one - two])
    sides = [
        Plane(sign * e, sign * edge[k]) for sign, edge in ((1.0, low), (-1.0, high)) for k, e in enumerate(np.eye(3))
    ]
    for other in (*sides, *others):
        if other is not plane:
            polygon = other.clip(polygon)
    return polygon
