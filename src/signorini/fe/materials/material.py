"""What a solid is made of: Young's modulus, Poisson's ratio, density, and the shape of its energy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from signorini.problem.errors import ModelError


@dataclass(frozen=True)
class SolidMaterial:
    """Isotropic and elastic; the kinds differ in what happens at large strains."""

    kind: ClassVar[int]
    """Number of the energy in `kernels.fe_stretch`."""

    young: float
    """Young's modulus E [Pa]."""
    poisson: float
    """Poisson's ratio nu [-], above -1 and below 0.5."""
    density: float
    """In the rest shape [kg/m3]."""

    def __post_init__(self) -> None:
        for what, value in (("Young's modulus", self.young), ("density", self.density)):
            if not (_is_number(value) and math.isfinite(value) and value > 0):
                raise ModelError(f"{what} is {value!r}, expected a finite number > 0 in SI units (E of rubber: 1e7 Pa)")
        if not (_is_number(self.poisson) and -1.0 < self.poisson < 0.5):
            raise ModelError(
                f"Poisson's ratio is {self.poisson!r}, expected more than -1 and less than 0.5: at 0.5 volume cannot "
                "change and Lame's lambda is infinite; take 0.49 for rubber"
            )

    @property
    def lame(self) -> tuple[float, float]:
        """Lame's constants (lambda, mu) of the linear law at small strains [Pa]."""
        E, nu = self.young, self.poisson
        return E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))

    @property
    def numbers(self) -> tuple[int, float, float]:
        """(kind, lambda, mu) for the kernels."""
        return (self.kind, *self.lame)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
