"""What contacts remember from one step to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.math.sparse import Array, Indices

BONDED, BROKEN, CLOSED, YIELDING = 1, 2, 4, 8
"""Bits of `LawMemory.mode`: holds against pull; has been torn apart; carried an impulse; was dented."""


@dataclass(frozen=True, eq=False)
class LawMemory:
    """The inner state of contacts, by their identities."""

    identity: Indices
    """Rising, shape (known,)."""
    shear: Array
    """Deflection of the tangential spring along (t1, t2) [m], shape (known, 2)."""
    plastic: Array
    """Plastic part p of the gap: the contact is unloaded at the gap p [m], negative in a dent, shape (known,)."""
    stretch: Array
    """How far the bond has been stretched for good since it was made [m], shape (known,)."""
    mode: Indices
    """Bits, see above; shape (known,)."""

    @classmethod
    def fresh(cls, identity: Indices) -> LawMemory:
        """Contacts that remember nothing."""
        n = len(identity)
        return cls(identity, np.zeros((n, 2)), np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64))

    def at(self, identity: Indices) -> LawMemory:
        """The same for these contacts, in their order; those never seen remember nothing."""
        place = np.searchsorted(self.identity, identity)
        place[place == len(self.identity)] = 0
        known = self.identity[place] == identity if len(self.identity) else np.zeros(len(identity), dtype=np.bool_)
        new = LawMemory.fresh(identity)
        for name in ARRAYS:
            getattr(new, name)[known] = getattr(self, name)[place[known]]
        return new

    def followed_by(self, now: LawMemory) -> LawMemory:
        """The memory after a step: `now` of its contacts, and of absent ones what lasts, dents and broken bonds."""
        lasting = (self.plastic != 0) | self.has(BROKEN)
        absent = lasting & ~np.isin(self.identity, now.identity)
        identity = np.concatenate((now.identity, self.identity[absent]))
        order = np.argsort(identity, kind="stable")
        shear = np.vstack((now.shear, np.zeros((int(absent.sum()), 2))))[order]
        plastic, stretch = (
            np.concatenate((getattr(now, name), getattr(self, name)[absent]))[order] for name in ("plastic", "stretch")
        )
        mode = np.concatenate((now.mode, self.mode[absent] & BROKEN))[order]
        return LawMemory(identity[order], shear, plastic, stretch, mode)

    def has(self, bit: int) -> NDArray[np.bool_]:
        """Which contacts have a bit of the mode set."""
        return np.asarray((self.mode & bit) != 0)


ARRAYS = ("shear", "plastic", "stretch", "mode")
