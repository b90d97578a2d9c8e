"""Everything below a plane."""

from __future__ import annotations

import math
from dataclasses import dataclass

from signorini.model.checks import unit_vector
from signorini.model.shapes.shape import MassProperties
from signorini.problem.errors import ModelError


@dataclass(frozen=True)
class HalfSpace:
    """The solid below the plane through the origin of its frame: points x with `normal . x <= 0`."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Out of the solid; scaled to length 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", tuple(unit_vector(self.normal, "normal of a HalfSpace").tolist()))

    def mass_properties(self) -> MassProperties:
        """Refused: it has no end."""
        raise ModelError("a HalfSpace has no finite volume or mass: use it with add_fixed, or with motion=...")

    def bounding_radius(self) -> float:
        """Infinite."""
        return math.inf
