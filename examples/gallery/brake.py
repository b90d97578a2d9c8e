"""A brake stops a flywheel and holds it.

It stops after `I omega / T`.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.8


def build() -> sg.Model:
    """A wheel at 20 rad/s and a brake of 15 N m."""
    model = sg.Model()
    model.add_body(
        sg.Cylinder(0.3, 0.05),
        mass=10.0,
        position=(0, 0, 0.5),
        orientation=(0.5**0.5, 0.5**0.5, 0, 0),
        angular_velocity=(0, 0, 20),
        name="wheel",
    )
    model.add_revolute(None, "wheel", position=(0, 0, 0.5), axis=(0, 1, 0), name="shaft")
    model.add_brake("shaft", limit=15.0)
    return model


def check(run: sg.Run) -> None:
    """It stops in time and stays."""
    inertia = 0.5 * 10.0 * 0.3**2
    stops = inertia * 20 / 15.0
    rate = np.abs(run.joint_rate("shaft"))
    assert abs(run.times[np.argmax(rate < 1e-6)] - stops) < 0.02
    assert rate[-1] < 1e-9
