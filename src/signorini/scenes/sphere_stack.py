"""Spheres on vertical guides, one on top of the other, equal or each many times heavier than the one below."""

from __future__ import annotations

import math

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.problem.errors import ModelError
from signorini.scenes.scene import About, Scene

HEAVIEST = 1e60
"""[kg]; beyond, squares of masses come near the end of the range of floating-point numbers."""


def build(
    count: int = 10,
    mass: float = 100.0,
    ratio: float = 1.0,
    density: float = 1000.0,
    friction: float = 0.4,
) -> Model:
    """A stack at rest. The density is the same for all: heavier spheres are larger."""
    top = mass * ratio ** (count - 1)
    if not top <= HEAVIEST:
        raise ModelError(
            f"the top sphere weighs {top:.0e} kg, expected at most {HEAVIEST:.0e} kg: lower count or ratio"
        )
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), material=material, name="floor")
    height = 0.0
    for level in range(count):
        heavy = mass * ratio**level
        radius = (3.0 * heavy / (4.0 * math.pi * density)) ** (1.0 / 3.0)
        position = (0.0, 0.0, height + radius)
        sphere = model.add_body(
            Sphere(radius), mass=heavy, position=position, material=material, name=f"sphere-{level}"
        )
        model.add_guide(sphere, direction=(0.0, 0.0, 1.0))
        height += 2.0 * radius
    return model


SCENE = Scene(
    name="sphere-stack",
    description="Spheres on vertical guides: equal masses, or each many times heavier than the one below.",
    builder=build,
    about={
        "count": About("number of spheres", least=1),
        "mass": About("mass of the lowest sphere [kg]; the source has 100, 1e6 and 1e12", above=0),
        "ratio": About("mass of a sphere over that of the one below [-]; the source has 1 and 10", above=0),
        "density": About("density of all spheres [kg/m3]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
    },
    step=0.05,
    duration=5.0,
    source="[Mangoni2018, section 5.3.3]",
)
