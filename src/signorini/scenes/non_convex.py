"""Dumbbells and rings, made of convex parts, fall into a box and hook into one another."""

from __future__ import annotations

import math

from signorini.math.rotations import about as turn
from signorini.math.rotations import multiply
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.arrange import X, Z, lattice, random_quaternions
from signorini.scenes.scene import About, Scene

Part = tuple[Shape, tuple[float, float, float], tuple[float, float, float, float]]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
SIDES = 8
"""Capsules of a ring."""


def build(
    bodies: int = 60, kind: str = "both", size: float = 0.2, side: float = 0.8, friction: float = 0.4, seed: int = 0
) -> Model:
    """A lattice of bodies with random orientations above the floor of a box."""
    model = Model()
    material = Material(friction=friction)
    model.add_box_container(size=(side, side, side), material=material)
    centres = lattice(bodies, size, (side, side), seed)
    kinds = {"dumbbell": [_dumbbell(size)], "ring": [_ring(size)], "both": [_dumbbell(size), _ring(size)]}[kind]
    for k, (centre, pose) in enumerate(zip(centres, random_quaternions(bodies, seed), strict=True)):
        parts = kinds[k % len(kinds)]
        model.add_body(parts, density=1000.0, position=centre, orientation=pose, material=material)
    return model


def _dumbbell(size: float) -> list[Part]:
    """Two balls on a rod, `size` from end to end [m]."""
    ball, away = 0.22 * size, 0.28 * size
    return [
        (Sphere(ball), (0.0, 0.0, away), UPRIGHT),
        (Sphere(ball), (0.0, 0.0, -away), UPRIGHT),
        (Capsule(0.06 * size, 2.0 * away - ball), (0.0, 0.0, 0.0), UPRIGHT),
    ]


def _ring(size: float) -> list[Part]:
    """Capsules along the sides of a polygon in the plane xy, `size` across [m]."""
    thick = 0.07 * size
    corner = 0.5 * size - thick
    length = 2.0 * corner * math.sin(math.pi / SIDES)
    reach = corner * math.cos(math.pi / SIDES)
    lying = turn(X, 0.5 * math.pi)
    parts: list[Part] = []
    for k in range(SIDES):
        angle = 2.0 * math.pi * k / SIDES
        w, x, y, z = multiply(turn(Z, angle), lying)
        position = (reach * math.cos(angle), reach * math.sin(angle), 0.0)
        parts.append((Capsule(thick, length), position, (float(w), float(x), float(y), float(z))))
    return parts


SCENE = Scene(
    name="non-convex",
    description="Dumbbells and rings, made of convex parts, fall into a box.",
    builder=build,
    about={
        "bodies": About("number of bodies", least=1),
        "kind": About("which bodies", choices=("dumbbell", "ring", "both")),
        "size": About("largest extent of a body [m]", above=0),
        "side": About("side of the square box [m]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
        "seed": About("seed of the poses of the start", least=0),
    },
    step=0.005,
    duration=1.0,
    source="[Anitescu2007]",
)
