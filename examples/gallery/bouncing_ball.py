"""A ball bounces: restitution 0.8.

Each bounce gives back 0.8 of the speed, 0.64 of the height.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.002, 0.9


def build() -> sg.Model:
    """A ball one metre above the floor."""
    rubber = sg.Material(restitution=0.8)
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=rubber)
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 1.1), material=rubber, name="ball")
    return model


def check(run: sg.Run) -> None:
    """The first bounce reaches 0.64 of the height."""
    height = run.position("ball")[:, 2] - 0.1
    lands = int(np.argmax(run.velocity("ball")[:, 2] > 0))
    assert abs(height[lands:].max() - 0.64) < 0.01
