"""Balls roll down a hilly field of heights into its valleys."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.9
CAMERA = "-50,40"


def build() -> sg.Model:
    """A field of 31 x 31 heights and three balls on its top."""
    x = np.linspace(-2, 2, 31)
    heights = 0.15 * (np.cos(2 * x)[:, None] + np.cos(2 * x)[None, :]) + 0.05 * (x**2)[:, None]
    model = sg.Model()
    model.add_fixed_body(sg.shapes.HeightField(heights, 4 / 30), name="hills")
    for k, (px, py) in enumerate([(0.3, 0.3), (-0.3, 0.4), (0.4, -0.3)]):
        model.add_body(sg.Sphere(0.1), density=500, position=(px, py, 0.5), name=f"ball-{k}")
    return model


def check(run: sg.Run) -> None:
    """The balls are lower, and above the ground."""
    for k in range(3):
        place = run.position(f"ball-{k}")[-1]
        assert place[2] < 0.25, "it has left the top"
        assert place[2] > -0.3, "it has not fallen through"
