"""From what a user types to a checked `Body`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from signorini.math.rotations import IDENTITY, rotate
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.body_list import BodyGroup
from signorini.model.checks import bits, not_negative, quaternion, vector
from signorini.model.mass import Mass, mass_of
from signorini.model.material import Material
from signorini.model.motion import CheckedMotion
from signorini.model.shapes.shape import Placed, Shape
from signorini.problem.errors import ModelError

ShapeLike = Shape | Sequence[Placed | Shape | tuple[Any, ...]] | None
"""A shape, a list of placed shapes (a compound), or None."""
SAME_POSE = 1e-9
"""How far [m] a position typed next to a motion may be from where the motion starts."""


@dataclass(frozen=True)
class Start:
    """Pose and velocity at t = 0 as typed; the pose is that of the frame of the shapes."""

    position: Any = (0.0, 0.0, 0.0)
    orientation: Any = (1.0, 0.0, 0.0, 0.0)
    velocity: Any = (0.0, 0.0, 0.0)
    angular_velocity: Any = (0.0, 0.0, 0.0)

    def checked(self, name: str) -> Start:
        """The same as arrays; the quaternion has length 1."""
        return Start(
            vector(self.position, f"position of {name!r}"),
            quaternion(self.orientation, f"orientation of {name!r}"),
            vector(self.velocity, f"velocity of {name!r}"),
            vector(self.angular_velocity, f"angular_velocity of {name!r}"),
        )


@dataclass(frozen=True)
class Contact:
    """What concerns contact, as typed."""

    material: Material | None = None
    group: int = 1
    mask: int = -1
    margin: float | None = None
    surface_velocity: Any = (0.0, 0.0, 0.0)

    def checked(self, name: str) -> dict[str, Any]:
        """Fields that rigid and flexible bodies have in common."""
        if self.material is not None and not isinstance(self.material, Material):
            raise ModelError(f"material of {name!r} is {self.material!r}, expected Material(friction=...)")
        return {
            "material": self.material or Material(),
            "group": bits(self.group, f"group of {name!r}"),
            "mask": bits(self.mask, f"mask of {name!r}"),
            "margin": None if self.margin is None else not_negative(self.margin, f"margin of {name!r}"),
        }

    def of_body(self, name: str) -> dict[str, Any]:
        """Fields of a `Body`."""
        speed = vector(self.surface_velocity, f"surface_velocity of {name!r}")
        return {**self.checked(name), "surface_velocity": speed}


def movable_body(name: str, shape: ShapeLike, mass: Mass, start: Start, contact: Contact) -> Body:
    """A body whose velocity the step computes; its frame is moved to the centre of mass."""
    shapes, at = placed_shapes(shape, name), start.checked(name)
    kilograms, centre, inertia = mass_of(shapes, mass, name)
    return Body(
        name=name,
        shapes=_shifted(_for_moving(shapes), centre),
        mass=kilograms,
        inertia=inertia,
        center_of_mass=centre,
        position=at.position + rotate(at.orientation, centre) if centre.any() else at.position,
        orientation=at.orientation,
        velocity=at.velocity,
        angular_velocity=at.angular_velocity,
        **contact.of_body(name),
    )


def fixed_body(name: str, shape: ShapeLike, start: Start, contact: Contact) -> Body:
    """A body that never moves; its frame is that of its shapes."""
    at = start.checked(name)
    if at.velocity.any() or at.angular_velocity.any():
        raise ModelError(f"body {name!r} is fixed but has a velocity: drop fixed=True, or give motion=... instead")
    return Body(
        name=name,
        shapes=placed_shapes(shape, name),
        mass=np.inf,
        inertia=np.diag([np.inf] * 3),
        position=at.position,
        orientation=at.orientation,
        fixed=True,
        **contact.of_body(name),
    )


def kinematic_body(name: str, shape: ShapeLike, start: Start, contact: Contact, motion: Any) -> Body:
    """A body moved by a function of time, which gives the pose of the frame of its shapes."""
    if not callable(motion):
        raise ModelError(f"motion of {name!r} is {motion!r}, expected a function: time -> (position, quaternion)")
    checked, at = CheckedMotion(motion, name), start.checked(name)
    if at.velocity.any() or at.angular_velocity.any():
        raise ModelError(f"body {name!r} has a motion and a velocity: its velocity follows from the motion, drop it")
    position, orientation = checked(0.0)
    if at.position.any() and np.abs(at.position - position).max() > SAME_POSE:
        raise ModelError(
            f"position of {name!r} is {at.position.tolist()}, but its motion starts at {position.tolist()}: "
            "drop the position"
        )
    return replace(fixed_body(name, shape, Start(position, orientation), contact), fixed=False, motion=checked)


def placed_shapes(shape: ShapeLike, name: str) -> tuple[Placed, ...]:
    """The shapes of a body in the frame that the user typed them in."""
    if shape is None:
        return ()
    if not isinstance(shape, list | tuple):
        return (_placed(shape, name),)
    if not shape:
        raise ModelError(f"body {name!r} is an empty compound: list at least one shape, or pass None for no shape")
    return tuple(_placed(part, name) for part in shape)


def protrusion(shape: ShapeLike, name: str) -> float:
    """How far convex pieces of meshes stand out of these when the body moves [m]."""
    return max((placed.shape.protrusion() for placed in placed_shapes(shape, name)), default=0.0)


def _placed(part: Any, name: str) -> Placed:
    what = f"shape of {name!r}"
    if isinstance(part, Placed):
        part = (part.shape, part.position, part.orientation)
    pieces = part if isinstance(part, tuple) else (part,)
    if not 1 <= len(pieces) <= 3:
        raise ModelError(f"{what} is {part!r}, expected (shape, position, quaternion)")
    solid = pieces[0]
    position = pieces[1] if len(pieces) > 1 else np.zeros(3)
    orientation = pieces[2] if len(pieces) > 2 else IDENTITY
    if not isinstance(solid, Shape):
        raise ModelError(
            f"{what} is {solid!r}, expected a shape such as Sphere(0.1) or a list of (shape, position, quaternion)"
        )
    return Placed(solid, vector(position, f"{what}: position"), quaternion(orientation, f"{what}: quaternion"))


def _for_moving(shapes: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """Meshes that move are replaced by their convex pieces."""
    result: list[Placed] = []
    for placed in shapes:
        parts = placed.shape.movable_parts()
        result.extend(Placed(part, placed.position, placed.orientation) for part in parts)
    return tuple(result)


def _shifted(shapes: tuple[Placed, ...], centre: Array) -> tuple[Placed, ...]:
    if not centre.any():
        return shapes
    return tuple(Placed(placed.shape, placed.position - centre, placed.orientation) for placed in shapes)


def group_of(
    alike: Body, prefix: str, first: int, positions: Any, orientations: Any, velocities: Any, angular_velocities: Any
) -> BodyGroup:
    """Bodies like `alike` at these places; None stands for no rotation and no velocity."""
    what = f"of the bodies {prefix!r}"
    position = table_of(positions, None, 3, f"positions {what}")
    count = len(position)
    orientation = np.tile(IDENTITY, (count, 1))
    if orientations is not None:
        orientation = table_of(orientations, count, 4, f"orientations {what}")
        length = np.linalg.norm(orientation, axis=1, keepdims=True)
        if not np.all(length > 0):
            raise ModelError(f"orientations {what} hold a quaternion of length 0; (1, 0, 0, 0) is no rotation")
        orientation = orientation / length
    velocity, spin = (
        np.zeros((count, 3)) if given is None else table_of(given, count, 3, f"{name} {what}")
        for name, given in (("velocities", velocities), ("angular_velocities", angular_velocities))
    )
    if np.any(alike.position):
        # The frame of the shapes is not that of the centre of mass.
        position = position + rotate(orientation, alike.position)
    return BodyGroup(alike, first, position, orientation, velocity, spin, prefix)


def table_of(values: Any, rows: int | None, columns: int, what: str) -> Array:
    """Finite numbers, one row per body."""
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} are no array of numbers ({error})") from error
    if table.ndim != 2 or table.shape[1] != columns or (rows is not None and len(table) != rows) or not len(table):
        raise ModelError(f"{what} have the shape {table.shape}, expected ({rows or 'bodies'}, {columns})")
    if not np.isfinite(table).all():
        raise ModelError(f"{what} hold {int((~np.isfinite(table)).sum())} numbers that are not finite")
    return table
