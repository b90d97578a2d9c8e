"""Rubber."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.fe.materials.material import SolidMaterial
from signorini.kernels.fe.stretch import NEO_HOOKEAN
from signorini.problem.errors import ModelError


@dataclass(frozen=True)
class NeoHookean(SolidMaterial):
    """Stable neo-Hookean solid [Smith2018, eq. 14], with `I = |F|^2` and `J = det F`::

        psi = m/2 (I - 3) + b/2 (J - r)^2 - m/2 log(I + 1)

    For large strains; the energy is finite and smooth even for inverted elements, which it pushes back. The constants
    m, b, r follow from E and nu, so that small strains obey the linear law.
    """

    kind: ClassVar[int] = NEO_HOOKEAN

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.poisson < 0.0:
            raise ModelError(f"Poisson's ratio is {self.poisson}, expected 0 or more for NeoHookean; take Elastic")
