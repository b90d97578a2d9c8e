"""IFToMM benchmark A05: a stiff flyball governor, springs and dampers in place of its coupler rods."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about, matrix
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.scenes.scene import About, Scene

LENGTH, THICKNESS, CUBE, OFFSET, BALL = 1.0, 0.01, 0.1, 0.05, 5.0
"""Length of shaft and rods, their section, side of the slider, offset of the hinges [m]; mass of a ball [kg]."""
ANGLE = math.pi / 6.0
"""Of the rods below the horizontal at the start [rad]."""
REST, SLIDER = 0.5, 0.5
"""Length of the springs without force and height of the slider at the start [m]."""


def build(stiffness: float = 8e5, damping: float = 4e4, speed: float = 2.0 * math.pi, density: float = 3000.0) -> Model:
    """A shaft that turns about z with two rods hinged to its top, each tied by its middle to a slider below."""
    model = Model()
    spin = (0.0, 0.0, speed)
    upright = (THICKNESS, THICKNESS, LENGTH)
    model.add_body(
        Box(upright), density=density, position=(0, 0, 0.5 * LENGTH), angular_velocity=spin, mask=0, name="shaft"
    )
    model.add_body(
        Box((CUBE, CUBE, CUBE)), density=density, position=(0, 0, SLIDER), angular_velocity=spin, mask=0, name="slider"
    )
    model.add_revolute(None, "shaft", (0, 0, 0), (0, 0, 1), name="bearing")
    model.add_prismatic("shaft", "slider", (0, 0, 1), name="guide")
    for side, sign in (("left", -1.0), ("right", 1.0)):
        _add_rod(model, side, sign, speed, density)
        middle = (sign * (OFFSET + 0.5 * LENGTH * math.cos(ANGLE)), 0.0, LENGTH - 0.5 * LENGTH * math.sin(ANGLE))
        model.add_spring(
            "slider", f"{side} rod", (sign * OFFSET, 0.0, SLIDER), middle, stiffness, damping, REST, name=f"{side} link"
        )
    return model


def _add_rod(model: Model, side: str, sign: float, speed: float, density: float) -> None:
    """A rod with a point mass at its end as one body; x of its frame points outwards along it."""
    rod = density * LENGTH * THICKNESS**2
    total = rod + BALL
    centre = (0.5 * rod + BALL) * LENGTH / total
    across = (
        rod * (LENGTH**2 + THICKNESS**2) / 12.0 + rod * (0.5 * LENGTH - centre) ** 2 + BALL * (LENGTH - centre) ** 2
    )
    turn = about(np.array([0.0, 1.0, 0.0]), ANGLE if sign > 0 else math.pi - ANGLE)
    hinge = np.array([sign * OFFSET, 0.0, LENGTH])
    outwards = matrix(turn)[:, 0]
    name, position = f"{side} rod", hinge + centre * outwards
    model.add_body(
        Box((LENGTH, THICKNESS, THICKNESS)),
        mass=total,
        inertia=(rod * THICKNESS**2 / 6.0, across, across),
        position=position,
        orientation=turn,
        velocity=np.cross((0.0, 0.0, speed), position),
        angular_velocity=matrix(turn).T @ (0.0, 0.0, speed),
        mask=0,
        name=name,
    )
    model.add_revolute("shaft", name, hinge, (0.0, 1.0, 0.0), name=f"{side} hinge")


SCENE = Scene(
    name="governor",
    description="A stiff flyball governor with springs for coupler rods (IFToMM benchmark A05).",
    builder=build,
    about={
        "stiffness": About("of the springs [N/m]", above=0),
        "damping": About("of the springs [N s/m]", least=0),
        "speed": About("of the shaft at the start [rad/s]"),
        "density": About("of shaft, rods and slider [kg/m3]", above=0),
    },
    step=0.005,
    duration=10.0,
    integrator="hht",
    source="IFToMM library of computational benchmark problems, A05",
)
