"""IFToMM benchmark A02: N four-bar windows that pass through singular positions."""

from __future__ import annotations

import numpy as np

from signorini.model.model import Model
from signorini.model.shapes.box import Box
from signorini.scenes.scene import About, Scene

WIDTH = 0.05
"""Of the bars as they are drawn [m]."""
HINGE = (0.0, 1.0, 0.0)


def build(loops: int = 2, length: float = 1.0, mass: float = 1.0, speed: float = 1.0) -> Model:
    """N windows of rods in the x-z plane, upright, their tops moving along x at `speed`.

    All uprights turn alike, one degree of freedom; lying flat, the mechanism has N + 1 of them for an instant.
    """
    model = Model()
    thin = mass * length**2 / 12.0
    spin = speed / length
    for k in range(loops + 1):
        x = k * length
        model.add_body(
            Box((WIDTH, WIDTH, length)), mass=mass, inertia=(thin, thin, 1e-3 * thin), position=(x, 0.0, 0.5 * length),
            velocity=(0.5 * speed, 0.0, 0.0), angular_velocity=(0.0, spin, 0.0), mask=0, name=f"upright-{k}",
        )  # fmt: skip
        model.add_revolute(None, f"upright-{k}", (x, 0.0, 0.0), HINGE, name=f"foot-{k}")
    for k in range(loops):
        middle = (length * (k + 0.5), 0.0, length)
        model.add_body(
            Box((length, WIDTH, WIDTH)), mass=mass, inertia=(1e-3 * thin, thin, thin), position=middle,
            velocity=(speed, 0.0, 0.0), mask=0, name=f"bar-{k}",
        )  # fmt: skip
        for end, word in ((k, "left"), (k + 1, "right")):
            top = np.array([end * length, 0.0, length])
            model.add_revolute(f"upright-{end}", f"bar-{k}", top, HINGE, name=f"{word}-{k}")
    return model


SCENE = Scene(
    name="n-four-bar",
    description="N four-bar windows turn over through singular positions (IFToMM benchmark A02).",
    builder=build,
    about={
        "loops": About("number of windows N", least=1),
        "length": About("length of a rod [m]", above=0),
        "mass": About("mass of a rod [kg]", above=0),
        "speed": About("of the tops at the start, along x [m/s]"),
    },
    step=0.002,
    duration=10.0,
    integrator="hht",
    source="IFToMM library of computational benchmark problems, A02",
)
