"""From links to bodies: links that are fixed to one another become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.io.robots.description import Description, Geom, Inertial, Link, Pose, summed
from signorini.io.robots.robot_model import LinkFrame, RobotModel
from signorini.math.sparse import Array
from signorini.model.body import Body
from signorini.model.checks import inertia_tensor
from signorini.model.mass import together
from signorini.model.material import Material
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Placed
from signorini.problem.errors import ModelError

MASSLESS = 1e-6
"""Mass of a part that has none in the file but has to move, relative to that of the whole."""
LIGHTEST = 1e-15
"""Masses and moments up to this count as none [kg, kg m2], as in MuJoCo."""
LONGEST, SLIMMEST = 1e6, 1e6
"""Largest size of a shape [m], and over its smallest one."""
WATER = 1000.0
"""Density of the ball that gives a mass without shape its inertia [kg/m3]."""


@dataclass(frozen=True, eq=False)
class Group:
    """Links that move as one; the first one carries the joints."""

    links: list[Link]
    bodies: list[Body] = field(default_factory=list)
    """One that moves, or those of the parts fixed in the world."""

    @property
    def root(self) -> Link:
        """The link that the joints move."""
        return self.links[0]


@dataclass(frozen=True, eq=False)
class Grouped:
    """Which links became which bodies."""

    by_link: dict[str, Group]
    fixed: Group | None
    """The links that are fixed in the world."""
    geoms: dict[str, tuple[Geom, ...]]
    """Those that collide, by the name of the body."""

    def body(self, link: str | None) -> Body | None:
        """The body that moves a link; None where it is fixed in the world."""
        group = None if link is None else self.by_link[link]
        return None if group is None or group is self.fixed else group.bodies[0]

    def moving(self) -> list[Group]:
        """Groups that move, parents first."""
        unique = {id(group): group for group in self.by_link.values() if group is not self.fixed}
        return list(unique.values())


def add_bodies(model: RobotModel, description: Description, poses: dict[str, Pose]) -> Grouped:
    """Add a body for each group of links, as they stand in `poses`."""
    by_link: dict[str, Group] = {}
    fixed: Group | None = None
    for link in description.links:
        if link.joints:
            group = Group([])
        elif link.parent is None:
            group = fixed = fixed or Group([])
        else:
            group = by_link[link.parent]
        group.links.append(link)
        by_link[link.name] = group
        for geom in link.geoms:
            _check_size(geom)
    grouped = Grouped(by_link, fixed, {})
    whole = sum(link.inertial.mass for link in description.links if link.inertial is not None)
    for group in grouped.moving():
        _add_moving(model, description, grouped, group, poses, MASSLESS * whole or 1e-3)
    if fixed is not None:
        for link in fixed.links:
            _add_fixed(model, grouped, link, poses[link.name])
            model.links[link.name] = LinkFrame(None, poses[link.name])
    return grouped


def _add_moving(
    model: RobotModel, description: Description, grouped: Grouped, group: Group, poses: dict[str, Pose], least: float
) -> None:
    root = group.root
    back = poses[root.name].inverse
    local = {link.name: back @ poses[link.name] for link in group.links}
    parts = [link.inertial.moved(local[link.name]) for link in group.links if link.inertial is not None]
    geoms = [geom for link in group.links for geom in link.geoms]
    places = {id(geom): local[link.name] @ geom.pose for link in group.links for geom in link.geoms}
    endless = [geom for geom in geoms if isinstance(geom.shape, HalfSpace)]
    for geom in endless:
        description.report.unsupport(geom.element, "planes are for parts that are fixed; it is left out", _geom(geom))
    solid = [geom for geom in geoms if geom not in endless]
    shapes = [Placed(g.shape, places[id(g)].position, places[id(g)].orientation) for g in solid]
    inertial = _sound(summed(parts), shapes, root, description, least)
    body = model.add_body(
        [(placed.shape, placed.position, placed.orientation) for placed in shapes] or None,
        mass=inertial.mass,
        inertia=inertial.tensor,
        center_of_mass=inertial.center,
        position=poses[root.name].position,
        orientation=poses[root.name].orientation,
        material=_material(solid, description),
        name=unused(model, root.name),
    )
    group.bodies.append(body)
    grouped.geoms[body.name] = tuple(solid)
    for link in group.links:
        model.links[link.name] = LinkFrame(body.name, local[link.name])


def _add_fixed(model: RobotModel, grouped: Grouped, link: Link, pose: Pose) -> None:
    """Each geom is a body, because it may have a material and bits of its own."""
    for geom in link.geoms:
        place = pose @ geom.pose
        name = unused(model, geom.name or link.name)
        body = model.add_fixed_body(
            [(geom.shape, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))],
            position=place.position,
            orientation=place.orientation,
            material=geom.material,
            name=name,
        )
        grouped.by_link[link.name].bodies.append(body)
        grouped.geoms[body.name] = (geom,)


def _check_size(geom: Geom) -> None:
    """Raise `FileError` for sizes that are slips: collision detection has no digits for them."""
    if isinstance(geom.shape, HalfSpace):
        return
    box = geom.shape.bounding_box()
    long, thin = 2.0 * (max(box.half) + box.rounding), 2.0 * box.thinnest
    if not (long <= LONGEST and long <= SLIMMEST * thin):
        size = f"is {long:.3g} m long and {thin:.3g} m thin"
        raise geom.element.error(f"{size}, expected at most {LONGEST:g} m and a ratio of {SLIMMEST:g}: check the units")


def unused(model: RobotModel, name: str) -> str:
    """The name, with a number behind it where a body has it already."""
    taken, number, free = {body.name for body in model.bodies}, 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _material(geoms: Sequence[Geom], description: Description) -> Material | None:
    """Of the whole body: that of the geom of highest priority, then of highest friction."""
    if not geoms:
        return None
    chosen = max(geoms, key=lambda geom: (geom.priority, geom.material.friction))
    for geom in geoms:
        if geom.material != chosen.material:
            why = f"its body has one material, that of {_geom(chosen)} with friction {chosen.material.friction:g}"
            description.report.unsupport(geom.element, why, f"friction of {_geom(geom)}")
    return chosen.material


def _geom(geom: Geom) -> str:
    return f"{geom.element.tag} {geom.name!r}" if geom.name else f"{geom.element.tag} of line {geom.element.line}"


def _sound(inertial: Inertial, shapes: list[Placed], root: Link, description: Description, least: float) -> Inertial:
    """Mass and inertia that a body can have; what had to be changed is reported."""
    report, element, what = description.report, root.element, f"inertia of {root.name!r}"
    if inertial.mass <= LIGHTEST:
        report.unsupport(element, f"it moves but has no mass, so it gets {least:.3g} kg", what)
        return Inertial(least, np.zeros(3), _of_shapes(shapes, least))
    try:
        return Inertial(inertial.mass, inertial.center, inertia_tensor(inertial.tensor, what))
    except ModelError:
        moments = np.linalg.eigvalsh(0.5 * (inertial.tensor + inertial.tensor.T))
    if moments[0] > LIGHTEST:
        report.unsupport(element, f"no solid has the moments {_three(moments)}; all become their mean", what)
        return Inertial(inertial.mass, inertial.center, np.eye(3) * float(moments.mean()))
    tensor = _of_shapes(shapes, inertial.mass)
    new = _three(np.linalg.eigvalsh(tensor))
    report.unsupport(element, f"the moments {_three(moments)} are not all > 0; those of its shapes are {new}", what)
    return Inertial(inertial.mass, inertial.center, tensor)


def _of_shapes(shapes: list[Placed], mass: float) -> Array:
    """Of a mass that fills its shapes evenly; of a ball of water without any."""
    if shapes:
        solid = together([placed.mass_properties() for placed in shapes])
        return np.asarray(solid.inertia * (mass / solid.volume))
    radius = (0.75 * mass / (np.pi * WATER)) ** (1.0 / 3.0)
    return np.asarray(np.eye(3) * (0.4 * mass * radius**2))


def _three(values: NDArray[np.floating[Any]]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
