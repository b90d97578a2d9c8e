"""A mass on a spring, with second-order steps: amplitude and frequency are kept."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.01, 2.0
INTEGRATOR = "nonsmooth-alpha"


def build() -> sg.Model:
    """One hertz, pulled by 0.1 m."""
    model = sg.Model(gravity=(0, 0, 0))
    model.add_body(sg.Box((0.1, 0.1, 0.1)), mass=1.0, position=(0.6, 0, 0), name="mass")
    model.add_prismatic(None, "mass", position=(0.6, 0, 0), axis=(1, 0, 0), name="rail")
    model.add_spring(None, "mass", (0, 0, 0), (0.6, 0, 0), stiffness=(2 * np.pi) ** 2, length=0.5)
    return model


def check(run: sg.Run) -> None:
    """The mass is back after two periods."""
    x = run.position("mass")[:, 0]
    assert abs(x[-1] - 0.6) < 1e-3, "after two periods of 1 s it is back"
    assert abs(x.min() - 0.4) < 1e-3
