"""Memory of a second-order step for the next one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from signorini.assembly.alpha_problem import Carried
from signorini.collision.contacts import Contacts
from signorini.math.sparse import Array
from signorini.stepping.warm_start import Memory


@dataclass(frozen=True, eq=False)
class AlphaMemory(Memory):
    """Impulses, and the acceleration of the generalised-alpha method."""

    acceleration: Array = field(default_factory=lambda: np.zeros(0))
    """a [m/s2, rad/s2], shape (n,)."""
    pushes: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """On the bodies by the contacts of `identity`, (normal, t1, t2) [N s], shape (contacts, 3)."""
    momentum: Array = field(default_factory=lambda: np.zeros(0))
    """That all impulses together gave [N s, N m s], shape (n,)."""
    smooth: bool = False
    """Whether nothing struck in the step, so that the next one may expect like impulses."""

    def carried(self, contacts: Contacts) -> Carried:
        """Impulses to expect, in the places of the contacts of the next step."""
        if not self.smooth:
            sizes = (len(part) for part in (self.joint_impulse, self.limit_impulse, self.momentum))
            return Carried.nothing(contacts.count, *sizes)
        out = np.zeros((contacts.count, 3))
        if len(self.identity):
            at = np.minimum(np.searchsorted(self.identity, contacts.identity), len(self.identity) - 1)
            same = self.identity[at] == contacts.identity
            out[same] = self.pushes[at[same]]
        return Carried(out, self.joint_impulse, self.limit_impulse, self.momentum, True)
