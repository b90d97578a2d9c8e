"""A wall of bricks in running bond; a ball may be thrown at it."""

from __future__ import annotations

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.scene import About, Scene

BRICK = (0.24, 0.115, 0.071)
"""[m]."""
JOINT = 0.002
"""Between the bricks of one course [m]."""
BALL_RADIUS = 0.12
"""[m]."""


def build(
    courses: int = 6,
    bricks: int = 5,
    friction: float = 0.7,
    density: float = 1800.0,
    ball_speed: float = 0.0,
    ball_density: float = 7800.0,
) -> Model:
    """A wall at rest along x, with half bricks at the ends of every second course."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), material=material, name="floor")
    whole, half = Box(BRICK), Box((0.5 * BRICK[0] - 0.5 * JOINT, BRICK[1], BRICK[2]))
    pitch = BRICK[0] + JOINT
    for course in range(courses):
        z = (course + 0.5) * BRICK[2]
        shift = 0.5 * (course % 2)
        for k in range(bricks - course % 2):
            position = ((k + 0.5 + shift) * pitch, 0.0, z)
            model.add_body(whole, density=density, position=position, material=material)
        for end in (0.25, bricks - 0.25) if course % 2 else ():
            model.add_body(half, density=density, position=(end * pitch, 0.0, z), material=material)
    if ball_speed > 0:
        centre = (0.5 * bricks * pitch, -1.5, max(0.6 * courses * BRICK[2], BALL_RADIUS))
        flight = (0.0, ball_speed, 0.5 * 9.81 * 1.3 / ball_speed)
        model.add_body(
            Sphere(BALL_RADIUS), density=ball_density, position=centre, velocity=flight, material=material, name="ball"
        )
    return model


SCENE = Scene(
    name="brick-wall",
    description="A wall of bricks with high friction; a ball may be thrown at it.",
    builder=build,
    about={
        "courses": About("layers of bricks", least=1),
        "bricks": About("whole bricks in the lowest course", least=1),
        "friction": About("Coulomb coefficient [-]", least=0),
        "density": About("density of the bricks [kg/m3]", above=0),
        "ball_speed": About("speed of a ball thrown at the wall, 0 for none [m/s]", least=0),
        "ball_density": About("density of the ball [kg/m3]", above=0),
    },
    step=0.005,
    duration=1.0,
    source="[Anitescu2007]",
)
