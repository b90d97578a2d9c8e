"""A radial gripper: a cam ring turns and pushes jaws together."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from signorini.math.rotations import about
from signorini.math.sparse import Array
from signorini.model.functions.smooth_step import SmoothStep
from signorini.model.material import Material
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.model.shapes.shape import Placed
from signorini.model.shapes.sphere import Sphere
from signorini.scenes.scene import About, Scene

RING = 0.2
"""Radius of the cam ring where a follower starts [m]."""
FOLLOWER = 0.015
"""Radius of a follower [m]."""
PLATES = 40
"""Flat plates of all cams together."""
RAMP = 0.03
"""How much nearer to the centre a cam comes along its part of the ring [m]."""
REACH = 0.12
"""From a follower's centre to the face of its jaw [m]."""
UP = np.array([0.0, 0.0, 1.0])
JAW_GROUP, BALL_GROUP, RING_GROUP = 1, 2, 4


def build(
    jaws: int = 3, radius: float = 0.05, torque: float = 30.0, friction: float = 0.6, density: float = 1000.0
) -> Model:
    """Jaws on radial slides, pulled out by springs and pushed in by spiral cams inside a ring that a motor turns.

    They grip a ball; then the table under it is lowered, and friction holds the ball.
    """
    model = Model()
    rough = Material(friction=friction)
    model.add_body(_ring(jaws), density=density, material=Material(friction=0.05), name="ring", group=RING_GROUP,
                   mask=JAW_GROUP)  # fmt: skip
    model.add_revolute(None, "ring", position=(0, 0, 0), axis=UP, name="ring-hinge")
    for k in range(jaws):
        _jaw(model, k, 2.0 * math.pi * k / jaws, rough)
    model.add_body(Sphere(radius), density=density, material=rough, name="ball", group=BALL_GROUP, mask=~RING_GROUP)
    table = Box((4.0 * radius, 4.0 * radius, 0.02))
    model.add_body(table, position=(0, 0, -radius - 0.01), mass=1.0, name="table", group=BALL_GROUP, mask=BALL_GROUP)
    model.add_prismatic(None, "table", axis=UP, name="lift")
    model.add_motor("lift", position=SmoothStep(-0.2, 0.5, begin=0.6), name="lowering")
    model.add_motor("ring-hinge", torque=SmoothStep(torque, 0.3), name="motor")
    return model


def _jaw(model: Model, k: int, angle: float, material: Material) -> None:
    """A bar along its radius, its follower on the cam, its face towards the ball."""
    out = np.array([math.cos(angle), math.sin(angle), 0.0])
    middle = RING - FOLLOWER - 0.5 * REACH
    bar = Placed(Box((REACH, 0.02, 0.04)), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    follower = Placed(Sphere(FOLLOWER), np.array([0.5 * REACH, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    name = f"jaw-{k}"
    model.add_body([bar, follower], mass=0.5, position=middle * out, orientation=about(UP, angle), material=material,
                   name=name, inertia=(1e-4, 8e-4, 8e-4), group=JAW_GROUP, mask=~JAW_GROUP)  # fmt: skip
    model.add_prismatic(None, name, axis=out, name=f"slide-{k}")
    model.add_spring(None, name, position_a=2.0 * RING * out, position_b=middle * out, stiffness=50.0, damping=2.0,
                     length=0.15, name=f"spring-{k}")  # fmt: skip


def _ring(jaws: int) -> list[Placed]:
    """Plates along spirals, one for each jaw; a follower starts near the wide end of its own."""
    plates: list[Placed] = []
    each = max(4, PLATES // jaws)
    part = 2.0 * math.pi / jaws
    for jaw in range(jaws):
        corners = [_spiral(part * jaw, part, s / each) for s in range(each + 1)]
        plates.extend(_plate(begin, end) for begin, end in pairwise(corners))
    return plates


def _spiral(first: float, part: float, share: float) -> Array:
    """A point of a cam: the ring turns the positive way, so later shares of it come from behind."""
    radius, angle = RING + 0.15 * RAMP - RAMP * share, first + part * (0.1 - share)
    return radius * np.array([math.cos(angle), math.sin(angle), 0.0])


def _plate(begin: Array, end: Array) -> Placed:
    thick, way = 0.02, end - begin
    middle, angle = 0.5 * (begin + end), math.atan2(way[1], way[0])
    normal = np.array([math.sin(angle), -math.cos(angle), 0.0])
    out = normal if normal @ middle > 0 else -normal
    size = (1.02 * float(np.linalg.norm(way)), thick, 0.04)
    return Placed(Box(size), middle + 0.5 * thick * out, about(UP, angle))


SCENE = Scene(
    name="gripper",
    description="A radial gripper: cams inside a ring push jaws together, friction holds a ball.",
    builder=build,
    about={
        "jaws": About("number of jaws", least=2, most=8),
        "radius": About("of the ball [m]", above=0.03, most=0.06),
        "torque": About("that turns the ring [N m]", least=0),
        "friction": About("between jaws and ball [-]", least=0),
        "density": About("of ball and ring [kg/m3]", above=0),
    },
    step=0.002,
    duration=1.5,
    source="[Anitescu2007]: radial gripper with 3D cams",
)
