"""Everything that the next step depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from signorini.model.state import State
from signorini.stepping.smooth.memory import SmoothMemory
from signorini.stepping.warm_start import Memory


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Enough to go on bit for bit."""

    number: int
    """Steps done."""
    state: State
    """After them."""
    memory: Memory | SmoothMemory | None
    """Impulses of the last step, or what an integrator of smooth dynamics keeps; None before the first."""
    random: dict[str, Any]
    """State of the simulation's random generator."""
