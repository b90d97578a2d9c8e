"""A box on a slope: it sticks below the friction angle and slides above."""

from __future__ import annotations

import math

from signorini.math.rotations import about as turn
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.scenes.arrange import Y
from signorini.scenes.scene import About, Scene

SIZE = (0.4, 0.3, 0.2)
"""Of the box [m]."""


def build(angle: float = 20.0, friction: float = 0.4, mass: float = 10.0) -> Model:
    """A slope that falls along +x, with the box at rest on it."""
    model = Model()
    material = Material(friction=friction)
    slope = math.radians(angle)
    normal = (math.sin(slope), 0.0, math.cos(slope))
    model.add_fixed_body(HalfSpace(normal), material=material, name="slope")
    model.add_body(
        Box(SIZE),
        mass=mass,
        position=tuple(0.5 * SIZE[2] * n for n in normal),
        orientation=turn(Y, slope),
        material=material,
        name="box",
    )
    return model


SCENE = Scene(
    name="inclined-plane",
    description="A box on a slope sticks below the friction angle and slides above.",
    builder=build,
    about={
        "angle": About("of the slope [degrees]", least=0, most=89),
        "friction": About("Coulomb coefficient [-]; the friction angle of 0.4 is 21.8 degrees", least=0),
        "mass": About("of the box [kg]", above=0),
    },
    step=0.005,
    duration=2.0,
)
