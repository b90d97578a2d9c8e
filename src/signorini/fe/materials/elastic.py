"""Linear elasticity in a frame that turns with the element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from signorini.fe.materials.material import SolidMaterial
from signorini.kernels.fe.stretch import ELASTIC


@dataclass(frozen=True)
class Elastic(SolidMaterial):
    """Corotated linear elasticity: `psi = mu |F - R|^2 + lambda/2 tr(R'F - I)^2`, R the rotation nearest to F.

    Large rotations and displacements, small strains: stress is linear in the stretch `R'F - I`. Under strong
    compression an element can turn inside out; `NeoHookean` resists.
    """

    kind: ClassVar[int] = ELASTIC
