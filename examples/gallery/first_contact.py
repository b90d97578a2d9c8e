"""A ball falls on the floor and stays there.

Neither penetration nor bounce: the contact is rigid, and the force in the end is the weight.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.5


def build() -> sg.Model:
    """Floor and ball."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    model.add_body(sg.Sphere(0.1), mass=2.0, position=(0, 0, 0.4), name="ball")
    return model


def check(run: sg.Run) -> None:
    """The ball rests on the floor, which carries its weight."""
    assert abs(run.position("ball")[-1, 2] - 0.1) < 1e-9
    force = run.contact_force("ball", "floor")[-1]
    assert np.allclose(force, [0, 0, 2.0 * 9.81], rtol=1e-6)
