"""A bead slides down a helix without friction.

Its speed is that of free fall from the same height.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.002, 0.6


def along(direction: np.ndarray) -> tuple[float, ...]:
    """Quaternion that turns z into a direction."""
    d = direction / np.linalg.norm(direction)
    turn = np.array([1 + d[2], -d[1], d[0], 0.0])
    return tuple(turn / np.linalg.norm(turn))


def build() -> sg.Model:
    """A spline through points of a helix; thin rods, which touch nothing, show it."""
    t = np.linspace(0, 4 * np.pi, 80)
    helix = np.column_stack((0.3 * np.cos(t), 0.3 * np.sin(t), 1.0 - 0.06 * t))
    model = sg.Model()
    model.add_body(sg.Sphere(0.05), mass=0.2, position=helix[4], name="bead")
    for a, b in zip(helix[:-2:2], helix[2::2], strict=True):
        model.add_fixed_body([(sg.Capsule(0.008, float(np.linalg.norm(b - a))), (a + b) / 2, along(b - a))], mask=0)
    model.add_point_on_curve(None, "bead", helix[4], helix)
    return model


def check(run: sg.Run) -> None:
    """Energy is kept."""
    fall = run.position("bead")[0, 2] - run.position("bead")[-1, 2]
    assert fall > 0.05
    assert abs(np.linalg.norm(run.velocity("bead")[-1]) - np.sqrt(2 * 9.81 * fall)) < 0.1
