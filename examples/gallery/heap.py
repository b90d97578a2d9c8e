"""Forty balls of two sizes fall into a box."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.4


def build() -> sg.Model:
    """Balls on a loose grid above the floor of a box."""
    rng = np.random.default_rng(3)
    model = sg.Model()
    model.add_box_container(size=(0.5, 0.5, 0.5))
    for k in range(40):
        radius = 0.05 if k % 2 else 0.035
        grid = np.array([k % 4, k // 4 % 4, k // 16])
        place = 0.08 + 0.113 * grid + rng.uniform(-0.006, 0.006, 3)
        model.add_body(sg.Sphere(radius), density=1000, position=place)
    return model


def check(run: sg.Run) -> None:
    """Every step is solved; nothing penetrates."""
    summary = run.summary()
    assert summary["failures"] == 0
    assert summary["penetration_max_relative"] < 1e-2
