"""A row of dominoes; the first one is pushed."""

from __future__ import annotations

from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.half_space import HalfSpace
from signorini.scenes.scene import About, Scene

SIZE = (0.0075, 0.024, 0.048)
"""Thickness, width and height [m]."""


def build(
    dominoes: int = 20, spacing: float = 0.02, friction: float = 0.3, density: float = 600.0, push: float = 8.0
) -> Model:
    """Dominoes along x at rest, but for the first, which tips over its lower front edge."""
    model = Model()
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0.0, 0.0, 1.0)), material=material, name="floor")
    stone = Box(SIZE)
    for k in range(dominoes):
        spin = push if k == 0 else 0.0
        model.add_body(
            stone,
            density=density,
            position=(k * (spacing + SIZE[0]), 0.0, 0.5 * SIZE[2]),
            velocity=(0.5 * SIZE[2] * spin, 0.0, 0.5 * SIZE[0] * spin),
            angular_velocity=(0.0, spin, 0.0),
            material=material,
            name=f"domino-{k}",
        )
    return model


SCENE = Scene(
    name="domino",
    description="A row of dominoes falls one after the other.",
    builder=build,
    about={
        "dominoes": About("number of dominoes", least=1),
        "spacing": About("between faces [m]", above=0),
        "friction": About("Coulomb coefficient [-]", least=0),
        "density": About("density of the dominoes [kg/m3]", above=0),
        "push": About("angular velocity of the first one at the start [rad/s]", least=0),
    },
    step=0.002,
    duration=1.5,
)
