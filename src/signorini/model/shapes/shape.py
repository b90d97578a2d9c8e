"""What every shape knows about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from signorini.math.rotations import IDENTITY, matrix
from signorini.math.sparse import Array


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Of a homogeneous solid of density 1 [kg/m3] in its own frame."""

    volume: float
    """[m3]."""
    centre: Array
    """Centroid [m], shape (3,)."""
    inertia: Array
    """About the centroid, axes of the shape's frame [m5], shape (3, 3)."""


class Shape(Protocol):
    """A solid in its own frame; collision detection dispatches on the class."""

    def mass_properties(self) -> MassProperties:
        """Volume, centroid and inertia of the solid with density 1; raises `ModelError` if it has no volume."""

    def bounding_radius(self) -> float:
        """Radius of the smallest ball about the origin of the shape's frame that holds it (inf for a half-space)."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape at a pose in the frame of its body (whose origin is the centre of mass)."""

    shape: Shape
    position: Array
    """[m], shape (3,)."""
    orientation: Array
    """Unit quaternion (w, x, y, z), shape to body."""

    @classmethod
    def at_origin(cls, shape: Shape) -> Placed:
        """The shape's frame is the body's frame."""
        return cls(shape, np.zeros(3), IDENTITY.copy())

    def mass_properties(self) -> MassProperties:
        """In the frame of the body."""
        own = self.shape.mass_properties()
        if not self.orientation[1:].any():
            return MassProperties(own.volume, self.position + own.centre, own.inertia)
        R = matrix(self.orientation)
        return MassProperties(own.volume, self.position + R @ own.centre, R @ own.inertia @ R.T)
