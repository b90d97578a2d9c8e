"""Ellipsoid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.kernels.collision.conventions import ELLIPSOID
from signorini.math.sparse import Array
from signorini.model.checks import positive_sizes
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.convex_form import ConvexShape
from signorini.model.shapes.descriptor import BoundingBox, Drawing, MassProperties, SignedDistance, Triple
from signorini.model.shapes.revolution import ARC, turned


@dataclass(frozen=True)
class Ellipsoid(ConvexShape):
    """Ellipsoid about the origin of its frame, its axes along x, y, z."""

    radii: tuple[float, float, float]
    """Half the lengths of the axes [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", positive_sizes(self.radii, "radii of an Ellipsoid"))

    def mass_properties(self) -> MassProperties:
        """Of the solid ellipsoid."""
        a, b, c = self.radii
        volume = 4.0 / 3.0 * math.pi * a * b * c
        moments = np.array([b * b + c * c, c * c + a * a, a * a + b * b]) / 5.0
        return MassProperties(volume, np.zeros(3), np.diag(volume * moments))

    def bounding_radius(self) -> float:
        """The largest of the three [m]."""
        return max(self.radii)

    def parameters(self) -> Triple:
        """The radii."""
        return self.radii

    def bounding_box(self) -> BoundingBox:
        """The radii are its half sizes."""
        return BoundingBox(self.radii)

    def support(self, direction: Array) -> Array:
        """Closed form."""
        radii = np.array(self.radii)
        scaled = radii * (direction / np.linalg.norm(direction))
        return np.asarray(radii * scaled / np.linalg.norm(scaled))

    def extents(self, directions: Array) -> Array:
        """Closed form."""
        return np.asarray(np.linalg.norm(directions * np.array(self.radii), axis=1))

    def core(self) -> ConvexCore:
        """Itself."""
        return ConvexCore(ELLIPSOID, self.radii)

    def signed_distance(self) -> SignedDistance:
        """By bisection."""
        return SignedDistance(ELLIPSOID, min(self.radii), self.radii)

    def drawing(self) -> Drawing:
        """A sphere, stretched."""
        angle = np.linspace(0.0, np.pi, 2 * ARC)
        circle = np.column_stack([np.sin(angle), np.cos(angle)])
        corners, normals = turned(circle, circle)
        return Drawing(corners * np.asarray(self.radii), normals / np.asarray(self.radii))
