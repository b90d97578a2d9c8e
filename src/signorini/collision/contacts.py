"""What collision detection hands to assembly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.math.sparse import Array, Indices


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contact points of one instant, in structure-of-arrays form, in a reproducible order.

    `normal` points from body b to body a; `gap = normal . (point on a - point on b)`, negative in penetration.
    """

    body_a: Indices
    """Index in `Model.bodies`, shape (contacts,)."""
    body_b: Indices
    """Index in `Model.bodies`, shape (contacts,)."""
    point_a: Array
    """Contact point on a, world [m], shape (contacts, 3)."""
    point_b: Array
    """Contact point on b, world [m], shape (contacts, 3)."""
    normal: Array
    """Unit vectors from b to a, world, shape (contacts, 3)."""
    gap: Array
    """Signed distance Phi [m], shape (contacts,)."""
    friction: Array
    """Coulomb coefficient mu of the pair [-], shape (contacts,)."""
    identity: Indices
    """The same number for the same pair of features in successive steps, unique within one, shape (contacts,)."""

    @property
    def count(self) -> int:
        """Number of contacts."""
        return len(self.gap)

    @property
    def deepest(self) -> float:
        """Largest penetration [m], 0 without any."""
        return max(0.0, -float(self.gap.min())) if self.count else 0.0

    @classmethod
    def empty(cls) -> Contacts:
        """No contacts."""
        none, vectors = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        return cls(none, none, vectors, vectors, vectors, np.zeros(0), np.zeros(0), none)
