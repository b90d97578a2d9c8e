"""A block slides to rest.

Friction stops it after `v^2 / (2 mu g)`.
"""

from __future__ import annotations

import numpy as np

import signorini as sg

STEP, DURATION = 0.005, 0.9


def build(speed: float = 2.0, friction: float = 0.3) -> sg.Model:
    """A block with a speed on a floor with friction."""
    model = sg.Model()
    model.add_fixed_body(sg.HalfSpace((0, 0, 1)), material=sg.Material(friction=friction), name="floor")
    model.add_body(
        sg.Box((0.4, 0.3, 0.2)),
        mass=5.0,
        position=(0, 0, 0.1),
        velocity=(speed, 0, 0),
        material=sg.Material(friction=friction),
        name="block",
    )
    return model


def check(run: sg.Run) -> None:
    """It stops where energy says."""
    way = run.position("block")[-1, 0]
    assert abs(way - 2.0**2 / (2 * 0.3 * 9.81)) < 0.01
    assert np.linalg.norm(run.velocity("block")[-1]) < 1e-8
