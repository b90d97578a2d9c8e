"""Which bodies of a robot collide, and the ground below it."""

from __future__ import annotations

from itertools import combinations, product
from typing import Literal

import numpy as np

from signorini.collision.detector import detect
from signorini.io.robots.bodies import Grouped
from signorini.io.robots.description import Description
from signorini.io.robots.robot_model import RobotModel
from signorini.math.rotations import matrix
from signorini.model.body import Body
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Placed
from signorini.problem.errors import ModelError

SelfCollision = Literal["apart", "all", "none"]
"""Which parts of a robot collide with one another: those that are apart at the start, all, or none."""
OVERLAP = 1e-7
"""Depth from which parts count as overlapping at the start [m]."""
DOWN = np.array([0.0, 0.0, -1.0])


def exclude_pairs(model: RobotModel, description: Description, grouped: Grouped, choice: SelfCollision) -> None:
    """Exclude what the file excludes, neighbours, and parts that overlap at the start."""
    _by_bits(model, description, grouped)
    for first, second in description.exclusions:
        _exclude(model, _bodies(grouped, first), _bodies(grouped, second))
    for group in grouped.moving():
        parent = grouped.body(group.root.parent)
        if parent is not None:
            model.exclude_contact(parent, group.bodies[0])
    if choice == "none":
        for one, two in combinations([group.bodies[0] for group in grouped.moving()], 2):
            model.exclude_contact(one, two)
    elif choice == "apart":
        _overlapping(model, description, grouped)
    for friction in description.frictions:
        for one, two in product(_bodies(grouped, friction.first), _bodies(grouped, friction.second)):
            model.set_pair_material(one, two, friction.material)


def _bodies(grouped: Grouped, link: str | None) -> list[Body]:
    group = grouped.fixed if link is None else grouped.by_link.get(link)
    if group is None:
        return []
    if group is not grouped.fixed or link is None:
        return group.bodies
    # Of the fixed ones only those of this link.
    names = {geom.name or link for other in group.links if other.name == link for geom in other.geoms}
    return [body for body in group.bodies if body.name in names]


def _exclude(model: RobotModel, first: list[Body], second: list[Body]) -> None:
    for one, two in product(first, second):
        if one is not two:
            model.exclude_contact(one, two)


def _by_bits(model: RobotModel, description: Description, grouped: Grouped) -> None:
    """Exclude the pairs of bodies none of whose geoms meet."""
    bits = {name: {(g.contype, g.conaffinity) for g in geoms} for name, geoms in grouped.geoms.items()}
    mixed: set[str] = set()
    for one, two in combinations([body for body in model.bodies if bits.get(body.name)], 2):
        meet = {bool(a & d or c & b) for (a, b), (c, d) in product(bits[one.name], bits[two.name])}
        if meet == {False}:
            model.exclude_contact(one, two)
        elif len(meet) == 2:
            mixed |= {body.name for body in (one, two) if len(bits[body.name]) > 1}
    for name in sorted(mixed):
        why = "its geoms differ in contype or conaffinity; where some of a pair collide, all of them do"
        description.report.unsupport(grouped.geoms[name][0].element, why, f"contype of the geoms of {name!r}")


def _overlapping(model: RobotModel, description: Description, grouped: Grouped) -> None:
    contacts = detect(model, model.initial_state(), 0.0)
    deepest: dict[tuple[int, int], float] = {}
    for a, b, gap in zip(contacts.body_a.tolist(), contacts.body_b.tolist(), contacts.gap.tolist(), strict=True):
        if gap < -OVERLAP:
            deepest[(a, b)] = min(gap, deepest.get((a, b), 0.0))
    for (a, b), gap in deepest.items():
        one, two = model.bodies[a], model.bodies[b]
        element = grouped.geoms[one.name][0].element
        what = f"contact of {one.name!r} and {two.name!r}"
        if any(isinstance(placed.shape, HalfSpace) for placed in (*one.shapes, *two.shapes)):
            then = "and will be pushed apart"
        else:
            then = "so they do not collide"
            model.exclude_contact(one, two)
        description.report.unsupport(element, f"they overlap by {-gap:.3g} m at the start, {then}", what)


def add_ground(model: Model, friction: float = 1.0, clearance: float = 0.0) -> Body:
    """Add a plane, `clearance` [m] below the lowest point of all bodies, named `ground`."""
    heights = [lowest(body, placed) for body in model.bodies if body.movable for placed in body.shapes]
    if not heights:
        raise ModelError("the model has no shapes that move: there is nothing to put on the ground")
    height = min(heights) - clearance
    return model.add_fixed_body(
        HalfSpace(), position=(0, 0, height), material=Material(friction=friction), name="ground"
    )


def lowest(body: Body, placed: Placed) -> float:
    """Height of the lowest point of a shape at t = 0 [m]."""
    R = matrix(body.orientation)
    down = (R @ matrix(placed.orientation)).T @ DOWN
    point = R @ (placed.position + matrix(placed.orientation) @ placed.shape.convex_form().support(down))
    return float(body.position[2] + point[2])
