"""A heavy block lies on settled spheres."""

from __future__ import annotations

import math

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.arrange import close_packing
from signorini.scenes.scene import About, Scene


def build(
    across: int = 8,
    layers: int = 7,
    diameter: float = 0.07,
    density: float = 1000.0,
    mass_ratio: float = 1000.0,
    friction: float = 0.4,
    clearance: float = 1e-3,
) -> Model:
    """A close packing in a box that it nearly fills, and a block that covers it.

    Without any clearance rows of spheres reach from wall to wall: once they overlap, by round-off even, no velocities
    part them all.
    """
    model = Model()
    material = Material(friction=friction)
    side = (across + clearance) * diameter
    model.add_box_container(size=(side, side, side), material=material)
    ball = Sphere(0.5 * diameter)
    centres = close_packing(across, layers, diameter)
    centres[:, :2] += 0.5 * clearance * diameter
    for centre in centres:
        model.add_body(ball, density=density, position=centre, material=material)
    block = (0.9 * side, 0.9 * side, 0.3 * side)
    mass = mass_ratio * density * math.pi * diameter**3 / 6.0
    position = (0.5 * side, 0.5 * side, centres[-1, 2] + 0.5 * diameter + 0.5 * block[2])
    model.add_body(Box(block), mass=mass, position=position, material=material, name="block")
    return model


SCENE = Scene(
    name="heavy-block",
    description="A heavy block lies on settled spheres.",
    builder=build,
    about={
        "across": About("spheres across the box; layers have across^2 and (across - 1)^2 in turn", least=2),
        "layers": About("layers of spheres; across=16 layers=17 are 4104 spheres", least=1),
        "diameter": About("diameter of the spheres [m]", above=0),
        "density": About("density of the spheres [kg/m3]", above=0),
        "mass_ratio": About("mass of the block over that of one sphere [-]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
        "clearance": About("how much wider than the packing the box is, in diameters [-]", least=0),
    },
    step=0.005,
    duration=0.5,
    source="[Fang2014]",
)
