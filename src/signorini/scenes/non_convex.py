"""Dumbbells and rings, made of convex parts, or staples, given as meshes, fall into a box and hook into one another."""

from __future__ import annotations

import math

from signorini.math.rotations import about as turn
from signorini.math.rotations import multiply
from signorini.model.build import ShapeLike
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.shape import Shape
from signorini.model.shapes.sphere import Sphere
from signorini.model.shapes.triangle_mesh import TriangleMesh
from signorini.scenes.arrange import X, Z, lattice, random_quaternions
from signorini.scenes.scene import About, Scene

Part = tuple[Shape, tuple[float, float, float], tuple[float, float, float, float]]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
SIDES = 8
"""Capsules of a ring."""
STAPLE_BAR = 0.15
"""Thickness of a staple, relative to its size."""


def build(
    bodies: int = 60, kind: str = "both", size: float = 0.2, side: float = 0.8, friction: float = 0.4, seed: int = 0
) -> Model:
    """A lattice of bodies with random orientations above the floor of a box."""
    model = Model()
    material = Material(friction=friction)
    model.add_box_container(size=(side, side, side), material=material)
    centres = lattice(bodies, size, (side, side), seed)
    dumbbell, ring = _dumbbell(size), _ring(size)
    known: dict[str, list[ShapeLike]] = {
        "dumbbell": [dumbbell],
        "ring": [ring],
        "both": [dumbbell, ring],
        "staple": [_staple(size)],
    }
    kinds = known[kind]
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


def _staple(size: float) -> TriangleMesh:
    """A square bar bent to a U, `size` long and deep [m]; as a mesh, which is cut into convex pieces."""
    bar = STAPLE_BAR * size
    outer, inner = 0.5 * size, 0.5 * size - bar
    low, floor = -0.5 * size, -0.5 * size + bar
    outline = [
        (-outer, low),
        (outer, low),
        (outer, outer),
        (inner, outer),
        (inner, floor),
        (-inner, floor),
        (-inner, outer),
        (-outer, outer),
    ]
    n = len(outline)
    vertices = [(x, y, z) for y in (0.5 * bar, -0.5 * bar) for x, z in outline]
    front = [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)]
    back = [(a + n, c + n, b + n) for a, b, c in front]
    sides = [t for k in range(n) for j in [(k + 1) % n] for t in ((k, k + n, j + n), (k, j + n, j))]
    return TriangleMesh(vertices, [(a, c, b) for a, b, c in (*front, *back, *sides)])


SCENE = Scene(
    name="non-convex",
    description="Dumbbells and rings, made of convex parts, or staples, given as meshes, fall into a box.",
    builder=build,
    about={
        "bodies": About("number of bodies", least=1),
        "kind": About("which bodies", choices=("dumbbell", "ring", "both", "staple")),
        "size": About("largest extent of a body [m]", above=0),
        "side": About("side of the square box [m]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
        "seed": About("seed of the poses of the start", least=0),
    },
    step=0.005,
    duration=1.0,
    source="[Anitescu2007]",
)
