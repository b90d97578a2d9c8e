"""The memory of an integrator of smooth dynamics."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.math.sparse import Array, Indices


@dataclass(frozen=True, eq=False)
class SmoothMemory:
    """Everything that the next step depends on besides the state."""

    acceleration: Array
    """The integrator's a [m/s2, rad/s2], shape (n,)."""
    effort: Array
    """f + C' lambda at the state [N, N m], shape (n,)."""
    multipliers: Array
    """Joint forces [N, N m], shape (rows,)."""
    step: float
    """That led here [s]; 0 before the first."""
    trial: float
    """That is tried next [s]."""
    identity: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Of the contacts whose tangential springs are stretched, rising, shape (contacts,)."""
    stretch: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Of those springs, world [m], shape (contacts, 3)."""
