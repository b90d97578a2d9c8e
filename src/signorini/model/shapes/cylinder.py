"""Cylinder."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from signorini.kernels.collision.conventions import CYLINDER, FLAT
from signorini.math.sparse import Array
from signorini.model.checks import positive
from signorini.model.shapes.convex_core import ConvexCore
from signorini.model.shapes.convex_form import ConvexShape, rim, sideways
from signorini.model.shapes.descriptor import (
    BoundingBox,
    Drawing,
    MassProperties,
    SharpFeatures,
    SignedDistance,
    Triple,
)
from signorini.model.shapes.revolution import revolved


@dataclass(frozen=True)
class Cylinder(ConvexShape):
    """Cylinder about the z axis, from -length/2 to length/2."""

    kind: ClassVar[int] = CYLINDER

    radius: float
    """[m]."""
    length: float
    """Along z [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius of a Cylinder"))
        object.__setattr__(self, "length", positive(self.length, "length of a Cylinder"))

    def mass_properties(self) -> MassProperties:
        """Of the solid cylinder."""
        r, L = self.radius, self.length
        volume = math.pi * r * r * L
        across, along = r * r / 4.0 + L * L / 12.0, r * r / 2.0
        return MassProperties(volume, np.zeros(3), volume * np.diag([across, across, along]))

    def bounding_radius(self) -> float:
        """Distance of the rims [m]."""
        return math.hypot(self.radius, 0.5 * self.length)

    def parameters(self) -> Triple:
        """Radius and half length."""
        return (self.radius, 0.5 * self.length, 0.0)

    def bounding_box(self) -> BoundingBox:
        """Around both rims."""
        return BoundingBox((self.radius, self.radius, 0.5 * self.length))

    @property
    def normals(self) -> Array:
        """Of the two round faces."""
        return np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])

    def support(self, direction: Array) -> Array:
        """On a rim."""
        z = np.copysign(0.5 * self.length, direction[2])
        return np.asarray(self.radius * sideways(direction) + np.array([0.0, 0.0, z]))

    def extents(self, directions: Array) -> Array:
        """Closed form."""
        across = np.hypot(directions[:, 0], directions[:, 1])
        return np.asarray(self.radius * across + 0.5 * self.length * np.abs(directions[:, 2]))

    def feature(self, direction: Array) -> Array:
        """A round face, a line along the axis, or a point of a rim."""
        r, half = self.radius, 0.5 * self.length
        if self.round_radius(direction):
            return rim(r, float(np.copysign(half, direction[2])))
        if abs(direction[2]) < FLAT:
            side = r * sideways(direction)
            return np.stack((side - np.array([0.0, 0.0, half]), side + np.array([0.0, 0.0, half])))
        return self.support(direction)[None]

    def round_radius(self, direction: Array) -> float:
        """That of the two faces."""
        return self.radius if np.hypot(direction[0], direction[1]) < FLAT else 0.0

    def plane_points(self, direction: Array) -> Array:
        """Four points of either rim, the first the nearest to the plane."""
        r, half, side = self.radius, 0.5 * self.length, sideways(direction)
        return np.vstack([rim(r, z, 4, (side[0], side[1])) for z in (-half, half)])

    def core(self) -> ConvexCore:
        """Itself."""
        return ConvexCore(CYLINDER, self.parameters())

    def signed_distance(self) -> SignedDistance:
        """Closed form."""
        return SignedDistance(CYLINDER, min(self.radius, 0.5 * self.length), self.parameters())

    def sharp_features(self) -> SharpFeatures:
        """Points of both rims."""
        r, half = self.radius, 0.5 * self.length
        return SharpFeatures.of_points(np.vstack([rim(r, z) for z in (-half, half)]), min(r, half))

    def drawing(self) -> Drawing:
        """Both faces and the side."""
        r, z = self.radius, 0.5 * self.length
        return revolved(np.array([[0.0, z], [r, z], [r, -z], [0.0, -z]]))
