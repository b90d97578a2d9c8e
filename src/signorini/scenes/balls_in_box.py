"""Equal balls fall into a box and come to rest."""

from __future__ import annotations

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.arrange import lattice
from signorini.scenes.scene import About, Scene


def build(
    spheres: int = 280,
    diameter: float = 0.07,
    density: float = 1000.0,
    side: float = 1.0,
    friction: float = 0.4,
    seed: int = 0,
) -> Model:
    """A jittered lattice of balls above the floor of a box that is open on top."""
    model = Model()
    material = Material(friction=friction)
    model.add_box_container(size=(side, side, side), material=material)
    ball = Sphere(0.5 * diameter)
    for centre in lattice(spheres, diameter, (side, side), seed):
        model.add_body(ball, density=density, position=centre, material=material)
    return model


SCENE = Scene(
    name="balls-in-box",
    description="Equal balls fall into a box and come to rest.",
    builder=build,
    about={
        "spheres": About("number of balls", least=1),
        "diameter": About("diameter of the balls [m]", above=0),
        "density": About("density of the balls [kg/m3]", above=0),
        "side": About("side of the square box [m]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
        "seed": About("seed of the jitter of the start", least=0),
    },
    step=0.005,
    duration=2.0,
    source="[Mangoni2018, section 5.3.1, table 5.2]: 64, 280, 595 and 1190 balls",
)
