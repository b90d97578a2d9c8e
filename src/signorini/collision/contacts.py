"""The result of collision detection."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from signorini.kernels.collision.identity import PART_BITS, feature_bits, swept_mark
from signorini.math.sparse import Array, Indices


@dataclass(frozen=True, eq=False)
class NodeSides:
    """Which nodes of flexible bodies the two sides of contacts move with."""

    nodes: Indices
    """Among those of a state, -1 for none: a rigid side has none; shape (k, 2, 4)."""
    weights: Array
    """Of those nodes, shape (k, 2, 4)."""
    rolling: Array
    """Radius of a round body that touches a face or edge, from its centre to the face [m]; 0 for others, shape (k,)."""

    @classmethod
    def none(cls) -> NodeSides:
        """Of no contacts."""
        return NO_SIDES

    def taken(self, order: Indices) -> NodeSides:
        """Those that `order` names."""
        return NodeSides(self.nodes[order], self.weights[order], self.rolling[order])

    def joined(self, others: NodeSides) -> NodeSides:
        """Both."""
        pairs = ((getattr(self, f.name), getattr(others, f.name)) for f in fields(self))
        return NodeSides(*(np.concatenate(pair) for pair in pairs))


NO_SIDES = NodeSides(np.zeros((0, 2, 4), dtype=np.int64), np.zeros((0, 2, 4)), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contact points of one instant, in structure-of-arrays form, in a reproducible order.

    Contacts of rigid bodies come first, then those in which flexible bodies take part: there body a is flexible.
    `normal` points from body b to body a; `gap = normal . (point on a - point on b)`, negative in penetration.
    """

    body_a: Indices
    """Index in `Model.bodies`, then in `Model.flexibles` counted on from there; shape (contacts,)."""
    body_b: Indices
    """As `body_a`, shape (contacts,)."""
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
    sides: NodeSides = field(default_factory=NodeSides.none)
    """Of the last contacts, those of flexible bodies."""
    share: Array | None = None
    """Part of the area of a round face that each contact stands for [-], 0 for points that are no part of one; shape
    (contacts,). None where all are 0. Such faces press evenly (see `assembly.round_faces`)."""
    part_bits: int = PART_BITS
    """Of each of the two shapes in the identities (see `kernels.collision.identity`)."""

    def __repr__(self) -> str:
        return f"Contacts({self.count}, deepest {self.deepest:.3g} m)"

    @property
    def rigid(self) -> int:
        """How many contacts are between rigid bodies; they come first."""
        return self.count - len(self.sides.nodes)

    @property
    def count(self) -> int:
        """Number of contacts."""
        return len(self.gap)

    @property
    def deepest(self) -> float:
        """Largest penetration [m], 0 without any."""
        return max(0.0, -float(self.gap.min())) if self.count else 0.0

    @property
    def pair(self) -> Indices:
        """The same number for all contacts of two shapes, shape (contacts,)."""
        return np.asarray(self.identity >> feature_bits(self.part_bits))

    @property
    def swept(self) -> NDArray[np.bool_]:
        """Which were met along the way of a turning body (see `stepping.swept_contacts`), shape (contacts,)."""
        return np.asarray((self.identity & swept_mark(self.part_bits)) != 0)

    @classmethod
    def empty(cls) -> Contacts:
        """No contacts."""
        return NO_CONTACTS

    def taken(self, order: Indices | NDArray[np.bool_]) -> Contacts:
        """Those of the contacts that `order` names, which keeps rigid ones in front."""
        number = np.arange(self.count)[order]
        sides = self.sides.taken(number[number >= self.rigid] - self.rigid)
        plain = {name: np.ascontiguousarray(getattr(self, name)[order]) for name in PLAIN}
        share = None if self.share is None else self.share[order]
        return Contacts(**plain, sides=sides, share=share, part_bits=self.part_bits)

    def joined(self, others: Contacts) -> Contacts:
        """Both, the contacts of flexible bodies last."""
        both = {name: np.concatenate((getattr(self, name), getattr(others, name))) for name in PLAIN}
        number = np.arange(self.count + others.count)
        is_flexible = np.concatenate((number[: self.count] >= self.rigid, number[: others.count] >= others.rigid))
        order = np.argsort(is_flexible, kind="stable")
        plain = {name: np.ascontiguousarray(values[order]) for name, values in both.items()}
        share = None
        if self.share is not None or others.share is not None:
            share = np.concatenate([np.zeros(c.count) if c.share is None else c.share for c in (self, others)])[order]
        bits = max(self.part_bits, others.part_bits)  # those of no contacts are the least
        return Contacts(**plain, sides=self.sides.joined(others.sides), share=share, part_bits=bits)


_NONE, _NO_VECTORS = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
NO_CONTACTS = Contacts(
    _NONE, _NONE, _NO_VECTORS, _NO_VECTORS, _NO_VECTORS, np.zeros(0), np.zeros(0), _NONE
)  # fmt: skip
PLAIN = tuple(f.name for f in fields(Contacts) if f.name not in ("sides", "share", "part_bits"))
"""Arrays that every contact has."""
