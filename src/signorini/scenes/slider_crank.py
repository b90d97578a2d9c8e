"""A crank drives a piston, through a wrist pin that may have play."""

from __future__ import annotations

import math

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

AXIS = np.array([0.0, 1.0, 0.0])
WIDTH = 0.02
"""Of crank and rod [m]."""
PIN = 0.02
"""Radius of the wrist pin [m]."""
PLATES = 16
"""Flat plates that line the bearing of a pin with play."""


def build(
    crank: float = 0.1,
    rod: float = 0.3,
    speed: float = 10.0,
    clearance: float = 0.0,
    friction: float = 0.1,
    density: float = 7800.0,
) -> Model:
    """Crank, rod, and a piston on a slide along x; they start stretched out and are brought to speed in 0.2 s.

    With a clearance the wrist pin is a ball in a bearing of flat plates, held by contact alone.
    """
    model = Model()
    pin = np.array([crank + rod, 0.0, 0.0])
    model.add_body(_beam(crank), density=density, position=(0.5 * crank, 0, 0), name="crank", mask=0)
    ball = Placed(Sphere(PIN), np.array([0.5 * rod, 0.0, 0.0]), _turn(0.0))
    shapes = [*_beam(rod), ball] if clearance else _beam(rod)
    metal = Material(friction)
    model.add_body(shapes, density=density, position=(crank + 0.5 * rod, 0, 0), material=metal, name="rod")
    bearing = _bearing(PIN + clearance) if clearance else [Placed(Box((6 * PIN,) * 3), np.zeros(3), _turn(0.0))]
    model.add_body(bearing, density=density, position=pin, material=metal, name="piston")
    model.add_revolute(None, "crank", position=(0, 0, 0), axis=AXIS, name="main")
    model.add_revolute("crank", "rod", position=(crank, 0, 0), axis=AXIS, name="crank-pin")
    if not clearance:
        model.add_revolute("rod", "piston", position=pin, axis=AXIS, name="wrist-pin")
    model.add_prismatic(None, "piston", axis=(1, 0, 0), position=pin, name="slide")
    model.add_motor("main", speed=SmoothStep(speed, 0.2), name="motor")
    return model


def _beam(length: float) -> list[Placed]:
    """A bar along x beside the plane of motion, where it touches nothing."""
    return [Placed(Box((length, WIDTH, WIDTH)), np.array([0.0, 5.0 * WIDTH, 0.0]), _turn(0.0))]


def _bearing(radius: float) -> list[Placed]:
    """Plates around a hole of that radius, seen along y."""
    thick, width = PIN, 2.2 * (radius + PIN) * math.tan(math.pi / PLATES)
    plates = []
    for k in range(PLATES):
        angle = 2.0 * math.pi * k / PLATES
        away = (radius + 0.5 * thick) * np.array([math.cos(angle), 0.0, -math.sin(angle)])
        plates.append(Placed(Box((thick, 3.0 * PIN, width)), away, _turn(angle)))
    return plates


def _turn(angle: float) -> Array:
    return about(AXIS, angle)


SCENE = Scene(
    name="slider-crank",
    description="A crank drives a piston; the wrist pin may have play.",
    builder=build,
    about={
        "crank": About("length of the crank [m]", above=0),
        "rod": About("length of the rod; more than the crank [m]", above=0),
        "speed": About("of the crank [rad/s]"),
        "clearance": About("play of the wrist pin in radius; 0 is a hinge [m]", least=0),
        "friction": About("in a pin with play [-]", least=0),
        "density": About("[kg/m3]", above=0),
    },
    step=0.001,
    duration=2.0,
)
