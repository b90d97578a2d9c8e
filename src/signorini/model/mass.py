"""Mass, centre of mass and inertia of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from signorini.math.sparse import Array
from signorini.model.checks import inertia_tensor, positive
from signorini.model.shapes.descriptor import MassProperties
from signorini.model.shapes.shape import Placed
from signorini.problem.errors import ModelError


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


def mass_of(
    shapes: Sequence[Placed], density: float | None, mass: float | None, inertia: Any, name: str
) -> tuple[float, Array, Array]:
    """Mass [kg], centre of mass [m] in the frame of the shapes, inertia about it [kg m2] of a body that moves."""
    if density is not None and mass is not None:
        raise ModelError(f"body {name!r} has both mass = {mass} and density = {density}: give one of them")
    if density is None and mass is None:
        raise ModelError(f"body {name!r} has neither mass nor density: give one, e.g. density=1000, or fixed=True")
    if inertia is not None and mass is None:
        raise ModelError(f"body {name!r} has an inertia but no mass: give mass=... with inertia=...")
    tensor = None if inertia is None else inertia_tensor(inertia, f"inertia of {name!r}")
    if not shapes:
        return _without_shape(density, mass, tensor, name)
    solid = together([placed.mass_properties() for placed in shapes])
    if not solid.volume > 0:
        raise ModelError(f"body {name!r} has volume {solid.volume:g} m3: check its size in metres")
    if mass is None:
        rho = positive(density, f"density of {name!r}")  # type: ignore[arg-type]
    else:
        rho = positive(mass, f"mass of {name!r}") / solid.volume
    kilograms = rho * solid.volume if mass is None else float(mass)
    moments = rho * solid.inertia if tensor is None else tensor
    if not (0 < kilograms < np.inf and moments.diagonal().min() > 0 and np.isfinite(moments).all()):
        raise ModelError(
            f"body {name!r} has mass {kilograms:g} and moments {moments.diagonal()}: check its size in metres"
        )
    return kilograms, solid.centre, moments


def _without_shape(
    density: float | None, mass: float | None, tensor: Array | None, name: str
) -> tuple[float, Array, Array]:
    if density is not None or mass is None:
        raise ModelError(f"body {name!r} has no shape, so no volume for a density: give mass=... and inertia=...")
    if tensor is None:
        raise ModelError(f"body {name!r} has no shape to take its inertia from: give inertia=(Ixx, Iyy, Izz)")
    return positive(mass, f"mass of {name!r}"), np.zeros(3), tensor
