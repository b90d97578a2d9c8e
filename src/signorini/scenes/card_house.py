"""A house of cards, held by friction alone."""

from __future__ import annotations

import math

from signorini.math.rotations import about as turn
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.scenes.arrange import Y
from signorini.scenes.scene import About, Scene

LENGTH, WIDTH, THICKNESS = 0.088, 0.063, 0.001
"""Of a card [m]."""
JOINT = 0.001
"""Between two cards that lie side by side [m]."""


def build(storeys: int = 3, lean: float = 22.0, friction: float = 0.7, density: float = 1200.0) -> Model:
    """Storeys of leaning pairs, one pair fewer in each, with lying cards from ridge to ridge between them."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), material=material, name="floor")
    angle = math.radians(lean)
    height = LENGTH * math.cos(angle) + THICKNESS * math.sin(angle)
    aside = 0.5 * (LENGTH * math.sin(angle) + THICKNESS * math.cos(angle))
    upright, lying = Box((THICKNESS, WIDTH, LENGTH)), Box((LENGTH, WIDTH, THICKNESS))
    pitch, z = LENGTH + JOINT, 0.0
    for storey in range(storeys):
        ridges = [(k + 0.5 * storey) * pitch for k in range(storeys - storey)]
        for x in ridges:
            for sign in (-1.0, 1.0):
                model.add_body(
                    upright,
                    density=density,
                    position=(x + sign * aside, 0.0, z + 0.5 * height),
                    orientation=turn(Y, -sign * angle),
                    material=material,
                )
        z += height
        for x in ridges[:-1]:
            position = (x + 0.5 * pitch, 0.0, z + 0.5 * THICKNESS)
            model.add_body(lying, density=density, position=position, material=material)
        z += THICKNESS
    return model


SCENE = Scene(
    name="card-house",
    description="A house of cards, held by friction alone.",
    builder=build,
    about={
        "storeys": About("storeys; the lowest has as many pairs of leaning cards", least=1),
        "lean": About("of the cards, from the vertical [degrees]", above=0, most=45),
        "friction": About("Coulomb coefficient [-]; below about tan(lean) the house slides apart", least=0),
        "density": About("density of the cards [kg/m3]", above=0),
    },
    step=0.005,
    duration=1.0,
)
