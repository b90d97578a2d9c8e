"""Two blocks on a slope: one sticks, one slides.

The slope has 20 degrees, tan = 0.36. With friction 0.5 a block stays, with 0.2 it slides at `g (sin - mu cos)`.
"""

from __future__ import annotations

import math

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.6
ANGLE = math.radians(20.0)


def build() -> sg.Model:
    """A tilted half-space and two blocks."""
    slope = (-math.sin(ANGLE), 0, math.cos(ANGLE))
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace(slope), material=sg.Material(friction=1.0))
    turn = (math.cos(ANGLE / 2), 0, -math.sin(ANGLE / 2), 0)
    for y, mu, name in ((-0.3, 0.5, "sticks"), (0.3, 0.2, "slides")):
        place = 0.1 * np.array(slope) + [0, y, 0]
        model.add_body(
            sg.Box((0.3, 0.2, 0.2)),
            density=500,
            position=place,
            orientation=turn,
            material=sg.Material(friction=mu),
            name=name,
        )
    return model


def check(run: sg.Run) -> None:
    """One has not moved, the other has the speed of the closed form."""
    speed = np.linalg.norm(run.velocity("slides")[-1])
    assert abs(speed - 9.81 * (math.sin(ANGLE) - 0.2 * math.cos(ANGLE)) * DURATION) < 0.02
    assert np.linalg.norm(run.position("sticks")[-1] - run.position("sticks")[0]) < 1e-8
