"""A chain of links that falls on round bars."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.half_space import HalfSpace
from signorini.scenes.scene import About, Scene

LYING = about(np.array([0.0, 1.0, 0.0]), 0.5 * math.pi)
ACROSS = about(np.array([1.0, 0.0, 0.0]), 0.5 * math.pi)


def build(
    links: int = 40,
    length: float = 0.1,
    radius: float = 0.015,
    bars: int = 5,
    height: float = 0.5,
    held: bool = False,
    friction: float = 0.4,
    density: float = 2000.0,
) -> Model:
    """Capsules in a row along x, tied end to end by ball joints, over equal bars across; the first end may be held."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0, 0, 1)), material=material, name="ground")
    whole = links * length
    for k in range(bars):
        place = ((k + 0.5) / bars * whole, 0.0, 0.3 * height)
        model.add_fixed_body(
            Capsule(2.0 * radius, 10.0 * length), position=place, orientation=ACROSS, material=material, name=f"bar-{k}"
        )
    for k in range(links):
        model.add_body(
            Capsule(radius, length - 2.0 * radius),
            density=density,
            position=((k + 0.5) * length, 0.0, height),
            orientation=LYING,
            material=material,
            name=f"link-{k}",
        )
        if k or held:
            before = f"link-{k - 1}" if k else None
            model.add_spherical(before, f"link-{k}", position=(k * length, 0.0, height), name=f"joint-{k}")
    return model


SCENE = Scene(
    name="chain",
    description="A chain of links falls on round bars.",
    builder=build,
    about={
        "links": About("number of links", least=1),
        "length": About("from joint to joint [m]", above=0),
        "radius": About("of a link; less than half its length [m]", above=0),
        "bars": About("number of bars below", least=0),
        "height": About("of the chain at the start [m]", above=0),
        "held": About("whether the first end is held"),
        "friction": About("friction coefficient [-]", least=0),
        "density": About("[kg/m3]", above=0),
    },
    step=0.002,
    duration=2.0,
    source="[Anitescu2007]: contacts between articulated objects",
)
