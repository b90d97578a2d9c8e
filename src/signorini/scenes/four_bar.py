"""A crank and a rocker, joined by a coupler."""

from __future__ import annotations

import math

import numpy as np

from signorini.math.rotations import about
from signorini.math.sparse import Array
from signorini.model.functions.constant import Constant
from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.problem.errors import ModelError
from signorini.scenes.scene import About, Scene

AXIS = (0.0, 1.0, 0.0)
WIDTH = 0.02
"""Of the bars [m]."""


def build(
    ground: float = 0.4,
    crank: float = 0.12,
    coupler: float = 0.4,
    rocker: float = 0.3,
    speed: float = 6.0,
    driven: bool = True,
    density: float = 2700.0,
) -> Model:
    """A planar linkage with four hinges in space, whose axes are parallel: three of its 20 rows are redundant.

    The crank stands upright at the start. Driven it turns at `speed`; else all is let go.
    """
    model = Model()
    a, b = np.zeros(3), np.array([0.0, 0.0, crank])
    d = np.array([ground, 0.0, 0.0])
    c = _apex(b, d, coupler, rocker)
    for name, begin, end in (("crank", a, b), ("coupler", b, c), ("rocker", d, c)):
        _bar(model, name, begin, end, density)
    hinges = ((None, "crank", a), ("crank", "coupler", b), ("coupler", "rocker", c), (None, "rocker", d))
    for name, (first, second, place) in zip(("main", "front", "back", "ground"), hinges, strict=True):
        model.add_revolute(first, second, position=place, axis=AXIS, name=name)
    if driven:
        model.add_motor("main", speed=Constant(speed), name="motor")
    return model


def _apex(b: Array, d: Array, from_b: float, from_d: float) -> Array:
    """Where circles about b and d in the plane xz meet, above."""
    way = d - b
    size = float(np.linalg.norm(way))
    if not abs(from_b - from_d) < size < from_b + from_d:
        raise ModelError(f"coupler {from_b:g} and rocker {from_d:g} do not meet over {size:g} m; change the lengths")
    along = (size**2 + from_b**2 - from_d**2) / (2.0 * size)
    up = math.sqrt(from_b**2 - along**2)
    unit = way / size
    return np.asarray(b + along * unit + up * np.array([-unit[2], 0.0, unit[0]]))


def _bar(model: Model, name: str, begin: Array, end: Array, density: float) -> None:
    way = end - begin
    length = float(np.linalg.norm(way))
    turn = about(np.array(AXIS), -math.atan2(way[2], way[0]))
    model.add_body(Box((length, WIDTH, WIDTH)), density=density, position=0.5 * (begin + end), orientation=turn,
                   name=name, mask=0)  # fmt: skip


SCENE = Scene(
    name="four-bar",
    description="A four-bar linkage with a driven crank, over-constrained as built.",
    builder=build,
    about={
        "ground": About("distance of the two fixed hinges [m]", above=0),
        "crank": About("length of the crank [m]", above=0),
        "coupler": About("length of the coupler [m]", above=0),
        "rocker": About("length of the rocker [m]", above=0),
        "speed": About("of the crank [rad/s]"),
        "driven": About("whether a motor turns the crank"),
        "density": About("[kg/m3]", above=0),
    },
    step=0.001,
    duration=3.0,
)
