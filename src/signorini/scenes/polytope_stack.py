"""Towers of irregular convex stones with flat beds, held by high friction."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.sparse import Array
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.convex_hull import ConvexHull
from signorini.model.shapes.half_space import HalfSpace
from signorini.scenes.scene import About, Scene

RADIUS, HEIGHT = 0.15, 0.12
"""Mean size of a stone [m]."""
SPACING = 0.5
"""Between the axes of the towers [m]."""


def build(towers: int = 3, levels: int = 6, friction: float = 0.8, density: float = 2500.0, seed: int = 0) -> Model:
    """Towers in a row along x, every stone a random frustum, turned and slightly off the axis."""
    rng = np.random.default_rng(seed)
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), material=material, name="floor")
    for tower in range(towers):
        z = 0.0
        for _ in range(levels):
            height = HEIGHT * rng.uniform(0.7, 1.3)
            aside = 0.1 * RADIUS * rng.uniform(-1.0, 1.0, 2)
            position = (tower * SPACING + aside[0], aside[1], z + 0.5 * height)
            stone = ConvexHull(_frustum(rng, height))
            model.add_body(stone, density=density, position=position, material=material)
            z += height
    return model


def _frustum(rng: np.random.Generator, height: float) -> Array:
    """Corners of a stone between two parallel polygons at +-height/2 [m], shape (2 sides, 3)."""
    sides = int(rng.integers(5, 9))
    turn = rng.uniform(0.0, 2.0 * math.pi)
    angle = turn + (np.arange(sides) + rng.uniform(-0.25, 0.25, sides)) * 2.0 * math.pi / sides
    rings = []
    for z, radius in ((-0.5 * height, RADIUS), (0.5 * height, RADIUS * rng.uniform(0.8, 1.0))):
        rings.append(np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(sides, z)]))
    return np.concatenate(rings)


SCENE = Scene(
    name="polytope-stack",
    description="Towers of irregular convex stones with high friction.",
    builder=build,
    about={
        "towers": About("number of towers", least=1),
        "levels": About("stones in a tower", least=1),
        "friction": About("Coulomb coefficient [-]", least=0),
        "density": About("density of the stones [kg/m3]", above=0),
        "seed": About("seed of the shapes", least=0),
    },
    step=0.005,
    duration=1.0,
    source="[Anitescu2007]",
)
