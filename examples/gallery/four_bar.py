"""A motor turns the crank of a four-bar linkage; the rocker swings."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 1.2
SHOWN = 0.45


def build() -> sg.Model:
    """Three bars and four pins, over-constrained as built."""
    model = sg.Model(gravity=(0, 0, 0))
    points = np.array([[0, 0, 0], [0, 0, 0.2], [0.6, 0, 0.5], [0.6, 0, 0]])
    for k, name in enumerate(("crank", "coupler", "rocker")):
        a, b = points[k], points[k + 1]
        angle = np.arctan2((b - a)[0], (b - a)[2])
        model.add_body(
            sg.Box((0.04, 0.02, float(np.linalg.norm(b - a)))),
            density=7800,
            position=(a + b) / 2 + [0, 0.03 * k, 0],
            orientation=(np.cos(angle / 2), 0, np.sin(angle / 2), 0),
            name=name,
        )
    for a, b, place in ((None, "crank", 0), ("crank", "coupler", 1), ("coupler", "rocker", 2), ("rocker", None, 3)):
        model.add_revolute(a, b, position=points[place], axis=(0, 1, 0), name=f"pin-{place}")
    model.add_motor("pin-0", speed=sg.functions.SmoothStep(2 * np.pi, 0.2), name="drive")
    return model


def check(run: sg.Run) -> None:
    """The crank turns round, the rocker does not."""
    crank = run.joint_coordinate("pin-0")
    rocker = run.joint_coordinate("pin-3")
    assert crank[-1] > 1.9 * np.pi
    assert np.ptp(rocker) < 1.5, "it swings and does not turn round"
