"""A source of bodies that come into the scene during a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array

Three = tuple[float, float, float]
EARLY = 1e-9
"""An event that is due within this share of the time between two events is due now."""


@dataclass(frozen=True)
class Emitter:
    """Puts bodies of a store into the scene, at times that are known beforehand; made by `Model.add_emitter`."""

    name: str
    first: int
    """Its bodies are `first`, ..., `first + capacity - 1` in `Model.bodies`."""
    capacity: int
    low: Three
    """Corner of the box in which centres of mass come in [m]."""
    high: Three
    rate: float
    """[1/s]."""
    start: float
    """When the first body comes [s]."""
    stop: float
    """No body comes from this time on [s]."""
    velocity: Three
    """World [m/s]."""
    angular_velocity: Three
    """Body frame [rad/s]."""
    orientation: tuple[float, float, float, float] | None
    """(w, x, y, z); None for any, all alike likely."""
    seed: int

    @property
    def bodies(self) -> range:
        """Places in `Model.bodies`."""
        return range(self.first, self.first + self.capacity)

    def due(self, time: float) -> int:
        """Number of bodies that were to come before a time [s]."""
        until = min(time, self.stop)
        return max(0, math.ceil((until - self.start) * self.rate - EARLY))

    def draw(self, event: int, attempt: int) -> tuple[Array, Array]:
        """Position and orientation of a body that comes in: the same ones for the same numbers."""
        random = np.random.default_rng((self.seed, event, attempt))
        low, high = np.array(self.low), np.array(self.high)
        position = low + (high - low) * random.random(3)
        if self.orientation is not None:
            return position, np.array(self.orientation)
        turn = random.standard_normal(4)
        return position, turn / np.linalg.norm(turn)
