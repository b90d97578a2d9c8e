"""A bar swings on a hinge.

Its period for small angles is `2 pi sqrt(2 L / (3 g))`.
"""

from __future__ import annotations

import math

import numpy as np

import signorini as sg

STEP, DURATION = 0.002, 0.6
ANGLE = math.radians(10.0)


def build() -> sg.Model:
    """A bar let go at 10 degrees."""
    model = sg.Model()
    turn = (math.cos(ANGLE / 2), 0, math.sin(ANGLE / 2), 0)
    place = (-0.5 * math.sin(ANGLE), 0, -0.5 * math.cos(ANGLE))
    model.add_body(sg.Box((0.05, 0.05, 1.0)), mass=1.0, position=place, orientation=turn, name="bar")
    model.add_revolute(None, "bar", position=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return model


def check(run: sg.Run) -> None:
    """A quarter of the period passes until it hangs."""
    angle = run.joint_coordinate("hinge") + ANGLE
    crossing = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    period = 4 * run.times[crossing[0]]
    assert abs(period - 2 * math.pi * math.sqrt(2 / (3 * 9.81))) < 0.02
