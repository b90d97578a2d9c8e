"""A rubber ball rolls down a flight of stairs."""

from __future__ import annotations

from signorini.fe.materials.neo_hookean import NeoHookean
from signorini.fe.mesh import Mesh
from signorini.fe.soft_body import SoftBody
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.scenes.scene import About, Scene


def build(
    radius: float = 0.12,
    across: int = 3,
    steps: int = 4,
    rise: float = 0.1,
    tread: float = 0.3,
    speed: float = 0.8,
    young: float = 2e5,
    poisson: float = 0.4,
    damping: float = 2e-3,
    friction: float = 0.6,
) -> Model:
    """The stairs go down along +x, one box each; the ball starts on the first."""
    model = Model()
    material = Material(friction=friction)
    height = rise * (steps + 1)
    for k in range(steps + 1):
        top = -k * rise
        length = tread if k < steps else 4.0 * tread
        box = Box((length, 1.0, height))
        x = k * tread + 0.5 * length
        model.add_fixed_body(box, position=(x, 0.0, top - 0.5 * height), material=material, name=f"step-{k}")
    rubber = NeoHookean(young=young, poisson=poisson, density=1000.0)
    ball = SoftBody(Mesh.ball(radius, across), rubber, stiffness_damping=damping)
    model.add_flexible(
        ball,
        position=(0.35 * tread, 0.0, 1.001 * radius),
        velocity=(speed, 0.0, 0.0),
        angular_velocity=(0.0, speed / radius, 0.0),
        material=material,
        name="ball",
    )
    return model


SCENE = Scene(
    name="soft-ball-stairs",
    description="A rubber ball rolls down a flight of stairs.",
    builder=build,
    about={
        "radius": About("of the ball [m]", above=0),
        "across": About("cells along an edge of the cube inside the ball", least=1),
        "steps": About("number of steps to go down", least=1),
        "rise": About("height of a step [m]", above=0),
        "tread": About("depth of a step [m]", above=0),
        "speed": About("of the ball at the start [m/s]", least=0),
        "young": About("Young's modulus [Pa]", above=0),
        "poisson": About("Poisson's ratio [-]", least=0, most=0.49),
        "damping": About("share of the stiffness that damps (Rayleigh) [s]", least=0),
        "friction": About("Coulomb coefficient [-]", least=0),
    },
    step=0.01,
    duration=2.0,
)
