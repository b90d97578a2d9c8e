"""A six-legged robot walks on frictional feet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from signorini.math.rotations import IDENTITY
from signorini.model.functions.sine import Sine
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.capsule import Capsule
from signorini.model.shapes.half_space import HalfSpace
from signorini.model.shapes.shape import Placed
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.scene import About, Scene

BODY = (0.5, 0.2, 0.08)
"""Size of the trunk [m]."""
REACH, DROP, FOOT = 0.15, 0.2, 0.02
"""Length of an arm to the side, height of the trunk over the feet, radius of a foot [m]."""
ROBOT, GROUND = 1, 2
"""Groups: the robot touches the ground only."""
QUARTER = 0.5 * math.pi


def build(
    frequency: float = 1.0, swing: float = 20.0, lift: float = 0.02, friction: float = 0.8, slope: float = 0.0
) -> Model:
    """Each leg swings with its arm about a vertical hinge and lifts along a vertical slide, both driven by motors.

    Legs move in two tripods, half a cycle apart: three feet carry and push back while the others swing to the front.
    """
    model = robot(lift, friction, slope)
    for name, sign, phase in legs():
        turning = Sine(-sign * math.radians(swing), frequency, phase)
        model.add_motor(f"{name} hip", angle=turning, name=f"{name} swing")
        rising = Sine(lift, frequency, phase + QUARTER, mean=-lift * math.cos(phase))
        model.add_motor(f"{name} slide", position=rising, name=f"{name} lift")
    return model


def legs() -> Iterator[tuple[str, float, float]]:
    """Name, side (1 left, -1 right) and phase in the gait [rad] of each leg."""
    for row in range(3):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            yield f"{side}-{row}", sign, 0.0 if (row % 2 == 0) == (sign > 0) else math.pi


def robot(lift: float = 0.02, friction: float = 0.8, slope: float = 0.0) -> Model:
    """The walker without its motors, at the start of a gait that lifts its feet by `lift` [m] up and down."""
    tilt = math.radians(slope)
    model = Model(gravity=(-9.81 * math.sin(tilt), 0.0, -9.81 * math.cos(tilt)))
    material = Material(friction=friction)
    model.add_fixed_body(HalfSpace((0, 0, 1)), material=material, name="ground", group=GROUND, mask=ROBOT)
    place = (0.0, 0.0, DROP + FOOT + lift)
    model.add_body(Box(BODY), mass=6.0, position=place, name="trunk", group=ROBOT, mask=GROUND)
    for k, (name, sign, phase) in enumerate(legs()):
        hip = (0.2 * (1 - k // 2), sign * 0.5 * BODY[1], place[2])
        _add_leg(model, name, hip, lift * math.cos(phase), material)
    return model


def _add_leg(model: Model, name: str, hip: tuple[float, float, float], raised: float, material: Material) -> None:
    """An arm from the hip to the side, and a leg on its end that stands `raised` [m] above its middle height."""
    out = math.copysign(REACH, hip[1])
    arm, leg = f"{name} arm", f"{name} leg"
    bodies: dict[str, Any] = {"group": ROBOT, "mask": GROUND, "material": material}
    model.add_body(
        Box((0.03, REACH, 0.03)), mass=0.3, position=(hip[0], hip[1] + 0.5 * out, hip[2]), name=arm, **bodies
    )
    shank = Placed(Capsule(0.5 * FOOT, DROP), np.zeros(3), IDENTITY)
    foot = Placed(Sphere(FOOT), np.array([0.0, 0.0, -0.5 * DROP]), IDENTITY)
    end = (hip[0], hip[1] + out, hip[2] - 0.5 * DROP + raised)
    model.add_body([shank, foot], density=1500.0, position=end, name=leg, **bodies)
    model.add_revolute("trunk", arm, position=hip, axis=(0, 0, 1), name=f"{name} hip")
    model.add_prismatic(arm, leg, axis=(0, 0, 1), name=f"{name} slide")


SCENE = Scene(
    name="walker",
    description="A six-legged robot walks: joints, motors and frictional feet.",
    builder=build,
    about={
        "frequency": About("of the gait [Hz]", above=0),
        "swing": About("of a leg to the front and to the back [degrees]", least=0, most=40),
        "lift": About("of a foot, up and down [m]", least=0, most=0.05),
        "friction": About("of the feet [-]", least=0),
        "slope": About("of the ground, uphill to the front [degrees]", least=-30, most=30),
    },
    step=0.005,
    duration=4.0,
    source="[Anitescu2007]: a walking robot",
)
