"""Linear elasticity in Green's strain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.fe.materials.material import SolidMaterial
from signorini.kernels.fe.stretch import SAINT_VENANT


@dataclass(frozen=True)
class SaintVenantKirchhoff(SolidMaterial):
    """`psi = mu tr(E^2) + lambda/2 tr(E)^2` with Green's strain `E = (F'F - I)/2`.

    For large rotations and moderate strains; it softens in compression and gives way at a stretch near 0.58.
    """

    kind: ClassVar[int] = SAINT_VENANT
