"""The input of contact laws in one step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.assembly.bend import ContactBend
from signorini.assembly.laws.memory import BONDED, BROKEN, LawMemory
from signorini.collision.contacts import Contacts
from signorini.math.cached import cached_property
from signorini.math.sparse import Array
from signorini.model.pair_table import PairLaws


@dataclass(frozen=True, eq=False)
class ContactSnapshot:
    """The contacts at the beginning of a step, their laws, their memory."""

    contacts: Contacts
    laws: PairLaws
    memory: LawMemory
    """Of these contacts, in their order."""
    slip: Array
    """Velocity of a against b along (normal, t1, t2), belts included [m/s], shape (contacts, 3)."""
    h: float
    """Time step [s]."""
    tolerance: float
    """Gaps up to this one are closed [m]."""
    fastest: float
    """Rigid contacts are pushed apart at this speed at most [m/s]."""
    bend: ContactBend | None = None
    """How the paths of rigid contacts bend in the step; None leaves them at first order."""
    mobility: Array | None = None
    """Of the bodies along the normal, shape (contacts,) [1/kg]; None where springs are taken at the end of the step."""

    @property
    def count(self) -> int:
        """Number of contacts."""
        return self.contacts.count

    @property
    def is_mid_step(self) -> bool:
        """Whether what contacts store is that in the middle of the step."""
        return self.mobility is not None

    @cached_property
    def gap(self) -> Array:
        """What is left until the contact is loaded: the distance less the plastic part, Phi - p [m]."""
        return np.asarray(self.contacts.gap - self.memory.plastic)

    @cached_property
    def bonded(self) -> NDArray[np.bool_]:
        """Which contacts resist tension: old bonds, and new ones where the gap is closed."""
        allowed = self.laws.heals | ~self.memory.has(BROKEN)
        new = allowed & (self.gap <= self.tolerance)
        return np.asarray((self.laws.cohesion > 0) & (new | self.memory.has(BONDED)))
