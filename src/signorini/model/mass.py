"""Mass, centre of mass and inertia of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.math.sparse import Array
from signorini.model.checks import inertia_tensor, positive, vector
from signorini.model.shapes.descriptor import MassProperties
from signorini.model.shapes.shape import Placed
from signorini.problem.errors import ModelError

SAME_POINT = 1e-9
"""Distance of two points that are taken for one, over the size of the body."""


def together(parts: Sequence[MassProperties]) -> MassProperties:
    """Of the union of disjoint solids given in one frame (parallel-axis theorem); overlaps count twice."""
    if len(parts) == 1:
        return parts[0]
    volume = sum(part.volume for part in parts)
    centre = np.asarray(sum(part.volume * part.centre for part in parts) / volume)
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        inertia += part.inertia + part.volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return MassProperties(volume, centre, inertia)


@dataclass(frozen=True)
class Mass:
    """Mass as typed: one of density [kg/m3] and mass [kg], and what does not follow from it and the shapes."""

    density: float | None = None
    mass: float | None = None
    inertia: Any = None
    """About the centre of mass, in the axes of the frame of the shapes [kg m2]."""
    center: Any = None
    """Centre of mass in the frame of the shapes [m]."""

    def check(self, name: str) -> None:
        """Raise `ModelError` for quantities that contradict one another or are not enough."""
        if self.density is not None and self.mass is not None:
            raise ModelError(
                f"body {name!r} has both mass = {self.mass} and density = {self.density}: give one of them"
            )
        if self.density is None and self.mass is None:
            raise ModelError(f"body {name!r} has neither mass nor density: give one, e.g. density=1000, or fixed=True")
        if self.inertia is not None and self.mass is None:
            raise ModelError(f"body {name!r} has an inertia but no mass: give mass=... with inertia=...")
        if self.center is not None and self.mass is None:
            raise ModelError(
                f"body {name!r} has a center_of_mass and a density, and its centre follows from the density: "
                "give mass=... and inertia=... with center_of_mass=..., or drop it"
            )


def mass_of(shapes: Sequence[Placed], given: Mass, name: str) -> tuple[float, Array, Array]:
    """Mass [kg], centre of mass [m] in the frame of the shapes, inertia about it [kg m2] of a body that moves.

    Without an inertia the body is a uniform solid, and its centre of mass is the centroid of its shapes. A body with an
    inertia has its centre of mass where `center` says, by default in the origin of the frame of the shapes.
    """
    given.check(name)
    tensor = None if given.inertia is None else inertia_tensor(given.inertia, f"inertia of {name!r}")
    center = None if given.center is None else vector(given.center, f"center_of_mass of {name!r}")
    if not shapes:
        return _without_shape(given, tensor, center, name)
    solid = together([placed.mass_properties() for placed in shapes])
    if not solid.volume > 0:
        raise ModelError(f"body {name!r} has volume {solid.volume:g} m3: check its size in metres")
    if given.mass is None:
        rho = positive(given.density, f"density of {name!r}")  # type: ignore[arg-type]
    else:
        rho = positive(given.mass, f"mass of {name!r}") / solid.volume
    kilograms = rho * solid.volume if given.mass is None else float(given.mass)
    moments = rho * solid.inertia if tensor is None else tensor
    if not (0 < kilograms < np.inf and moments.diagonal().min() > 0 and np.isfinite(moments).all()):
        raise ModelError(
            f"body {name!r} has mass {kilograms:g} and moments {moments.diagonal()}: check its size in metres"
        )
    if tensor is not None:
        return kilograms, np.zeros(3) if center is None else center, tensor
    if center is not None:
        _check_uniform(solid, center, name)
    return kilograms, solid.centre, moments


def _check_uniform(solid: MassProperties, center: Array, name: str) -> None:
    """Raise `ModelError` for a centre of mass that the shapes, filled evenly, do not have."""
    size = solid.volume ** (1 / 3) + float(np.abs(solid.centre).max())
    if np.abs(center - solid.centre).max() > SAME_POINT * size:
        raise ModelError(
            f"body {name!r} has its center_of_mass at {center.tolist()} but the centroid of its shapes is "
            f"{solid.centre.tolist()}, so its mass is not spread evenly and its inertia does not follow from the "
            "shapes: give inertia=... about the centre of mass"
        )


def _without_shape(given: Mass, tensor: Array | None, center: Array | None, name: str) -> tuple[float, Array, Array]:
    if given.density is not None or given.mass is None:
        raise ModelError(f"body {name!r} has no shape, so no volume for a density: give mass=... and inertia=...")
    if tensor is None:
        raise ModelError(f"body {name!r} has no shape to take its inertia from: give inertia=(Ixx, Iyy, Izz)")
    return positive(given.mass, f"mass of {name!r}"), np.zeros(3) if center is None else center, tensor
