"""Random models, most of them unreasonable: sizes, masses, overlaps, joints that contradict one another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import signorini as sg

Rng = np.random.Generator


@dataclass
class Tied:
    """Two points that a joint keeps together, in the frames of their bodies (-1: the world)."""

    a: int
    b: int
    place: Any
    """In the world at t = 0 [m], shape (3,)."""


@dataclass
class RandomModel:
    """A model, and what is known of it beside the package."""

    model: sg.Model
    wild: bool
    """Whether sizes, masses and laws go to the extremes."""
    driven: bool = False
    """Whether motors may give energy."""
    consistent: bool = True
    """Whether all joints can hold at once."""
    tied: list[Tied] = field(default_factory=list)
    """What joints keep together, where they are consistent."""


def random_model(rng: Rng) -> RandomModel:
    """One to six bodies on a floor; four in ten are wild."""
    wild = bool(rng.random() < 0.4)
    size = 10.0 ** rng.uniform(-6, 4) if wild else 0.1
    gravity = (0, 0, -9.81 * (10.0 ** rng.uniform(-3, 3) if wild and rng.random() < 0.3 else 1.0))
    case = RandomModel(sg.Model(gravity=gravity), wild)
    material = _material(rng, wild)
    case.model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=material, name="floor")
    for k in range(int(rng.integers(1, 7))):
        _add_body(case, rng, size, material, k)
    _add_joints(case, rng, size)
    return case


def _material(rng: Rng, wild: bool) -> sg.Material:
    friction = float(rng.choice([0.0, 0.3, 1.0, 5.0, 1e3, 1e-9] if wild else [0.0, 0.3, 0.8]))
    kind = rng.random()
    if kind < 0.2:
        extreme = 10.0 ** rng.uniform(-9, -3)
        return sg.Material(friction, compliance=float(extreme), damping=float(rng.choice([0.0, 1.0])))
    if kind < 0.3:
        return sg.Material(friction, cohesion=float(10.0 ** rng.uniform(-3, 3)))
    if kind < 0.4:
        return sg.Material(friction, rolling_friction=1e-3, spinning_friction=1e-3)
    return sg.Material(friction, restitution=float(rng.choice([0.0, 0.0, 0.5, 1.0])))


def _add_body(case: RandomModel, rng: Rng, size: float, material: sg.Material, k: int) -> None:
    wild = case.wild
    own = size * (10.0 ** rng.uniform(-1.5, 1.5) if wild else rng.uniform(0.5, 2.0))
    mass = 10.0 ** rng.uniform(-9, 9) if wild else rng.uniform(0.1, 10)
    low = -0.5 if wild and rng.random() < 0.5 else 2.0
    place = size * np.array([*rng.uniform(-3, 3, 2), rng.uniform(low, 6)])
    turn = rng.standard_normal(4)
    spin = float(rng.choice([0.0, 5.0, 300.0] if wild else [0.0, 2.0]))
    case.model.add_body(
        _shape(rng, own), mass=float(mass), position=place, orientation=turn / np.linalg.norm(turn),
        velocity=rng.standard_normal(3) * (size / 0.1), angular_velocity=rng.standard_normal(3) * spin,
        material=material, name=f"b{k}",
    )  # fmt: skip


def _shape(rng: Rng, size: float) -> Any:
    flat = 10.0 ** rng.uniform(-3, 0) if rng.random() < 0.2 else 1.0
    return (
        lambda: sg.Sphere(size),
        lambda: sg.Box((2 * size, 1.5 * size, size * flat)),
        lambda: sg.Capsule(0.5 * size, size),
        lambda: sg.Cylinder(size, size * flat),
        lambda: sg.shapes.Ellipsoid((size, 0.7 * size, 0.5 * size)),
        lambda: sg.ConvexHull(size * rng.standard_normal((int(rng.integers(4, 12)), 3)) * (1, 1, flat)),
        lambda: sg.shapes.Cone(size, 1.5 * size),
    )[int(rng.integers(7))]()


def _add_joints(case: RandomModel, rng: Rng, size: float) -> None:
    """At most two; two between the same bodies, or a motor that asks for too much, may contradict one another."""
    model = case.model
    names = [body.name for body in model.bodies][1:]
    pairs = set()
    for k in range(int(rng.choice([0, 0, 1, 2]))):
        second = str(rng.choice(names))
        others = [name for name in names if name != second]
        first = str(rng.choice(others)) if others and rng.random() < 0.6 else None
        place = np.asarray(model.bodies[names.index(second) + 1].position) + size * rng.standard_normal(3)
        axis = rng.standard_normal(3)
        kind = str(rng.choice(["revolute", "spherical", "prismatic", "fixed"]))
        _add_joint(case, rng, kind, (first, second), (place, axis), f"j{k}")
        pair = frozenset((first, second))
        case.consistent &= pair not in pairs
        pairs.add(pair)
        if kind != "prismatic":
            index = {name: i + 1 for i, name in enumerate(names)}
            case.tied.append(Tied(-1 if first is None else index[first], index[second], place))


def _add_joint(
    case: RandomModel, rng: Rng, kind: str, pair: tuple[str | None, str], where: tuple[Any, Any], name: str
) -> None:
    model, (a, b), (place, axis) = case.model, pair, where
    if kind == "revolute":
        limits = [(-0.5, 0.5), (0.0, 0.0), None, None][int(rng.integers(4))]
        friction = float(rng.choice([0.0, 0.1, 1e6]))
        model.add_revolute(a, b, place, axis, limits=limits, friction=friction, name=name)
        if rng.random() < 0.3:
            case.driven = True
            model.add_motor(name, speed=float(rng.choice([1.0, 1e6])))
            case.consistent &= limits is None
    elif kind == "spherical":
        model.add_spherical(a, b, place)
    elif kind == "prismatic":
        model.add_prismatic(a, b, axis, place, limits=(-0.1, 0.1) if rng.random() < 0.5 else None)
    else:
        model.add_fixed_joint(a, b, place)
