"""Two balls collide head-on and exchange their speeds.

Restitution 1 and equal masses: momentum and energy leave one answer.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.4


def build() -> sg.Model:
    """Two steel balls."""
    steel = sg.Material(restitution=1.0, friction=0.0)
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(-0.5, 0, 0), velocity=(1, 0, 0), material=steel, name="left")
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0.5, 0, 0), velocity=(-3, 0, 0), material=steel, name="right")
    return model


def check(run: sg.Run) -> None:
    """The speeds are exchanged."""
    assert np.allclose(run.velocity("left")[-1], [-3, 0, 0], atol=1e-6)
    assert np.allclose(run.velocity("right")[-1], [1, 0, 0], atol=1e-6)
