"""A ball is thrown along the floor: it slides, then rolls at 5/7 of its speed."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.5


def build() -> sg.Model:
    """A ball with a speed and no spin."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(2, 0, 0), name="ball")
    return model


def check(run: sg.Run) -> None:
    """It rolls without slip at the speed of the closed form."""
    assert abs(run.velocity("ball")[-1, 0] - 2.0 * 5 / 7) < 2e-3
    spin = run.angular_velocity("ball")[-1]
    assert abs(np.linalg.norm(spin) * 0.1 - run.velocity("ball")[-1, 0]) < 1e-3
