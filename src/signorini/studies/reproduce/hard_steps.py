"""Steps with hard contact, whose contact problems the studies look at."""

from __future__ import annotations

from signorini.simulation.simulation import Simulation
from signorini.stepping.step import DviStep


def hard_steps(simulation: Simulation, count: int) -> list[DviStep]:
    """The next steps; those of smooth dynamics have no contact problem and are left out."""
    taken = (simulation.advance() for _ in range(count))
    return [step for step in taken if isinstance(step, DviStep)]
