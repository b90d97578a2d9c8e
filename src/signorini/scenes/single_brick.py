"""One brick falls on an edge and comes to rest."""

from __future__ import annotations

import math

from signorini.math.rotations import about as turn
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.scenes.arrange import Y
from signorini.scenes.scene import About, Scene


def build(
    length: float = 0.24,
    width: float = 0.115,
    height: float = 0.071,
    density: float = 1800.0,
    drop: float = 0.1,
    tilt: float = 20.0,
    friction: float = 0.6,
) -> Model:
    """A tilted brick above a floor."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), material=material, name="floor")
    angle = math.radians(tilt)
    lowest = 0.5 * (length * abs(math.sin(angle)) + height * abs(math.cos(angle)))
    model.add_body(
        Box((length, width, height)),
        density=density,
        position=(0.0, 0.0, lowest + drop),
        orientation=turn(Y, angle),
        material=material,
        name="brick",
    )
    return model


SCENE = Scene(
    name="single-brick",
    description="One brick falls on an edge and comes to rest.",
    builder=build,
    about={
        "length": About("along x [m]", above=0),
        "width": About("along y [m]", above=0),
        "height": About("along z [m]", above=0),
        "density": About("density of the brick [kg/m3]", above=0),
        "drop": About("height of the lowest edge at the start [m]", least=0),
        "tilt": About("turn about y at the start [degrees]"),
        "friction": About("Coulomb coefficient [-]", least=0),
    },
    step=0.005,
    duration=1.0,
    source="[Mangoni2018, table 5.1]",
)
