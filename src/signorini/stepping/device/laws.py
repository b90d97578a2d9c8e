"""Springs and bonds of contacts on the GPU, and what they remember from step to step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.assembly.laws.memory import BROKEN, LawMemory
from signorini.kernels.cuda import laws
from signorini.kernels.cuda.door import launch, to_host, view, xp
from signorini.stepping.device.tables import LawTable


@dataclass(frozen=True, eq=False)
class DeviceTerms:
    """The terms of contact laws; arrays without entries where contacts are rigid."""

    offset: Any
    """b without known velocities [m/s], shape (3, contacts)."""
    compliance: Any
    """Diagonal of E, shape (3, contacts)."""
    pull: Any
    """h F_c [N s], shape (contacts,)."""
    memory: Any
    """See `kernels.cuda.laws`, shape (5, contacts)."""

    @classmethod
    def rigid(cls) -> DeviceTerms:
        """Of contacts with friction alone."""
        return cls(xp.empty((3, 0)), xp.empty((3, 0)), xp.empty(0), xp.empty((laws.MEMORY, 0)))

    @property
    def views(self) -> tuple[Any, Any, Any]:
        """For `rows.records`."""
        return view(self.offset), view(self.compliance), view(self.pull)


class DeviceLaws:
    """The laws of a model's contacts and their memory, on the device."""

    def __init__(self, table: LawTable, h: float, recovery: float) -> None:
        self._now = (h, recovery, table.closed)
        self.has_rolling = bool(table.rows[:, [laws.SPINNING, laws.ROLLING]].any())
        self.pairs = view(xp.asarray(table.surface_of)), view(xp.asarray(table.rows))
        self.forget()

    def forget(self) -> None:
        """Contacts that remember nothing."""
        self.identity, self.memory = xp.empty(0, xp.int64), xp.empty((laws.MEMORY, 0))

    def recall(self, known: LawMemory | None) -> None:
        """Take a memory of the host."""
        self.forget()
        if known is not None:
            rows = np.vstack([known.shear.T, known.plastic, known.stretch, known.mode])
            self.identity, self.memory = xp.asarray(known.identity), xp.asarray(rows)

    def on_host(self) -> LawMemory:
        """The memory."""
        shear, other, plastic, stretch, mode = to_host(self.memory)
        both = np.stack([shear, other], axis=1)
        return LawMemory(to_host(self.identity), both, plastic, stretch, mode.astype(np.int64))

    def terms(self, identity: Any, bodies: Any, data: Any, friction: Any, state: Any) -> DeviceTerms:
        """Of the contacts of a step; sets their friction."""
        m = len(identity)
        memory = xp.zeros((laws.MEMORY, m))
        if len(self.identity):
            at = xp.minimum(xp.searchsorted(self.identity, identity), len(self.identity) - 1)
            memory = xp.where(self.identity[at] == identity, self.memory[:, at], 0.0)
        offset, compliance, pull = xp.empty((3, m)), xp.empty((3, m)), xp.empty(m)
        launch(
            laws.terms, m, bodies, data, *self.pairs, memory, state, self._now, friction, offset, compliance, pull
        )  # fmt: skip
        return DeviceTerms(offset, compliance, pull, memory)

    def remember(
        self, identity: Any, bodies: Any, data: Any, terms: DeviceTerms, impulse: Any, opening: Any, mobility: Any
    ) -> float:
        """Keep what contacts remember after a step; returns the energy that they store [J]."""
        energy = xp.empty(len(identity))
        launch(
            laws.remember, len(identity), bodies, data, *self.pairs, self._now, impulse, opening, terms.offset,
            terms.compliance, mobility, terms.pull, terms.memory, energy,
        )  # fmt: skip
        # Of contacts that are absent, dents and broken bonds last.
        broken = self.memory[laws.MODE].astype(xp.int64) & BROKEN
        lasts = ((self.memory[laws.PLASTIC] != 0) | (broken != 0)) & ~xp.isin(self.identity, identity)
        old = self.memory[:, lasts]
        old[: laws.PLASTIC], old[laws.MODE] = 0.0, broken[lasts]
        every, memory = xp.concatenate([identity, self.identity[lasts]]), xp.concatenate([terms.memory, old], axis=1)
        order = xp.argsort(every)
        self.identity, self.memory = every[order], memory[:, order]
        return float(energy.sum())
