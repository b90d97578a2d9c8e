"""The energy that a run starts with."""

from __future__ import annotations

from typing import Any

from signorini.assembly.masses import Masses
from signorini.assembly.mechanics import mechanical_energy
from signorini.model.model import Model
from signorini.model.state import State
from signorini.stepping.contact_behaviour import has_springs
from signorini.stepping.mid_step import halfway


def start_energy(model: Model | None, settings: dict[str, Any], state: State) -> float | None:
    """Kinetic and potential, measured as at the end of a step [J]; None where it is not known.

    It is unknown without the model, for flexible bodies, and with springs in contacts.
    """
    if model is None or model.flexibles or has_springs(model):
        return None
    masses = Masses.of(model)
    curved = settings.get("gaps") == "curved"
    measured = halfway(state, masses, float(settings["step"])) if curved else state
    return sum(mechanical_energy(model, masses, None, measured))
