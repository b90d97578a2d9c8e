"""A stack of boxes stands still.

The lowest contact carries the weight of all.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.3


def build() -> sg.Model:
    """Five boxes, every second one a little aside."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    for k in range(5):
        model.add_body(sg.Box((0.3, 0.3, 0.2)), mass=2.0, position=(0.02 * (k % 2), 0, 0.1 + 0.2 * k), name=f"box-{k}")
    return model


def check(run: sg.Run) -> None:
    """Nothing moves; the floor carries five boxes."""
    assert np.abs(run.position()[-1] - run.position()[0]).max() < 1e-6
    weight = 5 * 2.0 * 9.81
    assert abs(run.contact_force("floor", "box-0")[-1, 2] + weight) < 1e-4 * weight
