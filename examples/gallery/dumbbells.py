"""Dumbbells, made of spheres and a capsule each, tumble onto one another."""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.8


def build() -> sg.Model:
    """Compounds of three shapes."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), name="floor")
    rng = np.random.default_rng(1)
    for k in range(6):
        turn = rng.normal(size=4)
        parts = [
            (sg.Sphere(0.08), (0, 0, -0.15), (1, 0, 0, 0)),
            (sg.Sphere(0.08), (0, 0, 0.15), (1, 0, 0, 0)),
            (sg.Capsule(0.03, 0.3), (0, 0, 0), (1, 0, 0, 0)),
        ]
        model.add_body(
            parts, density=1000, position=(0.1 * (k % 2), 0, 0.3 + 0.4 * k), orientation=turn / np.linalg.norm(turn)
        )
    return model


def check(run: sg.Run) -> None:
    """None has fallen through the floor."""
    assert run.position()[-1, 1:, 2].min() > 0.02
    assert run.summary()["penetration_max"] < 2e-3
