"""Two bars on two hinges: chaos in a plane."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.scenes.scene import About, Scene

WIDTH = 0.04
"""[m]."""


def build(
    length: float = 0.5,
    second_length: float = 0.4,
    angle: float = 120.0,
    second_angle: float = -30.0,
    density: float = 2700.0,
) -> Model:
    """Bars that start at rest; the lower one hangs on the end of the upper one, beside it."""
    model = Model()
    end, y = np.zeros(3), 0.0
    before = None
    for name, size, degrees in (("upper", length, angle), ("lower", second_length, second_angle)):
        turn = math.radians(degrees)
        way = size * np.array([math.sin(turn), 0.0, -math.cos(turn)])
        model.add_body(
            Box((WIDTH, WIDTH, size)),
            density=density,
            position=end + 0.5 * way + np.array([0.0, y, 0.0]),
            orientation=about(np.array([0.0, 1.0, 0.0]), -turn),
            name=name,
        )
        model.add_revolute(before, name, position=end, axis=(0, 1, 0), name=f"{name}-hinge")
        before, end, y = name, end + way, y + 1.5 * WIDTH
    return model


SCENE = Scene(
    name="double-pendulum",
    description="Two bars swing on two hinges.",
    builder=build,
    about={
        "length": About("of the upper bar [m]", above=0),
        "second_length": About("of the lower bar [m]", above=0),
        "angle": About("of the upper bar from hanging straight [degrees]", least=-180, most=180),
        "second_angle": About("of the lower bar [degrees]", least=-180, most=180),
        "density": About("[kg/m3]", above=0),
    },
    step=0.002,
    duration=5.0,
)
