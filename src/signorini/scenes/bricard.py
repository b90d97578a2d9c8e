"""IFToMM benchmark A04: Bricard's mechanism, movable against the count of its joints."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.scenes.scene import About, Scene

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
"""Of the chain of five rods, in lengths of a rod; the first and the last one are hinged to the ground."""
AXES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)
"""Of the hinges at the corners."""


def build(length: float = 1.0, mass: float = 1.0, width: float = 0.1) -> Model:
    """Five square rods and six hinges; gravity acts along -y. One degree of freedom, where a count gives none."""
    model = Model(gravity=(0.0, -9.81, 0.0))
    previous: str | None = None
    for k, (start, end) in enumerate(pairwise(CORNERS)):
        size = np.where(start != end, length, width)
        inertia = mass / 12.0 * ((size**2).sum() - size**2)
        name = f"rod-{k + 1}"
        middle = 0.5 * length * (start + end)
        model.add_body(Box(tuple(size)), mass=mass, inertia=inertia, position=middle, mask=0, name=name)
        model.add_revolute(previous, name, length * start, AXES[k], name=f"hinge-{k + 1}")
        previous = name
    model.add_revolute(previous, None, length * CORNERS[-1], AXES[-1], name="hinge-6")
    return model


SCENE = Scene(
    name="bricard",
    description="Bricard's over-constrained mechanism of five rods and six hinges (IFToMM benchmark A04).",
    builder=build,
    about={
        "length": About("length of a rod [m]", above=0),
        "mass": About("mass of a rod [kg]", above=0),
        "width": About("side of the square section of a rod [m]", above=0),
    },
    step=0.005,
    duration=10.0,
    integrator="hht",
    source="IFToMM library of computational benchmark problems, A04",
)
