"""One rigid body as the user described it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.shapes.shape import Placed

Motion = Callable[[float], tuple[Array, Array]]
"""Prescribed pose of a kinematic body: time [s] -> (position, quaternion)."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body. Its frame has its origin in the centre of mass; its axes are those the user gave.

    Made by `Model.add_body` and its kin, which check everything.
    """

    name: str
    shapes: tuple[Placed, ...]
    """In the body's frame; more than one is a compound; none is a point mass that touches nothing."""
    mass: float
    """[kg]; infinite for fixed and kinematic bodies."""
    inertia: Array
    """About the centre of mass, body axes [kg m2], shape (3, 3); any principal axes."""
    position: Array
    """Of the centre of mass at t = 0 [m], shape (3,)."""
    orientation: Array
    """At t = 0, unit quaternion (w, x, y, z)."""
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    """At t = 0, world [m/s]."""
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))
    """At t = 0, body frame [rad/s]."""
    material: Material = field(default_factory=Material)
    fixed: bool = False
    """Never moves."""
    motion: Motion | None = None
    """Prescribed motion (a kinematic body); pushes others and is not pushed."""
    group: int = 1
    """Bit field: which groups the body belongs to."""
    mask: int = -1
    """Bit field: which groups it collides with. A pair collides when each one's mask holds the other's group."""
    margin: float | None = None
    """Contact envelope [m]; None takes the model's."""
    surface_velocity: Array = field(default_factory=lambda: np.zeros(3))
    """How fast the surface runs over the body, as of a conveyor belt, body frame [m/s]."""
    center_of_mass: Array = field(default_factory=lambda: np.zeros(3))
    """In the frame that the user gave [m], shape (3,); the origin of that one is at `-center_of_mass` here."""

    def __repr__(self) -> str:
        what = ", ".join(type(placed.shape).__name__ for placed in self.shapes[:3]) or "no shape"
        more = f" and {len(self.shapes) - 3} more shapes" if len(self.shapes) > 3 else ""
        state = f"{self.mass:g} kg" if self.movable else ("fixed" if self.fixed else "moved by a function")
        place = ", ".join(f"{x:g}" for x in self.position)
        return f"Body({self.name!r}, {what}{more}, {state}, at ({place}))"

    @property
    def movable(self) -> bool:
        """Whether the step computes its velocity."""
        return not self.fixed and self.motion is None
