"""Logs lie in a pile between two posts."""

from __future__ import annotations

import math

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.6


def build() -> sg.Model:
    """Eight cylinders in three rows."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    for x in (-0.32, 0.32):
        model.add_fixed_body(sg.Box((0.04, 1.0, 0.5)), position=(x, 0, 0.25))
    turn = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0, 0)
    for row in range(3):
        for k in range(3 - row % 2):
            place = (-0.2 + 0.2 * k + 0.1 * (row % 2), 0, 0.101 + 0.19 * row)
            model.add_body(sg.Cylinder(0.1, 0.8), density=600, position=place, orientation=turn)
    return model


def check(run: sg.Run) -> None:
    """The pile is at rest and did not fall apart."""
    assert np.abs(run.velocity()[-1]).max() < 0.05
    assert run.position()[-1, 3:, 2].max() < 0.55
    assert run.summary()["penetration_max"] < 1e-3
