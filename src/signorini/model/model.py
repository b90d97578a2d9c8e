"""The description of everything that takes part in a simulation."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from signorini.math.rotations import rotate
from signorini.math.sparse import Array
from signorini.model import build
from signorini.model.body import Body, Motion
from signorini.model.checks import not_negative, positive_sizes, vector
from signorini.model.container import walls
from signorini.model.drive import Drives
from signorini.model.flexibles import Flexibles
from signorini.model.mass import Mass
from signorini.model.material import Material
from signorini.model.motion import velocity_at
from signorini.model.pair_material import PairOverride
from signorini.model.regions import Regions
from signorini.model.state import State
from signorini.problem.errors import ModelError

EARTH = (0.0, 0.0, -9.81)
ORIGIN = (0.0, 0.0, 0.0)
NO_ROTATION = (1.0, 0.0, 0.0, 0.0)
ImpactLaw = Literal["newton", "poisson"]


class Model(Drives, Flexibles, Regions):
    """Bodies, joints and forces, under gravity. SI units, world z up.

    >>> model = Model()
    >>> model.add_box_container(size=(1, 1, 1))
    >>> model.add_body(Sphere(0.035), density=1000, position=(0.5, 0.5, 0.3))
    """

    gravity: Array
    """[m/s2], shape (3,)."""
    margin: float | None
    """Contact envelope of bodies without their own [m]; None lets the collision detection choose."""
    pair_materials: list[PairOverride]
    """Materials of pairs that do not follow from those of their surfaces; see `set_pair_material`."""
    excluded: set[tuple[int, int]]
    """Pairs of bodies, the lower index first, that do not collide; see `exclude_contact`."""
    protrusions: dict[str, float]
    """How far the convex pieces of meshes that move stand out of these [m], by the names of their bodies."""
    impact: ImpactLaw
    """Whether restitution gives back speed (Newton) or impulse (Poisson)."""

    def __init__(self, gravity: ArrayLike = EARTH, margin: float | None = None, impact: ImpactLaw = "newton") -> None:
        super().__init__()
        if impact not in get_args(ImpactLaw):
            raise ModelError(f"impact is {impact!r}, expected one of {', '.join(get_args(ImpactLaw))}")
        self.gravity = vector(gravity, "gravity")
        self.margin = None if margin is None else not_negative(margin, "margin")
        self.pair_materials = []
        self.excluded, self.protrusions = set(), {}
        self.impact = impact

    def __repr__(self) -> str:
        counts = {
            "bodies": len(self.bodies),
            "flexible bodies": len(self.flexibles),
            "joints": len(self.joints),
            "limits": len(self.limits),
            "frictions": len(self.dry_frictions),
            "forces": len(self.stiff_forces) + len(self.forces),
            "emitters": len(self.emitters),
        }
        return f"Model({', '.join(f'{count} {kind}' for kind, count in counts.items() if count) or 'empty'})"

    def add_body(
        self,
        shape: build.ShapeLike,
        *,
        density: float | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        center_of_mass: ArrayLike | None = None,
        position: ArrayLike = ORIGIN,
        orientation: ArrayLike = NO_ROTATION,
        velocity: ArrayLike = ORIGIN,
        angular_velocity: ArrayLike = ORIGIN,
        material: Material | None = None,
        name: str | None = None,
        fixed: bool = False,
        motion: Callable[[float], Any] | None = None,
        group: int = 1,
        mask: int = -1,
        margin: float | None = None,
        surface_velocity: ArrayLike = ORIGIN,
    ) -> Body:
        """Add a body; `shape` may be a list of (shape, position, quaternion), a compound, or None.

        `position` [m] and `orientation` are those of the frame of the shapes; `velocity` [m/s] is that of the centre
        of mass, `angular_velocity` [rad/s] is in the body frame. Give `density` [kg/m3] or `mass` [kg], for a uniform
        solid, or `mass` and `inertia` [kg m2], about the centre of mass in the axes of that frame; `center_of_mass`
        [m] is its place in that frame, by default the origin. Fixed and kinematic bodies need none of them.
        `surface_velocity` [m/s] makes the surface run over the body, in its frame, as a conveyor belt does.
        """
        name = self._new_name(name, shape)
        start = build.Start(position, orientation, velocity, angular_velocity)
        contact = build.Contact(material, group, mask, margin, surface_velocity)
        if fixed and motion is not None:
            raise ModelError(f"body {name!r} is fixed and has a motion: drop one of them")
        if fixed:
            return self._append(build.fixed_body(name, shape, start, contact))
        if motion is not None:
            return self._append(build.kinematic_body(name, shape, start, contact, motion))
        body = build.movable_body(name, shape, Mass(density, mass, inertia, center_of_mass), start, contact)
        if (far := build.protrusion(shape, name)) > 0.0:
            self.protrusions[name] = far
        return self._append(body)

    def add_bodies(
        self,
        shape: build.ShapeLike,
        positions: ArrayLike,
        *,
        density: float | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        orientations: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        material: Material | None = None,
        name: str | None = None,
        group: int = 1,
        mask: int = -1,
        margin: float | None = None,
    ) -> range:
        """Add many bodies that are alike; returns their places in `bodies`.

        Arrays have one row per body: `positions` [m], `orientations` (w, x, y, z), `velocities` [m/s],
        `angular_velocities` in the body frames [rad/s]; the rest is as in `add_body`. Bodies are named `name-0`,
        `name-1` and so on; by default the name is that of the shape. A million take a second: they become objects only
        when they are looked at.
        """
        first = 0 if name is not None else len(self.bodies)
        contact = build.Contact(material, group, mask, margin)
        prefix = self._new_name(name, shape) if name is not None else self._new_name(None, shape).rpartition("-")[0]
        alike = build.movable_body(f"{prefix}-{first}", shape, Mass(density, mass, inertia), build.Start(), contact)
        new = build.group_of(alike, prefix, first, positions, orientations, velocities, angular_velocities)
        if any(self.bodies.find(new.name(k)) >= 0 for k in (0, len(new) - 1)):
            raise ModelError(f"there are bodies named {prefix!r} and a number already: pass another name=...")
        start = len(self.bodies)
        self.bodies.append(new)
        return range(start, len(self.bodies))

    def add_fixed_body(self, shape: build.ShapeLike, **options: Any) -> Body:
        """Add a body that never moves; options as in `add_body`."""
        return self.add_body(shape, **{**options, "fixed": True})

    def add_fixed(self, shape: build.ShapeLike, **options: Any) -> Body:
        """Old name of `add_fixed_body`."""
        text = "Model.add_fixed is now add_fixed_body; the old name goes with the next release"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return self.add_fixed_body(shape, **options)

    def add_box_container(
        self,
        size: ArrayLike,
        material: Material | None = None,
        origin: ArrayLike = ORIGIN,
        lid: bool = False,
        motion: Callable[[float], Any] | None = None,
        name: str = "container",
    ) -> Body:
        """Add a floor and four endless walls, open on top unless `lid`; inside is `origin` to `origin + size` [m].

        With a `motion` the container moves by that rigid motion from there.
        """
        inside = positive_sizes(size, f"size of {name!r}")
        shapes = walls(np.array(inside), vector(origin, f"origin of {name!r}"), lid)
        return self.add_body(shapes, material=material, name=name, fixed=motion is None, motion=motion)

    def set_pair_material(
        self, a: Body | Material | str | int, b: Body | Material | str | int, material: Material
    ) -> None:
        """Give the pair of `a` and `b`, each a body or a material, a material of its own.

        A pair of bodies counts more than a body with a material, that more than two materials; of equals the last. The
        `direction` of the material is in the frame of the body that plays `a`.
        """
        if not isinstance(material, Material):
            raise ModelError(f"material of a pair is {material!r}, expected Material(friction=...)")
        first, second = (who if isinstance(who, Material) else self.body_index(who) for who in (a, b))
        if isinstance(first, int) and first == second:
            raise ModelError(f"body {self.bodies[first].name!r} makes no pair with itself; give two bodies")
        self.pair_materials.append(PairOverride(first, second, material))

    def exclude_contact(self, a: Body | str | int, b: Body | str | int) -> None:
        """Let two bodies pass through each other; bodies that a joint ties do so anyway."""
        first, second = sorted((self.body_index(a), self.body_index(b)))
        if first == second:
            raise ModelError(f"body {self.bodies[first].name!r} makes no pair with itself; give two bodies")
        self.excluded.add((first, second))

    def initial_state(self) -> State:
        """Poses and velocities at t = 0; those of kinematic bodies follow from their motions."""
        nodes, node_velocity = self._initial_nodes()
        velocity, spin = self.bodies.rows("velocity", 3), self.bodies.rows("angular_velocity", 3)
        for i, motion in self.motions:
            velocity[i], spin[i] = velocity_at(motion, 0.0)
        state = State(
            time=0.0,
            position=self.bodies.rows("position", 3),
            orientation=self.bodies.rows("orientation", 4),
            velocity=velocity,
            angular_velocity=spin,
            node_position=nodes,
            node_velocity=node_velocity,
        )
        store = self.store
        return state if store is None else store.begin(state)

    @property
    def motions(self) -> tuple[tuple[int, Motion], ...]:
        """Prescribed motions of kinematic bodies, with the places of these."""
        return tuple((i, body.motion) for i, _, body in self.bodies.kinds if body.motion is not None)

    def frame_origin(self, body: Body | str | int, state: State) -> Array:
        """Origin at a state of the frame in which a body's shapes were given, world [m], shape (3,)."""
        index = self.body_index(body)
        arm = rotate(state.orientation[index], self.bodies[index].center_of_mass)
        return np.asarray(state.position[index] - arm)

    def name_of(self, body: int) -> str:
        """Of a body by its number in contacts: the rigid ones, then the flexible ones."""
        rigid = len(self.bodies)
        return self.bodies[body].name if body < rigid else self.flexibles[body - rigid].name

    def _append(self, body: Body) -> Body:
        self.bodies.append(body)
        return body

    def _new_name(self, name: str | None, shape: build.ShapeLike) -> str:
        if name is None:
            kind = "compound" if isinstance(shape, list | tuple) else "body" if shape is None else type(shape).__name__
            kind = re.sub("(?<!^)(?=[A-Z])", "-", kind).lower()
            number = len(self.bodies)
            while self.bodies.find(f"{kind}-{number}") >= 0:
                number += 1
            return f"{kind}-{number}"
        if not isinstance(name, str) or not name:
            raise ModelError(f"name is {name!r}, expected a text that is not empty")
        if self.bodies.find(name) >= 0 or any(body.name == name for body in self.flexibles):
            raise ModelError(f"there is a body named {name!r} already; names are unique: pass another name=...")
        return name
