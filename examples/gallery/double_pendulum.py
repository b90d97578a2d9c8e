"""A double pendulum with second-order steps keeps its energy."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.002, 1.0
INTEGRATOR = "nonsmooth-alpha"
SHOWN = 0.5
ALONG_X = (0.5**0.5, 0, 0.5**0.5, 0)


def build() -> sg.Model:
    """Two bars, let go from the horizontal."""
    model = sg.Model()
    model.add_body(sg.Capsule(0.03, 0.5), mass=1.0, position=(0.25, 0, 0), orientation=ALONG_X, name="upper")
    model.add_body(sg.Capsule(0.03, 0.5), mass=1.0, position=(0.75, 0, 0), orientation=ALONG_X, name="lower")
    model.add_revolute(None, "upper", position=(0, 0, 0), axis=(0, 1, 0))
    model.add_revolute("upper", "lower", position=(0.5, 0, 0), axis=(0, 1, 0))
    return model


def check(run: sg.Run) -> None:
    """Energy is kept within 2 % of a weight times a metre."""
    energy = run.channel("energy")
    assert np.ptp(energy[1:]) < 0.02 * 1.0 * 9.81
    assert run.position("lower")[-1, 2] != 0
