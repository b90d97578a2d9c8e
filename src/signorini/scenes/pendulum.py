"""A pendulum on a hinge."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.scenes.scene import About, Scene


def build(length: float = 1.0, width: float = 0.05, angle: float = 60.0, density: float = 2700.0) -> Model:
    """A slender bar that hangs on one end and starts at rest; its period follows from the elliptic integral."""
    model = Model()
    turn = math.radians(angle)
    model.add_body(
        Box((width, width, length)),
        density=density,
        position=(0.5 * length * math.sin(turn), 0.0, -0.5 * length * math.cos(turn)),
        orientation=about(np.array([0.0, 1.0, 0.0]), -turn),
        name="bar",
    )
    model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return model


SCENE = Scene(
    name="pendulum",
    description="A bar swings on a hinge.",
    builder=build,
    about={
        "length": About("of the bar [m]", above=0),
        "width": About("of the bar [m]", above=0),
        "angle": About("from hanging straight at the start [degrees]", least=-180, most=180),
        "density": About("[kg/m3]", above=0),
    },
    step=0.002,
    duration=5.0,
)
