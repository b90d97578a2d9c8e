"""Everything that the next step of a simulation depends on, what its controller has set included."""

from __future__ import annotations

from dataclasses import dataclass

from signorini.io.checkpoint import Checkpoint
from signorini.math.sparse import Array
from signorini.simulation.control.contact_forces import ContactForces


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Made by `Simulation.snapshot`, taken by `Simulation.restore`; can be pickled, and copied to other processes."""

    checkpoint: Checkpoint
    """State, impulses of the last step, random numbers."""
    setpoints: tuple[tuple[float, float], ...]
    """Level and slope of every setpoint of the model."""
    wrenches: tuple[Array, Array]
    """Held ones, and those of the next step, shape (bodies, 6) each."""
    contacts: ContactForces
    """Of the last step."""

    def __repr__(self) -> str:
        return f"Snapshot(after {self.checkpoint.number} steps, t = {self.checkpoint.state.time:g} s)"
