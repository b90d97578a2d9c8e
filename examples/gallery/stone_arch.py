"""An arch of seven stones stands by friction alone."""

from __future__ import annotations

import math

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.3
CAMERA = "-70,15"


def build() -> sg.Model:
    """Voussoirs of a half circle, cut as convex hulls."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=sg.Material(friction=0.8), name="floor")
    edges = np.linspace(0, math.pi, 8)
    for k in range(7):
        corners = [
            (r * math.cos(a), y, r * math.sin(a)) for a in edges[k : k + 2] for r in (0.8, 1.1) for y in (-0.15, 0.15)
        ]
        model.add_body(sg.ConvexHull(corners), density=2000, material=sg.Material(friction=0.8), name=f"stone-{k}")
    return model


def check(run: sg.Run) -> None:
    """No stone has moved by more than 5 mm."""
    moved = np.linalg.norm(run.position()[-1] - run.position()[0], axis=1)
    assert moved.max() < 5e-3
