"""Cone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.kernels.collision.conventions import CONE, FLAT
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
class Cone(ConvexShape):
    """Cone about the z axis: base at z = -height/2, tip at z = height/2.

    The origin of the frame is at mid-height, the centroid at z = -height/4.
    """

    radius: float
    """Of the base [m]."""
    height: float
    """[m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius of a Cone"))
        object.__setattr__(self, "height", positive(self.height, "height of a Cone"))

    def mass_properties(self) -> MassProperties:
        """Of the solid cone."""
        r, H = self.radius, self.height
        volume = math.pi * r * r * H / 3.0
        across, along = 0.15 * r * r + 0.0375 * H * H, 0.3 * r * r
        return MassProperties(volume, np.array([0.0, 0.0, -0.25 * H]), volume * np.diag([across, across, along]))

    def bounding_radius(self) -> float:
        """Distance of the rim [m]."""
        return math.hypot(self.radius, 0.5 * self.height)

    def parameters(self) -> Triple:
        """Radius and half height."""
        return (self.radius, 0.5 * self.height, 0.0)

    def bounding_box(self) -> BoundingBox:
        """Around base and tip."""
        return BoundingBox((self.radius, self.radius, 0.5 * self.height))

    @property
    def tip(self) -> Array:
        """[m], shape (3,)."""
        return np.array([0.0, 0.0, 0.5 * self.height])

    @property
    def normals(self) -> Array:
        """Of the base."""
        return np.array([[0.0, 0.0, -1.0]])

    def support(self, direction: Array) -> Array:
        """The tip or a point of the rim."""
        edge = self.radius * sideways(direction) - self.tip
        return self.tip if direction @ self.tip >= direction @ edge else np.asarray(edge)

    def extents(self, directions: Array) -> Array:
        """That of the tip or of the rim."""
        up = 0.5 * self.height * directions[:, 2]
        return np.maximum(up, self.radius * np.hypot(directions[:, 0], directions[:, 1]) - up)

    def feature(self, direction: Array) -> Array:
        """The base, a line from base to tip, or a point."""
        r, height = self.radius, self.height
        if self.round_radius(direction):
            return rim(r, -0.5 * height)
        side = sideways(direction)
        slope = (height * side + np.array([0.0, 0.0, r])) / np.hypot(height, r)
        if np.linalg.norm(direction - slope) < FLAT:
            return np.stack((r * side - self.tip, self.tip))
        return self.support(direction)[None]

    def round_radius(self, direction: Array) -> float:
        """That of the base."""
        return self.radius if direction[2] < 0 and np.hypot(direction[0], direction[1]) < FLAT else 0.0

    def plane_points(self, direction: Array) -> Array:
        """The tip and four points of the rim."""
        side = sideways(direction)
        return np.vstack((self.tip, rim(self.radius, -0.5 * self.height, 4, (side[0], side[1]))))

    def core(self) -> ConvexCore:
        """Itself."""
        return ConvexCore(CONE, self.parameters())

    def signed_distance(self) -> SignedDistance:
        """Closed form; the core is the inscribed ball."""
        r, half = self.radius, 0.5 * self.height
        return SignedDistance(CONE, 2.0 * r * half / (r + float(np.hypot(r, 2.0 * half))), self.parameters())

    def sharp_features(self) -> SharpFeatures:
        """Points of the rim, and the tip."""
        half = 0.5 * self.height
        return SharpFeatures.of_points(np.vstack((rim(self.radius, -half), self.tip)), min(self.radius, half))

    def drawing(self) -> Drawing:
        """Base and side."""
        r, z = self.radius, 0.5 * self.height
        return revolved(np.array([[0.0, z], [r, -z], [0.0, -z]]))
