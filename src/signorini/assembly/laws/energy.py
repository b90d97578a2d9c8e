"""Energy that contacts store."""

from __future__ import annotations

import numpy as np

from signorini.assembly.laws.contact_snapshot import ContactSnapshot
from signorini.assembly.laws.hertz import ENERGY
from signorini.assembly.laws.memory import BONDED, LawMemory
from signorini.assembly.laws.plasticity import ContactResponse
from signorini.assembly.laws.springs import places


def stored_energy(snapshot: ContactSnapshot, response: ContactResponse, after: LawMemory) -> float:
    """After the step [J]: `epsilon^2 / 2e` of the springs, and `F_c` times the gap of rigid bonds that stand open.

    Where all springs are linear ones of a step to second order, that in the middle of the step, as other energies are.

    Springs by Hertz's law, whose e is that of the secant, have 4/5 of it, less the work `F_c epsilon` of their bonds.
    Rigid bonds stand open where they slide, by the lift of the convex cone; what that lift took comes back.
    """
    laws, h = snapshot.laws, snapshot.h
    middle = snapshot.is_mid_step
    part = 1.0 - 2.0 * places(snapshot)[1] if middle else np.ones(snapshot.count)
    distance = snapshot.contacts.gap + part * h * response.slip[:, 0]
    holds = response.closed | after.has(BONDED)
    epsilon = np.where(holds, snapshot.memory.plastic + part * h * response.opening[:, 0] - distance, 0.0)
    epsilon = np.maximum(epsilon, 0.0) if middle else epsilon
    gap = np.where(after.has(BONDED) & (laws.compliance == 0), np.maximum(distance - after.plastic, 0.0), 0.0)
    return float(
        _spring(np.where(laws.hertz > 0, ENERGY, 1.0) * epsilon**2, laws.compliance)
        + _spring((after.shear**2).sum(axis=1), laws.tangential_compliance)
        + (laws.cohesion * gap).sum()
        - np.where((laws.hertz > 0) & after.has(BONDED), laws.cohesion * epsilon, 0.0).sum()
    )


def _spring(squared: np.ndarray, e: np.ndarray) -> float:
    return float(0.5 * np.divide(squared, e, out=np.zeros_like(squared), where=e > 0).sum())
