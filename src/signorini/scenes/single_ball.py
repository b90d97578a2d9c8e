"""One ball is thrown along the floor: it slides, then rolls with 5/7 of its speed."""

from __future__ import annotations

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.scene import About, Scene


def build(
    radius: float = 0.5, density: float = 1000.0, speed: float = 2.0, drop: float = 0.0, friction: float = 0.2
) -> Model:
    """A ball above a floor, with a horizontal speed."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), material=material, name="floor")
    model.add_body(
        Sphere(radius),
        density=density,
        position=(0.0, 0.0, radius + drop),
        velocity=(speed, 0.0, 0.0),
        material=material,
        name="ball",
    )
    return model


SCENE = Scene(
    name="single-ball",
    description="One ball thrown along the floor slides, then rolls.",
    builder=build,
    about={
        "radius": About("radius of the ball [m]", above=0),
        "density": About("density of the ball [kg/m3]", above=0),
        "speed": About("horizontal speed at the start [m/s]"),
        "drop": About("height of the lowest point at the start [m]", least=0),
        "friction": About("Coulomb coefficient [-]", least=0),
    },
    step=0.01,
    duration=1.0,
    source="[Mangoni2018, table 5.1]",
)
