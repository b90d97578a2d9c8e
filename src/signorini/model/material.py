"""Surface properties."""

from __future__ import annotations

import math
from dataclasses import dataclass

from signorini.problem.errors import ModelError


@dataclass(frozen=True)
class Material:
    """What a surface is made of, as far as contact is concerned."""

    friction: float = 0.4
    """Coulomb coefficient [-]; a pair takes the smaller of its two."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.friction) and self.friction >= 0):
            raise ModelError(f"friction is {self.friction}, expected a finite number >= 0")

    def pair_friction(self, other: Material) -> float:
        """Coefficient of a pair of surfaces."""
        return min(self.friction, other.friction)
